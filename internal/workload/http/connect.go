package http

import (
	"cmp"
	"context"
	"net/http/httptrace"
	"slices"
	"sync"
	"time"

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

// stages are those of making one connection.
type stages struct {
	began, asked, found time.Time // the name's lookup is from asked to found; zero: there was none
	connected           time.Time
	tunnel              time.Time // through a proxy; zero: there is none
	secured             time.Time // zero: without TLS
}

// watch has the lookup of a name noted.
func (s *stages) watch(ctx context.Context) context.Context {
	s.began = time.Now()
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { s.asked = time.Now() },
		DNSDone:  func(httptrace.DNSDoneInfo) { s.found = time.Now() },
	})
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
	from := s.began
	if !s.found.IsZero() {
		c.lookup.Add(int64(s.found.Sub(s.asked)))
		from = s.found
	}
	c.tcp.Add(int64(s.connected.Sub(from)))
	from = s.connected
	if !s.tunnel.IsZero() {
		c.proxy.Add(int64(s.tunnel.Sub(from)))
		from = s.tunnel
	}
	if !s.secured.IsZero() {
		c.tls.Add(int64(s.secured.Sub(from)))
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
