package throughput

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A retrying transport sends a request until the status is below 500, up to four times.
type retrying struct {
	base http.RoundTripper
	copy bool // of the body, which is not closed, as some do not
}

func (r *retrying) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	again := req.GetBody
	if r.copy {
		all, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		again = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(all)), nil }
	}
	for i := range 4 {
		out := req.Clone(req.Context())
		if i > 0 || r.copy {
			if out.Body, err = again(); err != nil {
				return nil, err
			}
		}
		resp, err = r.base.RoundTrip(out)
		if i == 3 || err == nil && resp.StatusCode < 500 {
			break
		}
		if err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	}
	return resp, err
}

// What Base does below the wrapper is told as what it is. How often and with what the server was
// asked is its own count.
func TestRetriedBelow(t *testing.T) {
	for _, copied := range []bool{false, true} {
		for _, close := range []bool{false, true} {
			var served, bytesServed atomic.Int64
			s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n, _ := io.Copy(io.Discard, r.Body)
				bytesServed.Add(n)
				if close {
					w.Header().Set("Connection", "close")
				}
				if served.Add(1) <= 2 {
					w.WriteHeader(http.StatusServiceUnavailable)
				}
			}))
			base := &http.Transport{}
			t.Cleanup(base.CloseIdleConnections)
			k := newKept()
			c := &http.Client{Transport: Wrap(&retrying{base: base, copy: copied}, k)}
			put(t, c, s.URL, make([]byte, 300_000))
			all := k.wait(t, 3)
			if served.Load() != 3 || bytesServed.Load() != 900_000 {
				t.Fatalf("the server had %d requests, %d bytes", served.Load(), bytesServed.Load())
			}
			for i, got := range all {
				late := copied && !got.RequestWritten.Happened() // what net/http says when RoundTrip is over
				if got.Attempt != i+1 || got.RequestBytes != 300_000 && !late || got.Copied != copied ||
					!got.FirstResponseByte.Happened() ||
					got.WriteQuality() == Aborted || (got.WriteQuality() == Unseen) != copied {
					t.Errorf("copied %v: %s %+v", copied, got.WriteQuality(), got)
				}
				if _, ok := got.TTFB(); !ok {
					t.Error("there was a first byte")
				}
				_, handed := got.WriteThroughputHandoff()
				if _, ok := got.WriteThroughputDelivered(); copied && (handed || ok) {
					t.Error("a rate of a copy that nobody saw")
				}
				if i < 2 {
					if !errors.Is(got.Err, ErrRetried) || errors.Is(got.Err, ErrResent) || got.Status != 0 {
						t.Errorf("%d: %v, status %d", i, got.Err, got.Status)
					}
				} else if got.Err != nil || got.Status != 200 {
					t.Errorf("%v, status %d", got.Err, got.Status)
				}
			}
		}
	}
}

// The pause of a transport that retries is no part of an attempt.
func TestPauseOfBase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKept()
		req := request(t, http.MethodPut, "http://host", strings.NewReader("x"))
		x := newExchange(Wrap(nil, k), req, k)
		out := x.outgoing(req)
		here, there := net.Pipe()
		defer func() { _ = here.Close(); _ = there.Close() }()
		for range 2 {
			x.hooks.GetConn("host:80")
			x.hooks.GotConn(httptrace.GotConnInfo{Conn: here})
			x.hooks.WroteHeaders()
			_, _ = io.Copy(io.Discard, out.Body)
			_ = out.Body.Close()
			x.hooks.WroteRequest(httptrace.WroteRequestInfo{})
			time.Sleep(time.Second)
			x.hooks.GotFirstResponseByte()
			time.Sleep(time.Hour)
			out.Body, _ = out.GetBody()
		}
		x.current.Load().responded(&http.Response{StatusCode: 200, ProtoMajor: 1, Body: http.NoBody})
		if ended, _ := k.wait(t, 2)[0].Ended.Offset(); ended != time.Second {
			t.Errorf("answered after a second, ended after %v", ended)
		}
	})
}

// Dials that failed are attempts of their own, also where Base gives up in the end, and whatever it
// does with the body.
func TestDialedAgain(t *testing.T) {
	for _, copied := range []bool{false, true} {
		for _, refused := range []int64{2, 9} {
			s := serve(t, swallow(0))
			var dials atomic.Int64
			base := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				if dials.Add(1) <= refused {
					address = "127.0.0.1:1" // nobody listens there
				}
				return (&net.Dialer{}).DialContext(ctx, network, address)
			}}
			k := newKept()
			c := &http.Client{Transport: Wrap(&retrying{base: base, copy: copied}, k)}
			resp, err := c.Do(request(t, http.MethodPut, s.URL, bytes.NewReader(make([]byte, 1000))))
			if (err == nil) != (refused == 2) {
				t.Fatal(err)
			}
			n := 4
			if err == nil {
				_ = resp.Body.Close()
				n = 3
			}
			for i, got := range k.wait(t, n) {
				if got.Attempt != i+1 {
					t.Errorf("attempt %d as number %d", got.Attempt, i+1)
				}
				var why *net.OpError
				if i < n-1 && (!errors.Is(got.Err, ErrRetried) || !errors.As(got.Err, &why)) {
					t.Errorf("copied %v, %d refused: %v of %+v", copied, refused, got.Err, got)
				}
				if failed := int64(i) < refused; failed == got.ConnectDone.Happened() || !got.ConnectStart.Happened() ||
					failed && got.WriteQuality() != Aborted {
					t.Errorf("refused %v: %s %+v", failed, got.WriteQuality(), got)
				}
			}
			base.CloseIdleConnections()
		}
	}
}

// An answer that comes before all of the body was sent ends the attempt for Base, and net/http is
// done with the request only when the next one is on its way: that is not the next one's end.
func TestLateEndOfARequest(t *testing.T) {
	k := newKept()
	rt := Wrap(nil, k)
	req := request(t, http.MethodPut, "http://host", bytes.NewReader(make([]byte, 1000)))
	x := newExchange(rt, req, k)
	out := x.outgoing(req)
	here, there := net.Pipe()
	defer func() { _ = here.Close(); _ = there.Close() }()
	begin := func() {
		x.hooks.GetConn("host:80")
		x.hooks.GotConn(httptrace.GotConnInfo{Conn: here})
		x.hooks.WroteHeaders()
	}
	first := out.Body
	begin()
	_, _ = io.ReadFull(first, make([]byte, 500))
	x.hooks.GotFirstResponseByte()
	second, err := out.GetBody()
	if err != nil {
		t.Fatal(err)
	}
	begin()
	_, _ = io.ReadFull(second, make([]byte, 500))
	_ = first.Close()
	x.hooks.WroteRequest(httptrace.WroteRequestInfo{Err: errors.New("closed")})
	if x.current.Load().timeline.RequestWritten.Happened() || x.current.Load().requestOver {
		t.Error("the end of the first is that of the second")
	}
	_, _ = io.Copy(io.Discard, second)
	_ = second.Close()
	x.hooks.WroteRequest(httptrace.WroteRequestInfo{})
	x.hooks.GotFirstResponseByte()
	resp := &http.Response{StatusCode: 200, ProtoMajor: 1, Body: http.NoBody}
	x.current.Load().responded(resp)
	all := k.wait(t, 2)
	if all[0].RequestBytes != 500 || !errors.Is(all[0].Err, ErrRetried) || all[0].WriteQuality() != Aborted {
		t.Errorf("%+v", all[0])
	}
	if all[1].RequestBytes != 1000 || all[1].Err != nil || !all[1].RequestWritten.Happened() {
		t.Errorf("%+v", all[1])
	}
}

// A redirect that Base follows by itself is told as another request of it.
func TestRedirectBelow(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/there", http.StatusFound)
		}
	}))
	defer s.Close()
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	inner := &http.Client{Transport: base}
	k := newKept()
	c := &http.Client{Transport: Wrap(roundTrip(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.RequestURI = ""
		return inner.Do(r)
	}), k)}
	send(t, c, request(t, http.MethodGet, s.URL+"/", nil))
	all := k.wait(t, 2)
	if !errors.Is(all[0].Err, ErrRetried) || all[0].ReadQuality() != Unseen || all[1].Err != nil {
		t.Errorf("%+v %+v", all[0], all[1])
	}
}
