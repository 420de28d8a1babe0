package overhead

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"runtime"
	"sync/atomic"
	"time"
)

// wire carries the requests of a client's measured calls, one at a time, and stamps when they are
// sent and answered. The package throughput can tell more of a request, but costs 2 µs of each:
// 5% of a call. What is needed here are four readings of the clock in memory that is there already.
//
// When a request has been sent is what the connection says, by the return of the last write: net/http
// calls the hook WroteRequest of HTTP/1 before it flushes a request without a body, which is before
// the only write. Of HTTP/2, where others than requests write, it is the hook, which comes after the
// write there.
type wire struct {
	base    *http.Transport
	http2   bool
	epoch   time.Time
	current atomic.Pointer[stamps] // of the callContext
}

// stamps are the moments of the request that is under way, since the wire's epoch; 0 for what has
// not come. Each callContext has its own, so that what comes too late is not the next one's.
type stamps struct {
	epoch   time.Time
	written atomic.Int64 // the last write of the request has returned; 0 while one goes on
	first   atomic.Int64 // the first byte of the answer was there
	asked   time.Duration
	last    time.Duration // the last piece of the answer was there
	proto   string
	conns   int  // that the request was given: more than one when net/http sent it again
	fresh   bool // the last one of these is new
}

// newWire makes base its own: nobody else may use it while a request is under way.
func newWire(base *http.Transport, http2 bool, epoch time.Time) *wire {
	w := &wire{base: base, http2: http2, epoch: epoch}
	w.renew()
	if dial := base.DialContext; !http2 {
		base.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &tap{conn, w}, nil
		}
	}
	return w
}

// renew gives the requests from here on other stamps.
func (w *wire) renew() *stamps {
	s := &stamps{epoch: w.epoch}
	w.current.Store(s)
	return s
}

// observe gives a context for the requests that are to be stamped. It is made once a callContext:
// net/http looks for hooks in any case, so that having some costs a request nothing more.
func (w *wire) observe(ctx context.Context, s *stamps) context.Context {
	hooks := &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) { // on the goroutine of the call
			s.conns++
			s.fresh = !info.Reused
		},
		GotFirstResponseByte: func() { s.first.Store(int64(s.now())) },
		// An informational response is not the answer, whose first byte net/http does not tell then.
		Got1xxResponse: func(int, textproto.MIMEHeader) error {
			s.first.Store(0)
			return nil
		},
	}
	if w.http2 {
		hooks.WroteRequest = func(httptrace.WroteRequestInfo) { s.written.Store(int64(s.now())) }
	}
	return httptrace.WithClientTrace(ctx, hooks)
}

func (s *stamps) now() time.Duration { return time.Since(s.epoch) }

// RoundTrip sends a request. Its answer is read on the goroutine of the call.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	s := w.current.Load()
	s.written.Store(0)
	s.first.Store(0)
	s.last, s.conns, s.fresh = 0, 0, false
	s.asked = s.now()
	resp, err := w.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	s.last, s.proto = s.now(), resp.Proto
	if s.first.Load() == 0 {
		s.first.Store(int64(s.last))
	}
	if resp.Body != nil && resp.Body != http.NoBody {
		resp.Body = &stampedBody{resp.Body, s}
	}
	return resp, nil
}

// stampedBody stamps the pieces of an answer's body.
type stampedBody struct {
	io.ReadCloser
	s *stamps
}

func (a *stampedBody) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if n > 0 {
		a.s.last = a.s.now()
	}
	return n, err
}

// tap stamps the writes to a connection, which of HTTP/1 are those of requests.
type tap struct {
	net.Conn
	w *wire
}

func (t *tap) Write(p []byte) (int, error) {
	s := t.w.current.Load()
	s.written.Store(0)
	n, err := t.Conn.Write(p)
	s.written.Store(int64(s.now()))
	return n, err
}

// patience bounds the wait for the end of a write. It comes within microseconds, if at all.
const patience = time.Second

// settled waits until the request is stamped as written, and reports whether it was. An answer can
// be there, and read, before the goroutine that writes the request is back from the write.
func (s *stamps) settled() bool { return s.settledBy(time.Sleep) }

// settledBy counts the time that it means to sleep: in one in which the process did not run, the write could not come
// to its end either.
func (s *stamps) settledBy(sleep func(time.Duration)) bool {
	if s.written.Load() != 0 {
		return true
	}
	runtime.Gosched()
	for slept, pause := time.Duration(0), time.Microsecond; s.written.Load() == 0; pause *= 2 {
		if slept > patience {
			return false
		}
		sleep(pause)
		slept += pause
	}
	return true
}

// away is how long there was nothing to do but to wait for the service, until the last piece of its answer: what of it
// goes for reading the pieces before that is little.
func (s *stamps) away() time.Duration { return max(0, s.last-time.Duration(s.written.Load())) }

// times are the time from the request's last byte sent to the answer's first, and the whole round
// trip from asking for a connection on. An answer that came before the write of its request had
// returned was not waited for.
func (s *stamps) times() (wait, round time.Duration) {
	return max(0, time.Duration(s.first.Load()-s.written.Load())), s.last - s.asked
}
