package throughput

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// An exchange is one call of RoundTrip. It has one attempt, or several if net/http or another Base
// sends the request again. The hooks of httptrace are the exchange's, because
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
	retries   retries
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

func (x *exchange) dnsDone(info httptrace.DNSDoneInfo) {
	x.retries.failed(info.Err)
	x.dialing(func(t *Timeline) *Stamp { return &t.DNSDone })
}

func (x *exchange) connectStart(_, _ string) {
	x.retries.dialBegins()
	x.dialing(func(t *Timeline) *Stamp { return &t.ConnectStart })
}

func (x *exchange) connectDone(_, _ string, err error) {
	x.retries.dialEnded(err)
	if err == nil {
		x.dialing(func(t *Timeline) *Stamp { return &t.ConnectDone })
	}
}

func (x *exchange) tlsStart() {
	x.dialing(func(t *Timeline) *Stamp { return &t.TLSStart })
}

func (x *exchange) tlsDone(_ tls.ConnectionState, err error) {
	x.retries.failed(err)
	x.dialing(func(t *Timeline) *Stamp { return &t.TLSDone })
}

// getConn begins another attempt if this one already had a connection, or could not make one.
func (x *exchange) getConn(string) {
	a := x.current.Load()
	had, returned := a.progress()
	if returned {
		return
	}
	if err := x.retries.dialed(); had {
		x.again(a, nil)
	} else if err != nil {
		x.again(a, err)
	}
}

func (x *exchange) gotConn(info httptrace.GotConnInfo) {
	a := x.current.Load()
	again, returned := a.progress()
	if returned {
		return
	}
	if again { // HTTP/2 asks for a connection only once, and gets several
		a = x.again(a, nil)
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

func (x *exchange) gotFirstResponseByte() {
	if a := x.live(); a != nil {
		a.answered()
	}
}

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
