package throughput

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"
)

// selfWriting is a body that says how it was taken.
type selfWriting struct {
	pieces  [][]byte
	read    int
	written int
	failing error // after all pieces
	closed  chan struct{}
}

func (b *selfWriting) Read(p []byte) (int, error) {
	b.read++
	if len(b.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.pieces[0])
	if b.pieces[0] = b.pieces[0][n:]; len(b.pieces[0]) == 0 {
		b.pieces = b.pieces[1:]
	}
	return n, nil
}

func (b *selfWriting) WriteTo(w io.Writer) (sum int64, err error) {
	b.written++
	for _, p := range b.pieces {
		n, err := w.Write(p)
		if sum += int64(n); err != nil {
			return sum, err
		}
	}
	b.pieces = nil
	return sum, b.failing
}

// Close comes after all that net/http reads, which may be later than the answer.
func (b *selfWriting) Close() error {
	close(b.closed)
	return nil
}

// A body that writes itself still does where net/http lets it, which is where its length is not
// known. The server has the bytes that were counted, in as many pieces.
func TestWriterTo(t *testing.T) {
	received := make(chan []byte, 1)
	s := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		received <- body
	}))
	all := bytes.Repeat([]byte("0123456789"), 20_000)
	for _, length := range []int64{-1, 0, int64(len(all))} {
		for _, wrapped := range []bool{false, true} {
			base := &http.Transport{}
			t.Cleanup(base.CloseIdleConnections)
			k := newKept()
			c := &http.Client{Transport: base}
			if wrapped {
				c.Transport = Wrap(base, k)
			}
			body := &selfWriting{closed: make(chan struct{})}
			for piece := 0; piece < len(all); piece += 10_000 {
				body.pieces = append(body.pieces, all[piece:piece+10_000])
			}
			req := request(t, http.MethodPut, s.URL, body)
			req.ContentLength = length
			send(t, c, req)
			<-body.closed
			if got := <-received; !bytes.Equal(got, all) {
				t.Errorf("length %d, wrapped %v: the server got %d bytes", length, wrapped, len(got))
			}
			// Of one with a length, net/http has the rest, which is nothing, write itself.
			if chunked := length <= 0; chunked != (body.read == 0) || body.written != 1 && chunked {
				t.Errorf("length %d, wrapped %v: %d reads, written %d times", length, wrapped, body.read, body.written)
			}
			if !wrapped {
				continue
			}
			got := k.wait(t, 1)[0]
			if got.RequestBytes != int64(len(all)) || length <= 0 && got.RequestReads != 20 ||
				got.LastBodyRead <= got.FirstBodyRead || got.WriteQuality() == Aborted {
				t.Errorf("length %d: %s %+v", length, got.WriteQuality(), got)
			}
		}
	}
}

// What goes wrong while a body writes itself goes wrong as without the wrapper.
func TestWriterToFails(t *testing.T) {
	s := serve(t, swallow(0))
	c, k := client(t, nil)
	broken := errors.New("the source broke")
	body := &selfWriting{pieces: [][]byte{make([]byte, 1000)}, failing: broken, closed: make(chan struct{})}
	if _, err := c.Do(request(t, http.MethodPut, s.URL, body)); !errors.Is(err, broken) {
		t.Error(err)
	}
	if got := k.wait(t, 1)[0]; got.RequestBytes != 1000 || !errors.Is(got.Err, broken) || got.WriteQuality() != Aborted {
		t.Errorf("%s %+v", got.WriteQuality(), got)
	}
}
