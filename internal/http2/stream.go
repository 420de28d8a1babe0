package http2

import (
	"slices"
	"sync"

	xhttp2 "golang.org/x/net/http2"
)

// Sink is told how a request fares. Its methods are called on goroutines of the connection's, one at a time but for
// Sent, and must not wait.
type Sink interface {
	Sent()               // the whole request has been handed to the network
	First()              // the first of the answer is there
	Data(p []byte) error // a piece of the answer's body; an error ends the request with it
	Over()               // the answer is whole
}

// Request is what is sent.
type Request struct {
	Fields []byte // as AppendField and its like have written them
	Body   []byte
	// Source has the body instead of Body, if it is not nil, and Size is its length.
	Source Source
	Size   int64
	Head   bool // the answer has no body, whatever it says
}

// Source is a body that is read while it is sent, and is never in memory as a whole.
type Source interface {
	// Next returns the bytes that follow, at least one and at most n, which is above 0. They are valid until the next
	// call. An error ends the request with it. Next is called by the goroutine that calls Wait, and may wait.
	Next(n int) ([]byte, error)
}

// maxPiece is how much of a body is asked from a Source at once.
const maxPiece = 64 << 10

// Stream is a request and its answer, one after the other.
type Stream struct {
	sink Sink
	wake chan struct{}

	// Guarded by the lock of the connection.
	request Request
	id      uint32 // 0: it is not open
	sent    bool   // all of the request is in the outbox
	end     int64  // of what was sent of it, in what is ever added to the outbox
	left    int64  // of the body, what is not in the outbox
	window  int64

	mu       sync.Mutex // guards what follows; taken after the connection's lock, if that is taken
	conn     *Conn
	number   uint32 // id, for the reader
	bodiless bool
	live     bool  // the answer is awaited
	err      error // what it ended with
	head     Head
	told     bool // the first of the answer was there
	final    bool // its head has been read
	interims int
	received int64 // of its body
	unsaid   int64 // bytes that the server may send again, but has not been told of
}

// NewStream makes one for a sink.
func NewStream(s Sink) *Stream { return &Stream{sink: s, wake: make(chan struct{}, 1)} }

// Head is that of the answer, when Wait has returned nil.
func (s *Stream) Head() *Head { return &s.head }

// Unsent returns how many bytes of the request's body were not sent when Wait returned: those that the server did not
// want.
func (s *Stream) Unsent() int64 { return s.left }

// Send sends a request, or what can be sent of it at once, without waiting. Wait is called behind it in any case; what
// it needs of the request must not change until then.
func (s *Stream) Send(c *Conn, r Request) { s.begin(c, r, true) }

// Begin is Send for who may wait until the network has taken what there is.
func (s *Stream) Begin(c *Conn, r Request) { s.begin(c, r, false) }

func (s *Stream) begin(c *Conn, r Request, atOnce bool) {
	select {
	case <-s.wake: // from before
	default:
	}
	s.mu.Lock()
	s.conn, s.number, s.bodiless, s.live, s.err = c, 0, r.Head, true, nil
	s.told, s.final, s.interims, s.received, s.unsaid = false, false, 0, 0, 0
	s.mu.Unlock()
	c.mu.Lock()
	s.request, s.id, s.sent, s.end, s.left = r, 0, false, 0, int64(len(r.Body))
	if r.Source != nil {
		s.left = r.Size
	}
	switch why := c.usable(); {
	case why != nil:
		s.finish(unsent(why))
	case int64(len(c.streams)) >= c.mostStreams || len(c.places) > 0:
		c.places = append(c.places, s)
	default:
		c.begin(s)
	}
	if atOnce {
		c.try() // what is left is for Wait
		c.mu.Unlock()
		return
	}
	all := c.try()
	c.mu.Unlock()
	if !all {
		c.flush()
	}
}

// begin opens a stream, and sends what may be sent.
func (c *Conn) begin(s *Stream) {
	s.id, s.window = c.next, c.streamWindow
	c.next += 2
	c.used++
	c.retired = c.retired || c.limits.Requests > 0 && c.used >= c.limits.Requests
	c.streams[s.id] = s
	s.mu.Lock()
	s.number = s.id
	s.mu.Unlock()
	block := s.request.Fields
	if s.id == 1 { // all say that we have no table in the server: no change of its settings needs an answer
		block = append([]byte{noTable}, block...)
	}
	c.writeFields(s.id, block, s.left == 0)
	s.end = c.out.added
	switch {
	case s.left == 0:
		c.complete(s)
	case s.request.Source != nil: // the body is for Wait, which may wait for the source
		c.sources++
	default:
		c.proceed(s)
	}
}

// noTable is the change of the table's size to 0 (RFC 7541, 6.3).
const noTable = 0x20

// writeFields writes a field block in as many frames as it needs.
func (c *Conn) writeFields(id uint32, block []byte, ends bool) {
	n := min(len(block), c.mostFrame)
	_ = c.framer.WriteHeaders(xhttp2.HeadersFrameParam{
		StreamID: id, BlockFragment: block[:n], EndStream: ends, EndHeaders: n == len(block),
	})
	for block = block[n:]; len(block) > 0; block = block[n:] {
		n = min(len(block), c.mostFrame)
		_ = c.framer.WriteContinuation(id, n == len(block), block[:n])
	}
}

// complete says that all of a request is in the outbox.
func (c *Conn) complete(s *Stream) {
	s.sent = true
	c.out.unsent = append(c.out.unsent, s)
}

// proceed sends as much of a body in memory as may be sent.
func (c *Conn) proceed(s *Stream) {
	for s.left > 0 {
		n := c.reserve(s, int64(c.mostFrame))
		if n == 0 {
			return
		}
		c.add(s, s.request.Body[:n])
		s.request.Body = s.request.Body[n:]
	}
	c.complete(s)
}

// reserve takes what may be sent of a body now, up to most, from the windows. If that is nothing, the stream is woken
// when there is more.
func (c *Conn) reserve(s *Stream, most int64) int {
	n := min(s.left, most, s.window, c.window)
	if n <= 0 || len(c.out.b) >= mostAhead {
		c.hungry = append(c.hungry, s)
		return 0
	}
	s.window -= n
	c.window -= n
	return int(n)
}

// add adds a piece of a body, for which there is room in the windows, to the outbox.
func (c *Conn) add(s *Stream, p []byte) {
	for len(p) > 0 {
		n := min(len(p), c.mostFrame)
		s.left -= int64(n)
		_ = c.framer.WriteData(s.id, s.left == 0, p[:n])
		p = p[n:]
	}
	s.end = c.out.added
}

// proceedFrom sends a piece of a body from its source, and gives the lock up while it waits for that. It reports
// whether there is more to send now.
func (c *Conn) proceedFrom(s *Stream) (more bool) {
	n := c.reserve(s, maxPiece)
	if n == 0 {
		return false
	}
	c.mu.Unlock()
	p, err := s.request.Source.Next(n)
	c.mu.Lock()
	switch {
	case c.err != nil:
		return false
	case s.id == 0: // it has ended meanwhile: by its answer, or by either side
		c.window += int64(n)
		c.feed()
		return false
	case err != nil:
		c.window += int64(n)
		c.drop(s, err, Cancel)
		c.feed()
		return false
	}
	s.window += int64(n - len(p))
	c.window += int64(n - len(p))
	c.add(s, p)
	if s.left == 0 {
		c.sources--
		c.complete(s)
		return false
	}
	return true
}

// Wait sends what is left of the request, and waits for the end of its answer.
func (s *Stream) Wait() error {
	c := s.conn
	for {
		if why, over := s.over(); over {
			return why
		}
		c.mu.Lock()
		more := false
		switch {
		case s.id == 0 || s.sent || c.err != nil || slices.Contains(c.hungry, s):
		case s.request.Source != nil:
			more = c.proceedFrom(s)
		default:
			c.proceed(s)
		}
		all := c.try()
		c.mu.Unlock()
		if !all {
			c.flush()
			continue
		}
		if !more {
			<-s.wake
		}
	}
}

func (s *Stream) over() (error, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err, !s.live
}

// Cancel ends the request with this error, if it is still under way. Where it is stuck with being written, that closes
// the connection. Any goroutine may call it.
func (s *Stream) Cancel(why error) {
	s.mu.Lock()
	c, live := s.conn, s.live
	s.mu.Unlock()
	if c == nil || !live {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.out.busy && s.end > c.out.written {
		s.finish(why)
		c.fail(errStuck)
		return
	}
	c.drop(s, why, Cancel)
	c.kick()
}

// drop ends a stream here, and tells the server.
func (c *Conn) drop(s *Stream, why error, code Code) {
	if id := s.id; c.forget(s) {
		c.control(func(w *xhttp2.Framer) error { return w.WriteRSTStream(id, xhttp2.ErrCode(code)) })
	}
	s.finish(why)
	c.admit()
}

// forget takes a stream out of all lists. It is false when it was not open.
func (c *Conn) forget(s *Stream) bool {
	is := func(other *Stream) bool { return other == s }
	if len(c.out.unsent) > 0 {
		c.out.unsent = slices.DeleteFunc(c.out.unsent, is)
	}
	if len(c.hungry) > 0 {
		c.hungry = slices.DeleteFunc(c.hungry, is)
	}
	if s.id == 0 {
		c.places = slices.DeleteFunc(c.places, is)
		return false
	}
	known := c.streams[s.id] == s
	if known {
		delete(c.streams, s.id)
		if s.request.Source != nil && !s.sent {
			c.sources--
		}
	}
	s.id = 0
	return known
}

// admit opens streams that have waited for a place.
func (c *Conn) admit() {
	for len(c.places) > 0 && int64(len(c.streams)) < c.mostStreams {
		s := c.places[0]
		c.places = c.places[:copy(c.places, c.places[1:])]
		if why := c.usable(); why != nil {
			s.finish(unsent(why))
			continue
		}
		c.begin(s)
		s.nudge()
	}
	c.leave()
}

// finish ends the waiting for an answer.
func (s *Stream) finish(why error) {
	s.mu.Lock()
	if s.live {
		s.live, s.err = false, why
	}
	s.mu.Unlock()
	s.nudge()
}

// nudge has Wait look again.
func (s *Stream) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
