package web

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// patience is how long a request has its place to itself: one that has had it for longer gives way when all are taken.
const patience = time.Second

// places bound the requests that are answered at a time, so that slow clients take them from nobody: when all are
// taken, or half of them by one address, a request that comes gets the place of the one that has had it longest. A page
// that listens to events and has to give way comes again by itself.
type places struct {
	most int

	mu     sync.Mutex
	inside map[*visit]bool
}

// visit is a request that has a place.
type visit struct {
	from  string // the client's address
	since time.Time
	end   func()
}

func newPlaces(most int) *places { return &places{most: most, inside: map[*visit]bool{}} }

// enter takes a place. The request that is returned ends early when it has to give way; leave gives the place back.
func (p *places) enter(w http.ResponseWriter, r *http.Request) (in *http.Request, leave func(), ok bool) {
	ctx, cancel := context.WithCancel(r.Context())
	writing := http.NewResponseController(w)
	v := &visit{from: r.RemoteAddr, since: time.Now(), end: func() {
		cancel()
		_ = writing.SetWriteDeadline(time.Now()) // what is being written to a client that does not read ends, too
	}}
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		v.from = host
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.room(v) {
		cancel()
		return nil, nil, false
	}
	p.inside[v] = true
	return r.WithContext(ctx), func() {
		cancel()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.inside, v)
	}, true
}

// room makes room for one more, if need be and if any has had its place for long enough. It needs mu.
func (p *places) room(next *visit) bool {
	var own int
	var longest, longestOwn *visit
	for v := range p.inside {
		if longest == nil || v.since.Before(longest.since) {
			longest = v
		}
		if v.from != next.from {
			continue
		}
		own++
		if longestOwn == nil || v.since.Before(longestOwn.since) {
			longestOwn = v
		}
	}
	switch {
	case own >= p.most/2:
		longest = longestOwn
	case len(p.inside) < p.most:
		return true
	}
	if next.since.Sub(longest.since) < patience {
		return false
	}
	delete(p.inside, longest)
	longest.end()
	return true
}
