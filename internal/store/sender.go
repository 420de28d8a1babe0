package store

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/plimsoll/plimsoll/internal/store/flow"
)

// A part is sent from its memory without being copied in this process: net/http would copy it
// in pieces of 32 KiB first. It gives the body of a request to the connection's ReadFrom, and
// the connection here takes the part's own memory for the memory to read into. So the body is
// still read, in pieces, by whoever wraps it and counts what is read, and the socket gets the
// memory itself.
//
// The kernel could send the part from a file without copying it at all (sendfile of a memfd).
// That was measured, with 8 parts on their way over loopback: it took as much processor time
// here, more at the receiver, less throughput, and nobody could see how the part was read.

type partKey struct{}

// WithPart returns a context whose request has this part as its body, whatever the client
// wraps it in: a transport that sees the part itself does not copy it, and knows when its
// memory is no longer read.
func WithPart(ctx context.Context, p *Part) context.Context {
	return context.WithValue(ctx, partKey{}, p)
}

// partSender puts the part itself in the place of the request's body.
type partSender struct{ next http.RoundTripper }

// RoundTrip sends the request.
func (s partSender) RoundTrip(req *http.Request) (*http.Response, error) {
	p, _ := req.Context().Value(partKey{}).(*Part)
	// A body of another length has framing around the part (aws-chunked).
	if p == nil || len(p.bytes) == 0 || req.Body == nil || req.ContentLength != int64(len(p.bytes)) {
		return s.next.RoundTrip(req)
	}
	_ = req.Body.Close()
	// The body of the attempt that goes on: net/http may begin another one by itself.
	var current atomic.Pointer[partBody]
	open := func() (io.ReadCloser, error) {
		b := newPartBody(p)
		current.Store(b)
		return b, nil
	}
	ctx := httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if c, ok := info.Conn.(*partConn); ok {
				c.body.Store(current.Load())
			}
		},
	})
	out := req.WithContext(ctx) // a shallow copy
	out.Body, _ = open()
	out.GetBody = open
	resp, err := s.next.RoundTrip(out)
	if resp != nil && resp.Request == out {
		resp.Request = req
	}
	return resp, err
}

// CloseIdleConnections closes those of the transport below.
func (s partSender) CloseIdleConnections() { closeIdle(s.next) }

// partConn is a connection that sends parts from their memory, and is watched.
type partConn struct {
	*net.TCPConn
	socket *flow.Socket
	body   atomic.Pointer[partBody] // of the request that got the connection last
}

// wrapDial makes connections partConns.
func wrapDial(dial dialer, counter *flow.Counter) dialer {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if tcp, ok := c.(*net.TCPConn); ok {
			return &partConn{TCPConn: tcp, socket: counter.Open(tcp)}, nil
		}
		return counter.Watch(c), nil
	}
}

type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// Socket counts what the connection carries.
func (c *partConn) Socket() *flow.Socket { return c.socket }

// NetConn is the connection below.
func (c *partConn) NetConn() net.Conn { return c.TCPConn }

// Read reads from the connection.
func (c *partConn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	c.socket.Read(n)
	return n, err
}

// Write writes to the connection.
func (c *partConn) Write(p []byte) (int, error) {
	n, err := c.TCPConn.Write(p)
	c.socket.Wrote(n)
	return n, err
}

// Close closes the connection.
func (c *partConn) Close() error {
	c.socket.Close()
	return c.TCPConn.Close()
}

// copyFrom sends what is read from r, as the connection below would: no body here is a file or a connection, for which
// that knows a shorter way.
func (c *partConn) copyFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{c}, r)
}

// sendChunk is what one call of the system sends: small enough for the moments of the reads to
// tell how the part went, and large enough for the calls to cost nothing.
const sendChunk = 256 << 10

// ReadFrom sends what is read from r.
func (c *partConn) ReadFrom(r io.Reader) (int64, error) {
	body := c.body.Swap(nil)
	limited, ok := r.(*io.LimitedReader)
	if !ok || body == nil || !body.retain() {
		return c.copyFrom(r)
	}
	defer body.release()
	// Reading into the part's memory is right only if it is the part that is read: one byte
	// tells.
	from := body.position()
	var first [1]byte
	n, err := limited.Read(first[:])
	if body.position() != from+n || err != nil || n == 0 {
		return c.sendOther(first[:n], r, err)
	}
	return c.sendPart(body, limited, from)
}

// sendOther sends what was read of something that is no part, and the rest of it.
func (c *partConn) sendOther(first []byte, r io.Reader, err error) (int64, error) {
	n, failed := c.Write(first)
	if failed != nil || err != nil {
		if err == io.EOF {
			err = nil
		}
		return int64(n), errorOf(failed, err)
	}
	rest, err := c.copyFrom(r)
	return int64(n) + rest, err
}

// sendPart sends the part's memory from a position on, of which the first byte was read.
func (c *partConn) sendPart(body *partBody, r *io.LimitedReader, from int) (sent int64, err error) {
	read := 1
	for err == nil {
		if into := body.memory(from+read, int(min(r.N, sendChunk))); len(into) > 0 {
			var n int
			n, err = r.Read(into)
			read += n
		} else {
			err = io.EOF
		}
		if read > 0 {
			n, failed := c.Write(body.memory(from, read))
			sent += int64(n)
			if failed != nil {
				return sent, failed
			}
			from, read = from+read, 0
		}
	}
	if err == io.EOF {
		err = nil
	}
	return sent, err
}

// errorOf is the first error.
func errorOf(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}
