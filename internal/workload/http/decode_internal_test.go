package http

import (
	"bytes"
	"compress/gzip"
	"errors"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// What is long is unpacked as what is short is, up to the most that is kept.
func TestUnpackLong(t *testing.T) {
	for _, n := range []int{0, 1, fewKept - 1, fewKept, fewKept + 1, 3 * fewKept, mostKept, mostKept + 1} {
		text := bytes.Repeat([]byte("ab"), n/2+1)[:n]
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		_, _ = z.Write(text)
		_ = z.Close()
		encoder, _ := zstd.NewWriter(nil)
		for coding, packed := range map[string][]byte{"gzip": zipped.Bytes(), "zstd": encoder.EncodeAll(text, nil)} {
			got, err := unpack(make([]byte, 0, 10), coding, packed)
			if n > mostKept {
				if !errors.Is(err, errTooLong) || cap(got) > fewKept {
					t.Errorf("%s of %d bytes: room for %d, %v", coding, n, cap(got), err)
				}
				continue
			}
			if err != nil || !bytes.Equal(got, text) {
				t.Errorf("%s of %d bytes: %d, %v", coding, n, len(got), err)
			}
		}
	}
}
