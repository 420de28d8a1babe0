package throughput

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"testing"
	"testing/synctest"
	"time"
)

// The queue of a socket below a layer that has a queue of its own says nothing while less was acknowledged than
// the body has.
func TestQueueAboveTheSocket(t *testing.T) {
	for acked, want := range map[int64]bool{300_100: true, 299_900: false} {
		synctest.Test(t, func(t *testing.T) {
			k := newKept()
			req := request(t, http.MethodPut, "http://host", bytes.NewReader(make([]byte, 300_000)))
			rt := Wrap(nil, k)
			looks := 0
			rt.system = system{nap: time.Sleep, prober: func(net.Conn) prober {
				return probing(func() look {
					looks++
					if looks == 1 {
						return look{acked: 1000, minRTT: time.Microsecond}
					}
					return look{queue: max(50_000-int64(looks)*10_000, 0), acked: 1000 + acked, minRTT: time.Microsecond}
				})
			}}
			x := newExchange(rt, req, k)
			out := x.outgoing(req)
			here, there := net.Pipe()
			defer func() { _ = here.Close(); _ = there.Close() }()
			x.hooks.GotConn(httptrace.GotConnInfo{Conn: here})
			_, _ = io.Copy(io.Discard, struct{ io.Reader }{out.Body})
			_ = out.Body.Close()
			time.Sleep(milli)
			x.hooks.WroteRequest(httptrace.WroteRequestInfo{})
			time.Sleep(time.Second)
			x.hooks.GotFirstResponseByte()
			x.current.Load().responded(&http.Response{StatusCode: 200, ProtoMajor: 1, Body: http.NoBody})
			if got := k.wait(t, 1)[0]; got.Drained.Happened() != want {
				t.Errorf("%d acknowledged: %s %+v", acked, got.WriteQuality(), got)
			}
		})
	}
}
