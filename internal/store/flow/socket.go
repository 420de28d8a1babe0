package flow

import (
	"net"
	"sync/atomic"
)

// Socket is a connection that is watched. A nil one is not.
type Socket struct {
	counter *Counter

	// Each on a line of the cache of its own: one goroutine writes, another reads.
	_     [64]byte
	wrote atomic.Int64
	_     [56]byte
	read  atomic.Int64
	_     [56]byte

	// Under the counter's lock.
	ask   func() (answer, bool) // nil when the socket cannot be asked
	how   How
	base  Moved // by the kernel's count, before anything was sent
	least Moved // what was said before: no count goes back
	over  bool
}

// answer is what the kernel says of a socket.
type answer struct {
	acked    int64 // acknowledged by the other side; with one more for the connection's own first packet
	received int64 // come to this machine, in order
	counts   bool  // it has these counts
	queue    int64 // written, and not yet acknowledged; not asked for where it has the counts
}

// choose finds the best way in which the socket can be counted, before anything is sent on it.
func (s *Socket) choose() {
	s.how = HandedOver
	if s.ask == nil {
		return
	}
	switch a, ok := s.ask(); {
	case ok && a.counts:
		s.how, s.base = Kernel, Moved{a.acked, a.received}
	case ok:
		s.how = Queue
	}
}

// Wrote notes that the system has taken n bytes.
func (s *Socket) Wrote(n int) {
	if s != nil {
		s.wrote.Add(int64(n))
	}
}

// Read notes that n bytes were read.
func (s *Socket) Read(n int) {
	if s != nil {
		s.read.Add(int64(n))
	}
}

// Close ends the watch, before the connection is closed: what the other side had not acknowledged by then does not
// count, since nobody knows any more whether it came.
func (s *Socket) Close() {
	if s == nil {
		return
	}
	c := s.counter
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.over {
		return
	}
	s.over = true
	c.closed = c.closed.plus(s.moved())
	c.how = worse(c.how, s.how)
	delete(c.sockets, s)
}

// moved is what went through the socket so far. The caller holds the counter's lock.
func (s *Socket) moved() Moved {
	// In this order: what was written after the look at the queue is not taken for sent.
	m := Moved{s.wrote.Load(), s.read.Load()}
	if s.how != HandedOver {
		if a, ok := s.ask(); !ok { // the connection was lost
			m = s.least
		} else if s.how == Kernel {
			m = Moved{a.acked, a.received}.minus(s.base)
		} else {
			m.Sent -= a.queue
		}
	}
	s.least = Moved{max(m.Sent, s.least.Sent), max(m.Received, s.least.Received)}
	return s.least
}

// Moved is how many bytes went through the socket so far, both ways together.
func (s *Socket) Moved() int64 {
	if s == nil {
		return 0
	}
	s.counter.mu.Lock()
	defer s.counter.mu.Unlock()
	m := s.least
	if !s.over {
		m = s.moved()
	}
	return m.Sent + m.Received
}

// Watch has a connection watched until it is closed.
func (c *Counter) Watch(conn net.Conn) net.Conn {
	if c == nil {
		return conn
	}
	return &watched{Conn: conn, socket: c.Open(conn)}
}

// watched is a connection that tells of what it does.
type watched struct {
	net.Conn
	socket *Socket
}

// Socket counts what the connection carries.
func (w *watched) Socket() *Socket { return w.socket }

// NetConn is the connection below.
func (w *watched) NetConn() net.Conn { return w.Conn }

// Read reads.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	w.socket.Read(n)
	return n, err
}

// Write writes.
func (w *watched) Write(p []byte) (int, error) {
	n, err := w.Conn.Write(p)
	w.socket.Wrote(n)
	return n, err
}

// Close closes the connection.
func (w *watched) Close() error {
	w.socket.Close()
	return w.Conn.Close()
}
