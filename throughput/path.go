package throughput

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// How many paths are known, and for how long the smallest round trip of one counts: the kernel
// forgets that of a connection after as long.
const (
	mostPaths = 256
	rttLasts  = 5 * time.Minute
)

// paths are the ways to the addresses that connections lead to. A connection that was opened while
// others filled the queue on the way knows no round trip without it, and its own smallest one would
// be taken for that of an empty path. The smallest of all that lead to the same address comes nearer.
type paths struct {
	mu    sync.Mutex
	known map[netip.Addr]*path
}

type path struct {
	mu    sync.Mutex
	least time.Duration // 0: none is known
	seen  time.Time     // the last time that a connection said so
}

// of returns the path of a connection, or nil if its address is none of the internet's.
func (p *paths) of(c net.Conn) *path {
	remote, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok || remote == nil {
		return nil
	}
	addr := remote.AddrPort().Addr()
	p.mu.Lock()
	defer p.mu.Unlock()
	if found := p.known[addr]; found != nil {
		return found
	}
	if len(p.known) >= mostPaths { // a client of so many servers has each for a short time
		clear(p.known)
	}
	if p.known == nil {
		p.known = map[netip.Addr]*path{}
	}
	p.known[addr] = &path{}
	return p.known[addr]
}

// leastRTT takes the smallest round trip of a connection, and returns that of its path.
func (w *watch) leastRTT(own time.Duration) time.Duration {
	p := w.path
	if p == nil || own <= 0 {
		return own
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.least <= 0 || own <= p.least || now.Sub(p.seen) > rttLasts {
		p.least, p.seen = own, now
	}
	return p.least
}
