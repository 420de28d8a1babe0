package throughput

import (
	"crypto/tls"
	"net"
	"sync"
)

// lanes count the attempts on each connection that can have several at once (HTTP/2). A connection is known as long
// as one is on it.
type lanes struct {
	mu    sync.Mutex
	known map[net.Conn]*lane
}

type lane struct {
	on     int
	joined int // how many ever did
}

// A place is an attempt's on a connection. One without a lane cannot tell who else is there.
type place struct {
	lane   *lane
	conn   net.Conn
	joined int  // the lane's count then; 0: another one was there before
	was    bool // alone until the body had arrived
}

// join takes a place on a connection. One that cannot be told from others has no lane.
func (l *lanes) join(c net.Conn) *place {
	switch c.(type) {
	case *net.TCPConn, *tls.Conn: // others may not be comparable
	default:
		return &place{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	on := l.known[c]
	if on == nil {
		if l.known == nil {
			l.known = map[net.Conn]*lane{}
		}
		on = &lane{}
		l.known[c] = on
	}
	on.on++
	on.joined++
	p := &place{lane: on, conn: c}
	if on.on == 1 {
		p.joined = on.joined
	}
	return p
}

// alone reports whether nobody else has been on the connection since the place was taken.
func (l *lanes) alone(p *place) bool {
	if p.lane == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return p.joined == p.lane.joined
}

// leave gives a place up.
func (l *lanes) leave(p *place) {
	if p.lane == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.lane.on--; p.lane.on == 0 {
		delete(l.known, p.conn)
	}
}

// framingMost is what HTTP/2 and TLS add to a body at most, its headers included. More than that are
// bodies of others, which do not come through this Transport or which nobody observes.
func framingMost(body int64) int64 { return body/32 + 16<<10 }

// judgeShared decides at the end whether others were on the connection. The caller holds the lock.
func (a *attempt) judgeShared(all *lanes, sent int64) {
	t := &a.timeline
	if a.place == nil {
		return
	}
	t.ResponseShared = !all.alone(a.place)
	t.Shared = t.ResponseShared && !a.place.was
	if wire, known := t.WireBytes.Bytes(); t.Drained.Happened() {
		t.Shared = t.Shared || !known || wire-sent > framingMost(sent)
	}
	all.leave(a.place)
}
