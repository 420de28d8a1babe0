package server

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// MostConnections are open at a time where nothing else is said, as far as the process may open so many files.
const MostConnections = 20000

// grace is how long a connection may say nothing before another may have its place, or the server's end does not wait
// for it any more.
const grace = time.Second

// Crowd bounds the connections of a server. When all places are taken, one that comes gets the place of that for whose
// request the server has waited longest, and is closed itself where all are served, or came just now. So thousands that
// say nothing, or the headers of a request letter by letter, close the server to nobody else.
type Crowd struct {
	most int

	mu     sync.Mutex
	inside map[net.Conn]*Guest
}

// Guest is one of the connections.
type Guest struct {
	conn  net.Conn
	busy  atomic.Int64 // requests that are being answered
	since atomic.Int64 // when the server began to wait for one; ns of the wall clock
}

// NewCrowd makes room for so many, or as many as the process may open files for; 0 is MostConnections.
func NewCrowd(most int) *Crowd {
	return &Crowd{most: places(most, openFiles()), inside: map[net.Conn]*Guest{}}
}

// places is how many connections may be open of so many, where the process may open so many files; 0: not known.
func places(most, files int) int {
	if most == 0 {
		most = MostConnections
	}
	if files > 0 {
		most = min(most, files-files/8) // the rest is for files and for what the server asks of others
	}
	return most
}

// Enter takes a connection in. One for which there is no place is closed, and false.
func (c *Crowd) Enter(conn net.Conn) (*Guest, bool) {
	g := &Guest{conn: conn}
	now := time.Now()
	g.since.Store(now.UnixNano())
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.inside) >= c.most && !c.sendAway(now) {
		hangUp(conn)
		return g, false
	}
	c.inside[conn] = g
	return g, true
}

// sendAway closes the connection that has been waited for longest. It needs mu.
func (c *Crowd) sendAway(now time.Time) bool {
	var longest *Guest
	for _, g := range c.inside {
		if g.waits(now) && (longest == nil || g.since.Load() < longest.since.Load()) {
			longest = g
		}
	}
	if longest == nil {
		return false
	}
	delete(c.inside, longest.conn)
	hangUp(longest.conn)
	return true
}

// Leave is for a connection that is closed. It may be called again.
func (c *Crowd) Leave(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.inside, conn)
}

// Stay has a connection served until it leaves.
func (c *Crowd) Stay(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g := c.inside[conn]; g != nil {
		g.Begin()
	}
}

// Dismiss closes the connections for which the server waits.
func (c *Crowd) Dismiss(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn, g := range c.inside {
		if g.waits(now) {
			delete(c.inside, conn)
			hangUp(conn)
		}
	}
}

// Begin is for a request that has come.
func (g *Guest) Begin() { g.busy.Add(1) }

// End is for one that was answered, or cannot be.
func (g *Guest) End(now time.Time) {
	g.since.Store(now.UnixNano())
	g.busy.Add(-1)
}

// waits reports whether the server waits for a request, and has for longer than a moment.
func (g *Guest) waits(now time.Time) bool {
	return g.busy.Load() == 0 && now.UnixNano()-g.since.Load() > int64(grace)
}

// hangUp closes a connection at once: TLS would have its farewell written first, and wait for who does not read.
func hangUp(conn net.Conn) {
	if over, is := conn.(interface{ NetConn() net.Conn }); is {
		conn = over.NetConn()
	}
	_ = conn.Close()
}
