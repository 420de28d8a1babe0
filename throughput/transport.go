package throughput

import (
	"context"
	"net"
	"net/http"
	"time"
)

// A Transport is an http.RoundTripper that hands each request to another one and observes
// what becomes of it. It changes nothing that the server sees, except that the headers of a
// request whose body is small and in memory are no longer in one packet with it: net/http
// joins them only for bodies of types that it knows.
//
// The zero Transport, and a nil one, use http.DefaultTransport and observe nothing but what
// WithObserver asks for. The fields must not be changed while the Transport is in use.
type Transport struct {
	// Base sends the requests: the transport that has the connections, and what retries or follows
	// redirects around the Transport, not in it. Nil means http.DefaultTransport. It must use the hooks of
	// net/http/httptrace, as all that are built on net/http do, or there are no stamps of the
	// connection and no delivered rate.
	Base http.RoundTripper

	// Observer gets the timelines, beside those that WithObserver put into the context of a
	// request. A request that nobody observes goes to Base as it is.
	Observer Observer

	// OnPanic gets what an observer panicked with. Such a panic never breaks the request nor
	// keeps the other observers from their timeline: without OnPanic it is dropped.
	OnPanic func(value any)

	system system
	first  firstLooks
	paths  paths
	lanes  lanes
}

// system is what differs between operating systems and in tests. The zero system is the one
// that the program runs on.
type system struct {
	prober func(net.Conn) prober
	peeker func(net.Conn) peeker
	nap    func(time.Duration)
}

func (s system) probe(c net.Conn) prober {
	if s.prober != nil {
		return s.prober(c)
	}
	return newProber(c)
}

func (s system) sleep(d time.Duration) {
	if s.nap != nil {
		s.nap(d)
		return
	}
	nap(d)
}

// Wrap returns a Transport that observes the requests of base.
func Wrap(base http.RoundTripper, o Observer) *Transport {
	return &Transport{Base: base, Observer: o}
}

// RoundTrip sends the request with Base. It fulfils the contract of http.RoundTripper: the
// request is not changed, its body is closed, and the response is that of Base but for its
// body. That has to be read to the end or closed, as ever; the timeline is finished then.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	base := t.base()
	if req == nil {
		return base.RoundTrip(req)
	}
	observers := t.observersOf(req.Context())
	if observers == nil {
		return base.RoundTrip(req)
	}
	if t == nil {
		t = &Transport{}
	}
	x := newExchange(t, req, observers)
	out := x.outgoing(req)
	resp, err := base.RoundTrip(out)
	a := x.current.Load()
	if a.timeline.Attempt > 1 {
		x.settle()
	}
	if err != nil || resp == nil {
		a.failed(err)
		return resp, err
	}
	if resp.Request == out {
		resp.Request = req
	}
	a.responded(resp)
	return resp, nil
}

// CloseIdleConnections closes those of Base, if it can. http.Client calls it.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.base().(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

func (t *Transport) base() http.RoundTripper {
	if t == nil || t.Base == nil {
		return http.DefaultTransport
	}
	return t.Base
}

func (t *Transport) observersOf(ctx context.Context) Observer {
	inner := observerOf(ctx)
	switch {
	case t == nil || t.Observer == nil:
		return inner
	case inner == nil:
		return t.Observer
	}
	return Observers{t.Observer, inner}
}

// notify calls an observer and catches its panic.
func (t *Transport) notify(ctx context.Context, o Observer, timeline *Timeline) {
	if list, ok := o.(Observers); ok {
		for _, each := range list {
			if each != nil {
				t.notify(ctx, each, timeline)
			}
		}
		return
	}
	defer func() {
		if value := recover(); value != nil && t.OnPanic != nil {
			t.OnPanic(value)
		}
	}()
	o.Observe(ctx, timeline)
}
