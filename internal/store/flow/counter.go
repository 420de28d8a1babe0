package flow

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Every is how often the sockets are looked at, and the width of a bin of a run that is not long.
const Every = 100 * time.Millisecond

// How bytes were counted.
type How string

// The ways of counting, the best first.
const (
	// Kernel: what the kernel says that the other side has acknowledged, and what has come to this machine.
	Kernel How = "kernel"
	// Queue: what was given to the sockets, less what their queues still hold; and what was read from them.
	Queue How = "queue"
	// HandedOver: what was given to the sockets, which may still wait there; and what was read from them.
	HandedOver How = "handed_over"
	// Calls: what calls of the system wrote and read, when they returned.
	Calls How = "calls"
)

// worse is the way of counting that promises less.
func worse(a, b How) How {
	for _, h := range [...]How{HandedOver, Queue, Kernel, Calls} {
		if a == h || b == h {
			return h
		}
	}
	return ""
}

// Moved is how many bytes went each way.
type Moved struct{ Sent, Received int64 }

func (m Moved) plus(o Moved) Moved  { return Moved{m.Sent + o.Sent, m.Received + o.Received} }
func (m Moved) minus(o Moved) Moved { return Moved{m.Sent - o.Sent, m.Received - o.Received} }

// Counter counts. Its zero value is ready.
type Counter struct {
	// Of calls of the system, on lines of the cache of their own: streams write and read beside each other.
	_         [64]byte
	sent      atomic.Int64
	_         [56]byte
	received  atomic.Int64
	_         [56]byte
	encrypted atomic.Bool

	mu      sync.Mutex
	sockets map[*Socket]struct{} // those that are open
	closed  Moved                // of the others
	how     How
	opened  int64
	course  *course // nil before Start and after Stop
	origin  time.Time
	seen    Moved     // when Still was asked last
	since   time.Time // when something of that had moved
	ended   chan struct{}
	looking sync.WaitGroup
}

// Called notes what a call of the system moved that has returned.
func (c *Counter) Called(m Moved) {
	if c == nil {
		return
	}
	if m.Sent != 0 { // most calls move one way, and need not wait for the other's line of the cache
		c.sent.Add(m.Sent)
	}
	if m.Received != 0 {
		c.received.Add(m.Received)
	}
}

// Encrypted notes that connections are: what is counted then is ciphertext.
func (c *Counter) Encrypted() {
	if c != nil && !c.encrypted.Load() {
		c.encrypted.Store(true)
	}
}

// Open begins to watch a connection, whose Read and Write the caller tells of.
func (c *Counter) Open(conn net.Conn) *Socket {
	if c == nil {
		return nil
	}
	s := &Socket{counter: c, ask: asker(conn)}
	s.choose()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sockets == nil {
		c.sockets = map[*Socket]struct{}{}
	}
	c.sockets[s] = struct{}{}
	c.opened++
	c.how = worse(c.how, s.how)
	return s
}

// Start begins the run: what moves from now on has its place in the course.
func (c *Counter) Start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	tick := time.NewTicker(Every)
	c.origin, c.ended = time.Now(), make(chan struct{})
	c.course = newCourse(c.total())
	c.looking.Go(func() { c.watch(tick) })
}

// watch looks until the run has ended.
func (c *Counter) watch(tick *time.Ticker) {
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			c.look()
		case <-c.ended:
			return
		}
	}
}

func (c *Counter) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	// The time is read before the sockets: what they got meanwhile belongs to it within microseconds.
	c.course.saw(time.Since(c.origin), c.total())
}

// total is all that moved so far. The caller holds the lock.
func (c *Counter) total() Moved {
	all := c.closed.plus(Moved{c.sent.Load(), c.received.Load()})
	for s := range c.sockets {
		all = all.plus(s.moved())
		c.how = worse(c.how, s.how)
	}
	return all
}

// Still is how long nothing has moved, to the second if it is asked every second.
func (c *Counter) Still() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, all := time.Now(), c.total()
	if all != c.seen || c.since.IsZero() {
		c.seen, c.since = all, now
	}
	return now.Sub(c.since)
}

// Stop ends the run and gives its course; nil if it was not started.
func (c *Counter) Stop() *Course {
	c.mu.Lock()
	if c.course == nil {
		c.mu.Unlock()
		return nil
	}
	close(c.ended)
	c.mu.Unlock()
	c.looking.Wait()
	c.look()
	c.mu.Lock()
	defer c.mu.Unlock()
	result := c.course.end()
	result.Origin, result.Encrypted, result.How = c.origin, c.encrypted.Load(), c.how
	if c.opened == 0 {
		result.How, result.Encrypted = Calls, false
	}
	c.course = nil
	return result
}
