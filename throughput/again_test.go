package throughput

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var errBroken = errors.New("broken")

// exchanged is an exchange with a body of ten bytes, and the request as Base gets it.
func exchanged(t *testing.T, k *kept) (*exchange, *http.Request) {
	req := request(t, http.MethodPut, "http://host", strings.NewReader("0123456789"))
	x := newExchange(Wrap(nil, k), req, k)
	return x, x.outgoing(req)
}

// An attempt has failed for want of a connection when none of its dials is under way and the last one failed. It is told
// once, and a handshake that went well does not take it back.
func TestDialed(t *testing.T) {
	var r retries
	told := func(want error) {
		t.Helper()
		if got := r.dialed(); got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
	told(nil)
	r.dialBegins()
	r.dialBegins()
	r.dialEnded(errBroken)
	told(nil) // one is under way
	r.dialEnded(errBroken)
	told(errBroken)
	told(nil)
	r.dialEnded(nil) // of a dial whose begin nobody told
	r.dialBegins()
	told(nil)
	r.dialEnded(nil)
	told(nil)
	r.failed(errBroken)
	r.failed(nil)
	told(errBroken)
}

// Once RoundTrip has returned, what Base asks for is no attempt of the exchange.
func TestNoAttemptAfterTheReturn(t *testing.T) {
	for name, ends := range map[string]func(*attempt){
		"error":    func(a *attempt) { a.failed(errBroken) },
		"response": func(a *attempt) { a.responded(&http.Response{StatusCode: 200, Body: io.NopCloser(endless{})}) },
	} {
		x, _ := exchanged(t, newKept())
		x.hooks.GotConn(httptrace.GotConnInfo{})
		a := x.current.Load()
		ends(a)
		x.hooks.GetConn("host:80")
		x.hooks.GotConn(httptrace.GotConnInfo{})
		if x.current.Load() != a {
			t.Errorf("%s: an attempt after it", name)
		}
	}
}

// An end that may be that of either attempt leaves both without a moment, and the later one is done with.
func TestNobodysEnd(t *testing.T) {
	k := newKept()
	x := newExchange(Wrap(nil, k), request(t, http.MethodGet, "http://host", nil), k)
	x.outgoing(x.request)
	for range 2 {
		x.hooks.GetConn("host:80")
		x.hooks.GotConn(httptrace.GotConnInfo{Reused: true})
		x.hooks.WroteHeaders()
	}
	x.hooks.WroteRequest(httptrace.WroteRequestInfo{Err: errBroken})
	a := x.current.Load()
	if a.timeline.Err != nil || !a.requestOver || x.oldestOwing() == nil {
		t.Errorf("error %v, over %t, owing %t", a.timeline.Err, a.requestOver, x.oldestOwing() != nil)
	}
	a.responded(&http.Response{StatusCode: 200, ProtoMajor: 1, Body: http.NoBody})
	x.settle()
	for i, got := range k.wait(t, 2) {
		if got.RequestWritten.Happened() {
			t.Errorf("%d: %+v", i, got)
		}
	}
}

// A body that is none, or that cannot be had again, is handed on as the caller gave it.
func TestBodyAgain(t *testing.T) {
	for _, c := range []struct {
		body io.ReadCloser
		err  error
	}{{nil, nil}, {http.NoBody, nil}, {nil, errBroken}, {io.NopCloser(endless{}), errBroken}} {
		req := request(t, http.MethodPut, "http://host", bytes.NewReader([]byte("x")))
		req.GetBody = func() (io.ReadCloser, error) { return c.body, c.err }
		x := newExchange(Wrap(nil, newKept()), req, newKept())
		if got, err := x.outgoing(req).GetBody(); got != c.body || err != c.err {
			t.Errorf("%v, %v; want %v, %v", got, err, c.body, c.err)
		}
	}
}

// The moments of making a connection are the first of each, and none once there is one.
func TestMomentsOfDialing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, _ := exchanged(t, newKept())
		step := func(f func()) { time.Sleep(time.Second); f() }
		dial := func() {
			step(func() { x.hooks.DNSStart(httptrace.DNSStartInfo{}) })
			step(func() { x.hooks.DNSDone(httptrace.DNSDoneInfo{}) })
			step(func() { x.hooks.ConnectStart("tcp", "a") })
			step(func() { x.hooks.ConnectDone("tcp", "a", nil) })
			step(func() { x.hooks.TLSHandshakeStart() })
			step(func() { x.hooks.TLSHandshakeDone(tls.ConnectionState{}, nil) })
		}
		dial()
		dial()
		tl := &x.current.Load().timeline
		want := []Stamp{ms(1000), ms(2000), ms(3000), ms(4000), ms(5000), ms(6000)}
		got := []Stamp{tl.DNSStart, tl.DNSDone, tl.ConnectStart, tl.ConnectDone, tl.TLSStart, tl.TLSDone}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("moment %d: %v, want %v", i, got[i], want[i])
			}
		}
		x, _ = exchanged(t, newKept())
		x.hooks.GotConn(httptrace.GotConnInfo{})
		dial()
		if tl = &x.current.Load().timeline; tl.DNSStart|tl.DNSDone|tl.ConnectStart|tl.ConnectDone|tl.TLSStart|tl.TLSDone != 0 {
			t.Errorf("of a dial that went on: %+v", tl)
		}
	})
}
