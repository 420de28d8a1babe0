package throughput

import (
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"testing"
	"testing/synctest"
	"time"
)

// An answer that is not the final one ends the looks no more than for that moment: the body may still be under way.
func TestLooksGoOnAfterEarlyHints(t *testing.T) {
	for _, hint := range []time.Duration{time.Millisecond / 2, 3 * time.Millisecond, 20 * time.Millisecond, 70 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			m := &model{size: 1 << 20, buffer: 4 << 20, rate: 12.5e6, rtt: time.Millisecond, lump: 1448}
			base := roundTrip(func(r *http.Request) (*http.Response, error) {
				trace := httptrace.ContextClientTrace(r.Context())
				here, there := net.Pipe()
				defer func() { _ = here.Close(); _ = there.Close() }()
				trace.GotConn(httptrace.GotConnInfo{Conn: here})
				m.start = time.Now()
				m.written, _ = io.Copy(io.Discard, struct{ io.Reader }{r.Body})
				_ = r.Body.Close()
				trace.WroteRequest(httptrace.WroteRequestInfo{})
				time.Sleep(hint)
				trace.GotFirstResponseByte()
				_ = trace.Got1xxResponse(http.StatusEarlyHints, textproto.MIMEHeader{})
				time.Sleep(150*time.Millisecond - hint)
				trace.GotFirstResponseByte()
				return &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Body: http.NoBody, Request: r}, nil
			})
			k := newKept()
			rt := Wrap(base, k)
			rt.system = system{prober: func(net.Conn) prober { return m }, nap: time.Sleep}
			req := request(t, http.MethodPut, "http://model", io.LimitReader(endless{}, m.size))
			req.ContentLength = m.size
			if _, err := rt.RoundTrip(req); err != nil {
				t.Fatal(err)
			}
			if got := k.wait(t, 1)[0]; got.WriteQuality() != OK {
				t.Errorf("hinted after %v: %s, %d polls: %+v", hint, got.WriteQuality(), got.Polls, got)
			}
		})
	}
}
