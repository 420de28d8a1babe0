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

// paths are the ways to the addresses that connections lead to, with the port, as behind each port of one
// address there may be another machine, and from the own address, as each interface has its way. A
// connection that was opened while others filled the queue on the way knows no round trip without it, and its own
// smallest one would be taken for that of an empty path. What two other such connections have seen comes nearer.
// One alone is not believed, as what one has wrong, all would have, nor is it ignored: it is in the error.
type paths struct {
	mu    sync.Mutex
	known map[ends]*path
}

type ends struct {
	local  netip.Addr
	remote netip.AddrPort
}

type path struct {
	mu    sync.Mutex
	least [2]shortest // the smallest of two connections, in order
}

// shortest is the smallest round trip of a connection, which is known by its own port.
type shortest struct {
	port uint16
	rtt  time.Duration // 0: none is known
	seen time.Time     // the last time that the connection said so
}

// of returns the path of a connection and its port, or nil if its address is none of the internet's.
func (p *paths) of(c net.Conn) (*path, uint16) {
	remote, _ := c.RemoteAddr().(*net.TCPAddr)
	local, _ := c.LocalAddr().(*net.TCPAddr)
	if remote == nil || local == nil {
		return nil, 0
	}
	from := local.AddrPort()
	way, port := ends{from.Addr(), remote.AddrPort()}, from.Port()
	p.mu.Lock()
	defer p.mu.Unlock()
	if found := p.known[way]; found != nil {
		return found, port
	}
	if len(p.known) >= mostPaths { // a client of so many servers has each for a short time
		clear(p.known)
	}
	if p.known == nil {
		p.known = map[ends]*path{}
	}
	p.known[way] = &path{}
	return p.known[way], port
}

// leastRTT takes the smallest round trip of a connection, and returns what that of the path is to be taken for, and
// how far this may be off to either side: where one other connection alone has seen a smaller one, it is the middle.
func (w *watch) leastRTT(own time.Duration) (rtt, off time.Duration) {
	p := w.path
	if p == nil || own <= 0 {
		return own, 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	for i, r := range p.least {
		if r.port == w.port || now.Sub(r.seen) > rttLasts {
			p.least[i] = shortest{}
		}
	}
	if p.least[0].rtt == 0 { // or what is below would push the other one out for nothing
		p.least[0], p.least[1] = p.least[1], shortest{}
	}
	mine := shortest{w.port, own, now}
	for i, r := range p.least {
		if r.rtt == 0 || mine.rtt < r.rtt {
			p.least[i], mine = mine, r
		}
	}
	if second := p.least[1].rtt; second > 0 {
		own = min(own, second)
	}
	off = (own - p.least[0].rtt) / 2
	return own - off, off
}
