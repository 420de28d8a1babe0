package bounded

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// ErrTooLong is that something has more bytes than it can have.
var ErrTooLong = errors.New("too long")

// Reader gives so many bytes of what it reads from, and ErrTooLong where there are more: what is cut off without a word
// reads as if it ended there.
type Reader struct {
	from io.Reader
	left int64
	most int64
}

// NewReader makes one of most bytes.
func NewReader(from io.Reader, most int64) *Reader {
	return &Reader{from: from, left: most, most: most}
}

// Read reads.
func (r *Reader) Read(p []byte) (int, error) {
	if r.left < 0 {
		return 0, r.tooLong()
	}
	if int64(len(p)) > r.left+1 {
		p = p[:r.left+1]
	}
	n, err := r.from.Read(p)
	if int64(n) > r.left {
		n, r.left = int(r.left), -1
		return n, r.tooLong()
	}
	r.left -= int64(n)
	return n, err
}

func (r *Reader) tooLong() error {
	return fmt.Errorf("%w: more than %d bytes", ErrTooLong, r.most)
}

// ReadAll reads all that there is, and no more than most bytes; more is ErrTooLong, with the bytes before. What it
// keeps grows with what has come, and with nothing that was promised.
func ReadAll(from io.Reader, most int64) ([]byte, error) {
	var b bytes.Buffer
	_, err := b.ReadFrom(NewReader(from, most))
	return b.Bytes(), err
}

// Body has the body of an answer end with ErrTooLong behind most bytes.
func Body(resp *http.Response, most int64) {
	if resp.Body == nil || resp.Body == http.NoBody {
		return
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{NewReader(resp.Body, most), resp.Body}
}
