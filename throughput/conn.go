package throughput

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// A Conn measures the bodies that a client which is no http.RoundTripper moves over a connection. The client reads and
// writes it as any other, and says what that is: Begin, BodyBegins and RequestEnds around what it writes, AnswerBegins
// and AnswerEnds around what it reads. The figures, their qualities and their limits are those of a Transport.
//
// One request is measured at a time: of HTTP/2, and of pipelined requests, those that are alone on the connection. What
// is written by one goroutine may be read by another; the methods about the request belong to the first, those about
// the answer to the second. Between an end and the next Begin a Conn costs one atomic load for each call.
//
// Over TLS, wrap the tls.Conn: the socket below it is found through NetConn, as it is below every layer that has that.
type Conn struct {
	net.Conn
	transport *Transport
	now       atomic.Pointer[measured] // nil: nothing is measured
}

// NewConn wraps a connection. What is known of paths is shared with all else that t measures, and t.Observer gets the
// timelines; t.Base is not used.
func (t *Transport) NewConn(c net.Conn) *Conn {
	if t == nil {
		t = &Transport{}
	}
	return &Conn{Conn: c, transport: t}
}

// NetConn is the connection below.
func (c *Conn) NetConn() net.Conn { return c.Conn }

// Request is what a client says of a request before it writes it.
type Request struct {
	Started              time.Time // as time.Now gave it; zero: now
	Method, Scheme, Host string    // to label; over TLS the scheme is https
	Reused               bool      // the connection had requests before
	ContentLength        int64     // of the body; 0 without one, -1 if unknown
}

// Answer is what a client says of an answer when it has read the head.
type Answer struct {
	// Began is when its first byte came, as time.Now gave it. Zero: when Read saw it, or now if the request was not
	// yet measured then.
	Began  time.Time
	Proto  string // as "HTTP/1.1"
	Status int
	Length int64 // of the body; 0 without one, -1 if unknown
	Read   int64 // bytes of the body that were read with the head
}

// ErrUnended is the error of an attempt on a Conn on which another request began before AnswerEnds or Fail.
var ErrUnended = errors.New("throughput: the next request started before this one ended")

// measured is a request on a Conn.
type measured struct {
	exchange exchange
	attempt  *attempt
	response responseBody
	writing  bool // what is written is of the body; who writes has it
	reading  bool // so is what is read; who reads has it
}

// Begin begins a request, and says whether it is measured: somebody observes it. It may also be called late, when the
// head of the answer has been read, by who wants to know of a long answer and nothing of a short one.
func (c *Conn) Begin(ctx context.Context, r Request) bool {
	c.Fail(ErrUnended)
	observers := c.transport.observersOf(ctx)
	if observers == nil {
		return false
	}
	if r.Started.IsZero() {
		r.Started = time.Now()
	}
	m := &measured{attempt: &attempt{}}
	a, x := m.attempt, &m.exchange
	x.transport, x.observers, x.ctx, x.hasBody = c.transport, observers, ctx, r.ContentLength != 0
	x.current.Store(a)
	a.exchange, a.sent.start = x, r.Started
	t := &a.timeline
	t.Started, t.Method, t.Scheme, t.Host, t.Attempt = r.Started, r.Method, r.Scheme, r.Host, 1
	t.HasBody, t.ContentLength, t.Reused, t.ConnectionGot = x.hasBody, r.ContentLength, r.Reused, At(0)
	a.mu.Lock()
	a.uses(c.Conn)
	a.mu.Unlock()
	c.now.Store(m)
	return true
}

// BodyBegins says that the head was written: what is written from now on is the body of the request.
func (c *Conn) BodyBegins() {
	if m := c.now.Load(); m != nil {
		m.exchange.wroteHeaders()
		m.attempt.sent.before()
		m.writing = true
	}
}

// RequestEnds says that all of the request was written that will be, with so many bytes of its body: framing is none
// of them. An error is that of writing it.
func (c *Conn) RequestEnds(body int64, err error) {
	m := c.now.Load()
	if m == nil {
		return
	}
	a := m.attempt
	if m.writing {
		m.writing = false
		a.sent.after(0, io.EOF) // publishes what was counted
	}
	a.sent.bytes.Store(body)
	a.wrote(err)
}

// Interim says that the answer that was read is an interim one (1xx).
func (c *Conn) Interim(status int) {
	m := c.now.Load()
	if m == nil {
		return
	}
	if status == 100 {
		m.exchange.continued()
	}
	_ = m.exchange.informational(status, nil)
}

// AnswerBegins says that the head of the answer was read: what is read from now on is its body.
func (c *Conn) AnswerBegins(r Answer) {
	m := c.now.Load()
	if m == nil {
		return
	}
	a, b, t := m.attempt, &m.response, &m.attempt.timeline
	if !a.lock() {
		return
	}
	a.responseRead = a.now()
	t.Proto, t.Status = r.Proto, r.Status
	if !t.FirstResponseByte.Happened() {
		t.FirstResponseByte = a.responseRead
		if !r.Began.IsZero() {
			t.FirstResponseByte = min(At(r.Began.Sub(t.Started)), a.responseRead)
		}
		a.lastLook()
	}
	a.beginResponse(b, r.Length)
	if r.Read > 0 {
		b.had(r.Read)
	}
	a.unlockAndDeliver()
	m.reading = true
}

// AnswerEnds says that the answer was read, with so many bytes of its body: framing is none of them. An error is why
// it was not read whole. It ends the request, too.
func (c *Conn) AnswerEnds(body int64, err error) {
	m := c.now.Swap(nil)
	if m == nil {
		return
	}
	if b := &m.response; m.reading && err == nil && b.length < 0 {
		b.lookBack()
	}
	m.response.received.publish()
	m.response.received.bytes.Store(body)
	m.attempt.givenUp()
	m.attempt.endResponse(err == nil, err)
}

// Fail ends a request that gets no answer, and says why. Of one that has ended it does nothing.
func (c *Conn) Fail(err error) {
	if m := c.now.Swap(nil); m != nil {
		m.attempt.givenUp()
		m.attempt.failed(err)
	}
}

// givenUp says that no more will be written.
func (a *attempt) givenUp() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requestOver = true
}

// Read reads.
func (c *Conn) Read(p []byte) (int, error) {
	m := c.now.Load()
	switch {
	case m == nil:
		return c.Conn.Read(p)
	case m.reading:
		return m.response.piece(c.Conn, p)
	}
	n, err := c.Conn.Read(p)
	if n > 0 {
		m.attempt.answered()
	}
	return n, err
}

// Write writes. What is given to it of a body counts as taken from its source then.
func (c *Conn) Write(p []byte) (int, error) {
	m := c.now.Load()
	if m == nil || !m.writing {
		return c.Conn.Write(p)
	}
	sent := &m.attempt.sent
	sent.after(len(p), nil)
	n, err := c.Conn.Write(p)
	if n < len(p) {
		sent.refused(len(p) - n)
	}
	sent.before() // the source is waited for again
	return n, err
}
