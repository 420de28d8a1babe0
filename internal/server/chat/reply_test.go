package chat

import (
	"bytes"
	"testing"

	"github.com/gobwas/ws"
)

// TestFrames reads the frames back with a parser that is not ours.
func TestFrames(t *testing.T) {
	for _, length := range []int{0, 1, 6, 7, 8, 14, 125, 126, 127, 65535, 65536} {
		for _, size := range []int{0, 1, 7, 125, 126, 1000} {
			r := reply{op: opText, buf: bytes.Repeat([]byte("x"), headerRoom+length)}
			wire := []byte(nil)
			if size == 0 {
				wire = r.frame()
				size = max(length, 1)
			} else {
				wire = r.appendFragments(nil, size)
			}
			got, frames := 0, 0
			for in := bytes.NewReader(wire); in.Len() > 0; frames++ {
				h, err := ws.ReadHeader(in)
				if err != nil {
					t.Fatal(err)
				}
				want := ws.OpContinuation
				if frames == 0 {
					want = ws.OpText
				}
				if h.OpCode != want || h.Masked || h.Rsv != 0 || h.Length > int64(size) {
					t.Fatalf("length %d, size %d: frame %d is %+v", length, size, frames, h)
				}
				got += int(h.Length)
				_, _ = in.Seek(h.Length, 1)
				if h.Fin != (in.Len() == 0) {
					t.Fatalf("length %d, size %d: final bit of frame %d: %v", length, size, frames, h.Fin)
				}
			}
			if want := max(1, (length+size-1)/size); got != length || frames != want {
				t.Errorf("length %d, size %d: %d bytes in %d frames, want %d", length, size, got, frames, want)
			}
		}
	}
}
