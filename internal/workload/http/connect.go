package http

import (
	"cmp"
	"slices"
	"sync"

	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/rundoc"
)

// connecting is what is known of all connections that were made, those of the warm-up too, as the engine counts them.
type connecting struct {
	lookup, tcp, proxy, tls *record.Ordered

	mu        sync.Mutex
	addresses map[string]int64
	others    int64 // connections to further addresses
	streams   int64 // the fewest concurrent streams that a server allowed, if below the pipeline; 0: none did
}

// mostAddresses bounds how many of a service's are told apart.
const mostAddresses = 32

func newConnecting() *connecting {
	return &connecting{
		lookup: record.NewOrdered(), tcp: record.NewOrdered(), proxy: record.NewOrdered(),
		tls: record.NewOrdered(), addresses: map[string]int64{},
	}
}

// allowed notes how many concurrent streams a server allows to a client that may have so many requests in flight.
func (c *connecting) allowed(streams int64, pipeline int) {
	if streams >= int64(pipeline) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streams == 0 || streams < c.streams {
		c.streams = max(1, streams)
	}
}

// made counts a connection that is used from here on.
func (c *connecting) made(l *link) {
	s := &l.stages
	from := s.Began
	if !s.Found.IsZero() {
		c.lookup.Add(int64(s.Found.Sub(s.Asked)))
		from = s.Found
	}
	c.tcp.Add(int64(s.Connected.Sub(from)))
	from = s.Connected
	if !s.Tunnel.IsZero() {
		c.proxy.Add(int64(s.Tunnel.Sub(from)))
		from = s.Tunnel
	}
	if !s.Secured.IsZero() {
		c.tls.Add(int64(s.Secured.Sub(from)))
	}
	to := l.RemoteAddr().String()
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.addresses[to]; !known && len(c.addresses) == mostAddresses {
		c.others++
		return
	}
	c.addresses[to]++
}

// document is what is told of them; nil when there were none.
func (c *connecting) document() (*rundoc.HTTPConnecting, error) {
	d := &rundoc.HTTPConnecting{MoreAddresses: c.others}
	for _, stage := range []struct {
		of *record.Ordered
		to **rundoc.Summary
	}{{c.lookup, &d.Lookup}, {c.tcp, &d.TCP}, {c.proxy, &d.Proxy}, {c.tls, &d.TLS}} {
		var err error
		if *stage.to, err = stage.of.Summary(); err != nil {
			return nil, err
		}
	}
	if d.TCP == nil {
		return nil, nil
	}
	for address, n := range c.addresses {
		d.Addresses = append(d.Addresses, rundoc.HTTPAddress{Address: address, Connections: n})
	}
	slices.SortFunc(d.Addresses, func(a, b rundoc.HTTPAddress) int {
		return cmp.Or(cmp.Compare(b.Connections, a.Connections), cmp.Compare(a.Address, b.Address))
	})
	return d, nil
}
