package throughput

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"testing"
	"time"
)

// What Base answers is handed on as it is, but that the response is of the caller's request if it was of the one that
// Base got.
func TestTransportHandsOn(t *testing.T) {
	another := request(t, http.MethodGet, "http://elsewhere", nil)
	for _, c := range []struct {
		name   string
		answer func(got *http.Request) (*http.Response, error)
		err    error
		none   bool
		of     *http.Request // nil: the caller's
	}{
		{"a response", func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Request: r}, nil
		}, nil, false, nil},
		{"that of another request", func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Request: another}, nil
		}, nil, false, another},
		{"an error", func(*http.Request) (*http.Response, error) { return nil, errBroken }, errBroken, true, nil},
		{"an error with a response", func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Request: another}, errBroken
		}, errBroken, false, another},
		{"neither", func(*http.Request) (*http.Response, error) { return nil, nil }, nil, true, nil},
	} {
		k := newKept()
		req := request(t, http.MethodGet, "http://host", nil)
		var got *http.Request
		resp, err := Wrap(roundTrip(func(r *http.Request) (*http.Response, error) {
			got = r
			return c.answer(r)
		}), k).RoundTrip(req)
		want := c.of
		if want == nil {
			want = req
		}
		if !errors.Is(err, c.err) || (resp == nil) != c.none || resp != nil && resp.Request != want || got == req {
			t.Errorf("%s: %v, %v", c.name, resp, err)
		}
		if tl := k.wait(t, 1)[0]; !errors.Is(tl.Err, c.err) || (tl.Status == 200) != (c.err == nil && !c.none) {
			t.Errorf("%s: %+v", c.name, tl)
		}
	}
}

// A request that nobody observes, and none at all, go to Base as they are.
func TestTransportOfWhatNobodyObserves(t *testing.T) {
	req := request(t, http.MethodPut, "http://host", strings.NewReader("x"))
	for _, c := range []struct {
		observer Observer
		req      *http.Request
	}{{nil, req}, {nil, nil}, {newKept(), nil}} {
		answer := &http.Response{StatusCode: 200}
		var got *http.Request
		rt := Wrap(roundTrip(func(r *http.Request) (*http.Response, error) { got = r; return answer, errBroken }), c.observer)
		if resp, err := rt.RoundTrip(c.req); got != c.req || resp != answer || err != errBroken {
			t.Errorf("%v: Base got %v, and the answer is %v, %v", c.req, got, resp, err)
		}
	}
}

type idle struct {
	http.RoundTripper
	closed int
}

func (i *idle) CloseIdleConnections() { i.closed++ }

// Idle connections are those of Base, if it has any.
func TestTransportClosesIdleConnections(t *testing.T) {
	base := &idle{}
	Wrap(base, nil).CloseIdleConnections()
	Wrap(roundTrip(nil), nil).CloseIdleConnections()
	if base.closed != 1 {
		t.Errorf("closed %d times", base.closed)
	}
	var none *Transport
	for _, rt := range []*Transport{none, {}, Wrap(nil, nil)} {
		if rt.base() != http.DefaultTransport {
			t.Errorf("the base is %v", rt.base())
		}
	}
}

// The transport's own observer is told first, and then that of the context; a list in a list is one, and nothing in it
// nobody. Who panics keeps nobody from being told.
func TestTransportTellsAll(t *testing.T) {
	var told []string
	says := func(name string) Observer {
		return ObserverFunc(func(context.Context, *Timeline) { told = append(told, name) })
	}
	panics := ObserverFunc(func(context.Context, *Timeline) { panic("mine") })
	ctx := context.Background()
	with := WithObserver(ctx, says("inner"))
	for _, c := range []struct {
		rt   *Transport
		ctx  context.Context
		want []string
	}{
		{nil, ctx, nil}, {&Transport{}, ctx, nil}, {nil, with, []string{"inner"}}, {&Transport{}, with, []string{"inner"}},
		{Wrap(nil, says("outer")), ctx, []string{"outer"}}, {Wrap(nil, says("outer")), with, []string{"outer", "inner"}},
		{Wrap(nil, Observers{nil, panics, Observers{nil, says("one")}, says("two")}), with, []string{"one", "two", "inner"}},
	} {
		told = nil
		o := c.rt.observersOf(c.ctx)
		if (o == nil) != (c.want == nil) {
			t.Errorf("%v are to be told, and it is %v", c.want, o)
		} else if o != nil {
			(&Transport{}).notify(c.ctx, o, &Timeline{})
		}
		if !slices.Equal(told, c.want) {
			t.Errorf("%v were told, not %v", told, c.want)
		}
	}
	var caught []any
	(&Transport{OnPanic: func(v any) { caught = append(caught, v) }}).notify(ctx, Observers{says("one"), panics}, nil)
	if !slices.Equal(caught, []any{"mine"}) {
		t.Errorf("caught %v", caught)
	}
}

// A system naps by itself unless it is told how.
func TestTransportNaps(t *testing.T) {
	var napped time.Duration
	system{nap: func(d time.Duration) { napped = d }}.sleep(time.Hour)
	if napped != time.Hour {
		t.Errorf("napped %v", napped)
	}
	system{}.sleep(1)
}

// A request that was sent again has told of the attempt before when RoundTrip returns: nobody may ever say that a
// connection is gone.
func TestTransportSettlesTheAttemptsBefore(t *testing.T) {
	k := newKept()
	rt := Wrap(roundTrip(func(r *http.Request) (*http.Response, error) {
		trace := httptrace.ContextClientTrace(r.Context())
		for range 2 {
			trace.GetConn("host:80")
			trace.GotConn(httptrace.GotConnInfo{Conn: remote{}, Reused: true})
			trace.WroteHeaders()
		}
		return &http.Response{StatusCode: 200, ProtoMajor: 1, Body: http.NoBody}, nil
	}), k)
	if _, err := rt.RoundTrip(request(t, http.MethodGet, "http://host", nil)); err != nil {
		t.Fatal(err)
	}
	if got := k.wait(t, 1)[0]; got.Attempt != 1 || !errors.Is(got.Err, ErrResent) {
		t.Errorf("%+v", got)
	}
}

// A socket is asked by the system that the program runs on, unless another one is given.
func TestTransportAsksTheSystem(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if system, own := (system{}).probe(c), newProber(c); (system == nil) != (own == nil) {
		t.Errorf("asked for its queue by %v, not %v", system, own)
	}
	if system, own := (system{}).peek(c), newPeeker(c); (system == nil) != (own == nil) {
		t.Errorf("asked for what has come by %v, not %v", system, own)
	}
}

// A body is one that is there and not known to be empty; of no known length, its length is unknown. Where a request
// went is known if it says so.
func TestExchangeLabelsItsAttempts(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*http.Request)
		want Timeline
	}{
		{"a body", func(*http.Request) {}, Timeline{HasBody: true, ContentLength: 4}},
		{"of no known length", func(r *http.Request) { r.ContentLength = -1 }, Timeline{HasBody: true, ContentLength: -1}},
		{"without a length", func(r *http.Request) { r.ContentLength = 0 }, Timeline{HasBody: true, ContentLength: -1}},
		{"of a byte", func(r *http.Request) { r.ContentLength = 1 }, Timeline{HasBody: true, ContentLength: 1}},
		{"no body", func(r *http.Request) { r.Body, r.ContentLength = nil, 0 }, Timeline{}},
		{"an empty body", func(r *http.Request) { r.Body, r.ContentLength = http.NoBody, 0 }, Timeline{}},
	} {
		req := request(t, http.MethodPut, "https://host:1/path?query", strings.NewReader("text"))
		c.edit(req)
		x := newExchange(&Transport{}, req, newKept())
		got, want := x.current.Load().timeline, c.want
		want.Started, want.Method, want.Scheme, want.Host, want.Attempt = got.Started, "PUT", "https", "host:1", 1
		if got != want || x.hasBody != want.HasBody || got.Started.IsZero() {
			t.Errorf("%s: %+v", c.name, &got)
		}
		out := x.outgoing(req)
		if (out.Body == req.Body) == want.HasBody || (out.GetBody == nil) != (req.GetBody == nil) {
			t.Errorf("%s: the body became %v", c.name, out.Body)
		}
	}
	req := request(t, "", "http://host", nil)
	req.URL = nil
	if got := newExchange(&Transport{}, req, nil).current.Load().timeline; got.Host != "" || got.Method != http.MethodGet {
		t.Errorf("%+v", &got)
	}
	req = request(t, http.MethodPut, "http://host", strings.NewReader("text"))
	req.GetBody = nil
	if out := newExchange(&Transport{}, req, nil).outgoing(req); out.GetBody != nil {
		t.Error("the body cannot be had again")
	}
}
