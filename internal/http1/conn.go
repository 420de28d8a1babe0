package http1

import (
	"errors"
	"io"
	"net"
)

// Limits bound what an answer may take.
type Limits struct {
	Head   int // bytes of its head, with the interim answers before it; of its trailers likewise
	Fields int // headers
}

// DefaultLimits are those that fit what servers send.
func DefaultLimits() Limits { return Limits{Head: 64 << 10, Fields: 1000} }

// smallBuffer is the buffer of a connection that has nothing to read: most answers to small requests fit into it.
const smallBuffer = 4 << 10

// Conn reads the answers on a connection.
type Conn struct {
	// First, if not nil, is called when the first bytes of an answer are there, before anything of it is looked at; of
	// interim answers (1xx) too, so that the last call is that of the final one.
	First func()
	// Interim, if not nil, is called with the status of each answer before the final one, as 100 (Continue). An error is
	// what ReadHead ends with then. Leftover is what has
	// come behind it.
	Interim func(status int) error

	conn   net.Conn
	limits Limits
	small  []byte // kept for as long as the connection is
	buf    []byte // small, or a larger one while a head needs that
	// The buffer holds the head in [0:head), then what has been read of the body and behind it in [r:w).
	head, r, w int

	answer   Head
	body     body
	trailers []Field
	spent    bool // no other answer can be read
}

// New makes a Conn of a connection that nobody else reads.
func New(c net.Conn, l Limits) *Conn {
	small := make([]byte, smallBuffer)
	return &Conn{conn: c, limits: l, small: small, buf: small, answer: Head{Fields: make([]Field, 0, 16)}}
}

// Wait waits until something of an answer is there, which ReadHead reads. It may fail by a deadline, and be called
// again.
func (c *Conn) Wait() error {
	if c.r < c.w {
		return nil
	}
	c.rewind()
	return c.fill()
}

// Begun reports, when ReadHead has failed, whether anything of an answer had come.
func (c *Conn) Begun() bool { return c.w > 0 }

// fill reads more into the buffer behind what it holds. io.EOF is the end of the connection.
func (c *Conn) fill() error {
	n, err := c.conn.Read(c.buf[c.w:])
	c.w += n
	switch {
	case n > 0:
		return nil // an error comes again
	case err == nil:
		return io.ErrNoProgress
	case errors.Is(err, io.EOF):
		return io.EOF
	}
	return err
}

// more reads more of a head or of trailers that begin at r, of at most so many bytes. The buffer grows for them.
func (c *Conn) more(most int) error {
	if c.w-c.r > most {
		return c.tooLong()
	}
	switch {
	case c.w < len(c.buf):
	case c.r > c.head:
		c.drop()
	default:
		larger := make([]byte, 2*len(c.buf))
		copy(larger, c.buf[:c.w])
		c.buf = larger
	}
	if err := c.fill(); err != io.EOF {
		return err
	}
	return cut("at byte %d of the headers or trailers", c.w-c.r)
}

// drop moves what has been read and not taken to where the head ends.
func (c *Conn) drop() {
	c.r, c.w = c.head, c.head+copy(c.buf[c.head:], c.buf[c.r:c.w])
}

// rewind drops the head of the answer before, and goes back to the small buffer if what is left fits.
func (c *Conn) rewind() {
	to := c.buf
	if left := c.w - c.r; len(c.buf) > smallBuffer && left <= smallBuffer/2 {
		to = c.small
	}
	n := copy(to, c.buf[c.r:c.w])
	c.buf, c.head, c.r, c.w = to, 0, 0, n
}
