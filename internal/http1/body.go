package http1

import (
	"bytes"
	"errors"
	"io"
	"strconv"
)

// framing is how the end of a body is told.
type framing uint8

const (
	ended   framing = iota // there is none, or it has been read
	sized                  // by its length
	chunked                // by a chunk of length 0
	toClose                // by the end of the connection
)

// body is what is left of the body of an answer.
type body struct {
	framing framing
	left    int64 // of it, or of its present chunk
	begun   bool  // a chunk has been read, whose line end is due
	excess  int   // what lines of chunks had besides the data, above what is usual
	length  int64 // of what has been read
	err     error // what reading it ended with
}

// begin says how the body of the answer that was read ends (RFC 9112, 6.3).
func (c *Conn) begin(method string) error {
	h := &c.answer
	h.Closes = h.closes()
	c.trailers, c.body = c.trailers[:0], body{}
	coded, err := h.coded()
	if err != nil {
		return err
	}
	if h.Length, err = h.length(); err != nil {
		return err
	}
	switch {
	case method == "HEAD" || h.Status == 204 || h.Status == 304:
		if coded {
			h.Length = -1
		}
		c.spent = h.Closes
		return nil
	case coded:
		h.Length, c.body.framing = -1, chunked
	case h.Length >= 0:
		c.body.framing, c.body.left = sized, h.Length
	default:
		c.body.framing, h.Closes = toClose, true
	}
	if c.body.framing == sized && h.Length == 0 {
		c.finish()
	}
	return nil
}

// closes reports whether the server closes the connection behind the answer (RFC 9112, 9.3).
func (h *Head) closes() bool {
	keeps := h.Minor > 0
	for i := range h.Fields {
		f := &h.Fields[i]
		if !equalFold(f.Name, "connection") {
			continue
		}
		for option := range bytes.SplitSeq(f.Value, []byte{','}) {
			switch option = trim(option); {
			case equalFold(option, "close"):
				return true
			case equalFold(option, "keep-alive"):
				keeps = true
			}
		}
	}
	return !keeps
}

// coded reports whether the body is chunked, the only coding that is undone here.
func (h *Head) coded() (bool, error) {
	first, found := h.Value("Transfer-Encoding", 0)
	if !found || h.Minor == 0 { // HTTP/1.0 does not know it
		return false, nil
	}
	if _, again := h.Value("Transfer-Encoding", 1); again || !equalFold(first, "chunked") {
		return false, broken(BadCoding, "the body has a transfer coding other than chunked", first)
	}
	return true, nil
}

// length is what the headers say of the body's length; −1 when nothing. One that is repeated must not change.
func (h *Head) length() (int64, error) {
	first, found := h.Value("Content-Length", 0)
	if !found {
		return -1, nil
	}
	for n := 1; ; n++ {
		other, more := h.Value("Content-Length", n)
		if !more {
			break
		}
		if !bytes.Equal(first, other) {
			return 0, broken(BadLength, "the response has several lengths", other)
		}
	}
	first = trim(first) // a folded header may end with a space
	n, err := strconv.ParseUint(string(first), 10, 63)
	if err != nil || !digits(first) {
		return 0, broken(BadLength, "Content-Length is not a number", first)
	}
	return int64(n), nil
}

// finish says that the answer has been read to its end.
func (c *Conn) finish() {
	c.body.framing, c.body.err = ended, io.EOF
	c.spent = c.answer.Closes
}

// Read reads of the body, without its framing. io.EOF is its end, and comes alone. Errors are as those of ReadHead.
func (c *Conn) Read(p []byte) (int, error) {
	b := &c.body
	if b.err != nil || len(p) == 0 {
		return 0, b.err
	}
	n, err := 0, error(nil)
	switch b.framing {
	case ended:
		err = io.EOF
	case sized:
		n, err = c.readPart(p)
		if b.left == 0 && err == nil {
			c.finish()
		}
	case chunked:
		n, err = c.readChunked(p)
	case toClose:
		if n, err = c.take(p); err == io.EOF {
			c.finish()
		}
	}
	b.length += int64(n)
	if err != nil {
		b.err = err
	}
	return n, err
}

// take gives what the buffer has, or else reads from the connection.
func (c *Conn) take(p []byte) (int, error) {
	if c.r < c.w {
		n := copy(p, c.buf[c.r:c.w])
		c.r += n
		return n, nil
	}
	n, err := c.conn.Read(p)
	switch {
	case n > 0:
		return n, nil
	case err == nil:
		return 0, io.ErrNoProgress
	case errors.Is(err, io.EOF):
		return 0, io.EOF
	}
	return 0, err
}

// readPart reads of what is left of the body or of a chunk.
func (c *Conn) readPart(p []byte) (int, error) {
	b := &c.body
	n, err := c.take(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err == io.EOF {
		return 0, cut("at byte %d of the body, with at least %d more to come", b.length, b.left)
	}
	return n, err
}

func (c *Conn) readChunked(p []byte) (int, error) {
	b := &c.body
	if b.left == 0 {
		if err := c.nextChunk(); err != nil {
			return 0, err
		}
		if b.framing == ended {
			return 0, io.EOF
		}
	}
	return c.readPart(p)
}

// nextChunk reads the line before a chunk (RFC 9112, 7.1), and behind the last one the trailers.
func (c *Conn) nextChunk() error {
	b := &c.body
	if b.begun {
		if line, err := c.chunkLine(); err != nil {
			return err
		} else if len(line) > 0 {
			return broken(BadChunk, "a chunk is longer than its stated length", line)
		}
	}
	line, err := c.chunkLine()
	if err != nil {
		return err
	}
	size, _, _ := bytes.Cut(line, []byte{';'})
	size = bytes.TrimRight(size, " \t")
	if b.left, err = hexadecimal(size); err != nil {
		return err
	}
	b.begun = true
	// What comes besides the data must not be all that there is: a server could send for ever.
	b.excess += len(line) + 2
	b.excess = max(0, b.excess-16-2*int(min(b.left, 1<<20)))
	if b.excess > mostExcess {
		return broken(TooMuchAroundIt, "the extensions of the chunks are longer than their data", nil)
	}
	if b.left > 0 {
		return nil
	}
	length, err := c.section(0, c.limits.Head)
	if err != nil {
		return err
	}
	section := c.buf[c.r : c.r+length]
	if length != len("\r\n") && !bytes.HasSuffix(section, []byte("\r\n\r\n")) || section[length-2] != '\r' {
		return broken(BadChunk, "the trailers are not terminated correctly", section)
	}
	if c.trailers, err = c.fields(c.trailers, section); err != nil {
		return err
	}
	c.r += length
	c.finish()
	return nil
}

const mostExcess = 16 << 10

// longestChunkLine bounds the line before a chunk, with its extensions.
const longestChunkLine = 4 << 10

// chunkLine reads a line that must end with CR and LF: what takes a lone LF for an end can be made to see other chunks
// than what stands between does.
func (c *Conn) chunkLine() ([]byte, error) {
	for seen := 0; ; {
		// Of what came at once no more is looked at than of what came in pieces.
		if i := bytes.IndexByte(c.buf[c.r+seen:min(c.w, c.r+longestChunkLine)], '\n'); i >= 0 {
			line := c.buf[c.r : c.r+seen+i]
			c.r += seen + i + 1
			if len(line) == 0 || line[len(line)-1] != '\r' || bytes.IndexByte(line, '\r') != len(line)-1 {
				return nil, broken(BadChunk, "the size line of a chunk does not end with CRLF", line)
			}
			return line[:len(line)-1], nil
		}
		if seen = c.w - c.r; seen >= longestChunkLine {
			return nil, broken(BadChunk, "the size line of a chunk is too long", c.buf[c.r:c.w])
		}
		if err := c.more(longestChunkLine); err != nil {
			return nil, err
		}
	}
}

// hexadecimal reads the length of a chunk.
func hexadecimal(s []byte) (int64, error) {
	var n uint64
	for _, c := range s {
		var digit byte
		switch lower := lower(c); {
		case '0' <= c && c <= '9':
			digit = c - '0'
		case 'a' <= lower && lower <= 'f':
			digit = lower - 'a' + 10
		default:
			return 0, broken(BadChunk, "the length of a chunk is not a hexadecimal number", s)
		}
		if n = n<<4 | uint64(digit); n >= 1<<59 {
			return 0, broken(BadChunk, "the length of a chunk is not a hexadecimal number", s)
		}
	}
	if len(s) == 0 || len(s) > 16 {
		return 0, broken(BadChunk, "the length of a chunk is not a hexadecimal number", s)
	}
	return int64(n), nil
}

// Trailer is the n-th value of the trailer of this name, as Head.Value, when the body has been read to its end.
func (c *Conn) Trailer(name string, n int) ([]byte, bool) { return value(c.trailers, name, n) }

// Trailers are the headers behind a chunked body that has been read to its end.
func (c *Conn) Trailers() []Field { return c.trailers }

// Reusable reports whether another request may follow: the answer has been read to its end, the server keeps the
// connection, and has not sent what nobody asked for.
func (c *Conn) Reusable() bool { return c.body.framing == ended && !c.spent && c.r == c.w }

// Leftover is what the server has sent behind the end of the answer.
func (c *Conn) Leftover() []byte { return c.buf[c.r:c.w] }
