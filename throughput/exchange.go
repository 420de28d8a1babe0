package throughput

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// ErrResent is the error of an attempt whose request net/http sent again by itself, because
// the connection was gone before the answer began.
var ErrResent = errors.New("throughput: the connection was lost and the request sent again")

// An exchange is one call of RoundTrip. It has one attempt, or several if net/http sends the
// request again on another connection. The hooks of httptrace are the exchange's, because
// they cannot be exchanged half-way, and lead to the current attempt.
type exchange struct {
	transport *Transport
	observers Observer
	ctx       context.Context // stored context: the request's, for observers; a caller may give the request another
	request   *http.Request   // only to label the timelines, before RoundTrip returns
	hasBody   bool
	current   atomic.Pointer[attempt]
	hooks     httptrace.ClientTrace
	firstBody requestBody
}

func newExchange(t *Transport, req *http.Request, o Observer) *exchange {
	x := &exchange{
		transport: t, observers: o, ctx: req.Context(), request: req,
		hasBody: req.Body != nil && req.Body != http.NoBody,
	}
	x.beginAttempt(1)
	return x
}

// outgoing is the request as Base gets it. It is a shallow copy: Proto and all else that
// nobody asked to change stays, and http.NoBody stays itself, which net/http looks for.
func (x *exchange) outgoing(req *http.Request) *http.Request {
	x.hooks = httptrace.ClientTrace{
		GetConn:              x.getConn,
		GotConn:              x.gotConn,
		DNSStart:             x.dnsStart,
		DNSDone:              x.dnsDone,
		ConnectStart:         x.connectStart,
		ConnectDone:          x.connectDone,
		TLSHandshakeStart:    x.tlsStart,
		TLSHandshakeDone:     x.tlsDone,
		WroteHeaders:         x.wroteHeaders,
		Got100Continue:       x.continued,
		Got1xxResponse:       x.informational,
		WroteRequest:         x.wroteRequest,
		GotFirstResponseByte: x.gotFirstResponseByte,
	}
	out := req.WithContext(httptrace.WithClientTrace(req.Context(), &x.hooks))
	if !x.hasBody {
		return out
	}
	out.Body = x.body(req.Body)
	if rewind := req.GetBody; rewind != nil {
		out.GetBody = func() (io.ReadCloser, error) {
			b, err := rewind()
			if err != nil || b == nil || b == http.NoBody {
				return b, err
			}
			return x.body(b), nil
		}
	}
	return out
}

// dialing stamps a moment of making a connection.
func (x *exchange) dialing(which func(*Timeline) *Stamp) {
	a := x.current.Load()
	if !a.lock() {
		return
	}
	defer a.mu.Unlock()
	// Only the first time: with two families of addresses there are two of some. And a dial
	// that goes on after the attempt got another connection is none of its business.
	s := which(&a.timeline)
	if !a.timeline.ConnectionGot.Happened() && !s.Happened() {
		*s = a.now()
	}
}

func (x *exchange) dnsStart(httptrace.DNSStartInfo) {
	x.dialing(func(t *Timeline) *Stamp { return &t.DNSStart })
}

func (x *exchange) dnsDone(httptrace.DNSDoneInfo) {
	x.dialing(func(t *Timeline) *Stamp { return &t.DNSDone })
}

func (x *exchange) connectStart(_, _ string) {
	x.dialing(func(t *Timeline) *Stamp { return &t.ConnectStart })
}

func (x *exchange) connectDone(_, _ string, err error) {
	if err == nil {
		x.dialing(func(t *Timeline) *Stamp { return &t.ConnectDone })
	}
}

func (x *exchange) tlsStart() {
	x.dialing(func(t *Timeline) *Stamp { return &t.TLSStart })
}

func (x *exchange) tlsDone(tls.ConnectionState, error) {
	x.dialing(func(t *Timeline) *Stamp { return &t.TLSDone })
}

// getConn begins another attempt if this one already had a connection.
func (x *exchange) getConn(string) {
	a := x.current.Load()
	if had, _ := a.progress(); had {
		x.again(a)
	}
}

// progress reports whether the attempt has had a connection, and whether RoundTrip has returned.
// What comes after that is no attempt of this exchange.
func (a *attempt) progress() (had, returned bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	returned = a.gaveUp || a.responseRead.Happened()
	return !returned && a.timeline.ConnectionGot.Happened(), returned
}

func (x *exchange) again(a *attempt) *attempt {
	next := x.beginAttempt(a.timeline.Attempt + 1)
	if !a.sent.first.get().Happened() { // a body that it has not touched is the next one's
		a.closedBody()
	}
	a.failed(ErrResent)
	return next
}

func (x *exchange) gotConn(info httptrace.GotConnInfo) {
	a := x.current.Load()
	again, returned := a.progress()
	if returned {
		return
	}
	if again { // HTTP/2 asks for a connection only once, and gets several
		a = x.again(a)
	}
	a.connected(info)
}

func (x *exchange) wroteHeaders() {
	a := x.current.Load()
	if !a.lock() {
		return
	}
	defer a.mu.Unlock()
	if !a.timeline.WroteHeaders.Happened() {
		a.timeline.WroteHeaders = a.now()
	}
}

func (x *exchange) wroteRequest(info httptrace.WroteRequestInfo) { x.current.Load().wrote(info.Err) }

func (x *exchange) gotFirstResponseByte() { x.current.Load().answered() }

// beginAttempt makes an attempt the current one. Its start is read once by both clocks.
func (x *exchange) beginAttempt(number int) *attempt {
	a := &attempt{exchange: x}
	a.sent.start = time.Now()
	req := x.request
	t := &a.timeline
	t.Started, t.Method, t.Attempt, t.HasBody, t.ContentLength = a.sent.start, req.Method, number, x.hasBody,
		req.ContentLength
	if t.Method == "" {
		t.Method = http.MethodGet
	}
	if x.hasBody && t.ContentLength == 0 {
		t.ContentLength = -1 // so net/http understands a body without a length
	}
	if req.URL != nil {
		t.Scheme, t.Host = req.URL.Scheme, req.URL.Host
	}
	t.DecodedBytes = decodedLength(req.Header)
	x.current.Store(a)
	return a
}
