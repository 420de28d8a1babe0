package throughput

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// endless gives as much as is asked for, without copying.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
func (endless) Close() error               { return nil }

// The bar: 40 ns a read on top of the bare one, and nothing allocated.
func BenchmarkRead(b *testing.B) {
	buf := make([]byte, 16<<10)
	b.Run("bare", func(b *testing.B) {
		var r io.Reader = endless{}
		for b.Loop() {
			_, _ = r.Read(buf)
		}
	})
	b.Run("request", func(b *testing.B) {
		x := &exchange{}
		x.first.start = time.Now()
		x.first.sent.start = x.first.start
		x.current.Store(&x.first)
		r := x.body(endless{})
		b.ReportAllocs()
		for b.Loop() {
			_, _ = r.Read(buf)
		}
	})
	b.Run("response", func(b *testing.B) {
		a := &attempt{start: time.Now()}
		a.received.start = a.start
		r := a.wrapResponse(&http.Response{Body: endless{}})
		b.ReportAllocs()
		for b.Loop() {
			_, _ = r.Read(buf)
		}
	})
}

// BenchmarkPut sends bodies over loopback, in turn without the wrapper, with hooks of httptrace
// that do nothing, and with the wrapper, and says what each adds to the bare one. The medians
// of requests that take turns compare what runs that follow each other do not.
func BenchmarkPut(b *testing.B) {
	server := httptest.NewServer(swallow(0))
	defer server.Close()
	for _, c := range []struct {
		size   int
		memory bool // of a type that net/http knows: the headers go in one packet with its beginning
	}{{1 << 10, true}, {64 << 10, true}, {64 << 10, false}, {1 << 20, false}} {
		b.Run(fmt.Sprintf("%dKiB/memory=%v", c.size>>10, c.memory), func(b *testing.B) {
			var times [3][]time.Duration
			var clients [3]*http.Client
			for i, wrap := range []func(http.RoundTripper) http.RoundTripper{
				func(rt http.RoundTripper) http.RoundTripper { return rt },
				func(rt http.RoundTripper) http.RoundTripper { return roundTrip(hooked{rt}.RoundTrip) },
				func(rt http.RoundTripper) http.RoundTripper { return Wrap(rt, ObserverFunc(func(*Timeline) {})) },
			} {
				base := &http.Transport{}
				defer base.CloseIdleConnections()
				clients[i] = &http.Client{Transport: wrap(base)}
			}
			body := make([]byte, c.size)
			for b.Loop() {
				for i, each := range clients {
					req := request(b, http.MethodPut, server.URL, bytes.NewReader(body))
					if !c.memory {
						req.Body = struct{ io.ReadCloser }{req.Body}
					}
					began := time.Now()
					send(b, each, req)
					times[i] = append(times[i], time.Since(began))
				}
			}
			var median [3]float64
			for i, t := range times {
				slices.Sort(t)
				median[i] = float64(t[len(t)/2])
			}
			b.ReportMetric(median[0], "bare-ns")
			b.ReportMetric((median[1]/median[0]-1)*100, "hooks-%")
			b.ReportMetric((median[2]/median[0]-1)*100, "wrapped-%")
		})
	}
}

// hooked is a transport with hooks that do nothing.
type hooked struct{ base http.RoundTripper }

func (h hooked) RoundTrip(r *http.Request) (*http.Response, error) {
	return h.base.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		GotConn:              func(httptrace.GotConnInfo) {},
		WroteRequest:         func(httptrace.WroteRequestInfo) {},
		GotFirstResponseByte: func() {},
	})))
}

// BenchmarkProbe asks a socket for its queue and for what TCP knows.
func BenchmarkProbe(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	p := newProber(c)
	if p == nil {
		b.Skip("connections cannot be asked here")
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.probe(); err != nil {
			b.Fatal(err)
		}
	}
}

// A naive wrapper does what the design that this library started from does at each read: two
// readings of the clock, of the wall too as time.Now has both, and three atomic operations of
// which two read and write.
type naive struct {
	from  io.Reader
	first atomic.Int64
	last  atomic.Int64
	bytes atomic.Int64
}

func (r *naive) Read(p []byte) (int, error) {
	r.first.CompareAndSwap(0, time.Now().UnixNano())
	n, err := r.from.Read(p)
	if n > 0 {
		r.bytes.Add(int64(n))
		r.last.Store(time.Now().UnixNano())
	}
	return n, err
}

// BenchmarkGrid moves 10 and 100 MB in pieces of 16, 64 and 128 KB, in turn bare, wrapped, and
// wrapped naively, and says what a wrapper costs for each read. The reads move nothing, so that
// the difference is not lost in what moving costs.
func BenchmarkGrid(b *testing.B) {
	for _, size := range []int64{10e6, 100e6} {
		for _, piece := range []int{16 << 10, 64 << 10, 128 << 10} {
			b.Run(fmt.Sprintf("%dMB/%dKB", size/1e6, piece>>10), func(b *testing.B) {
				buf := make([]byte, piece)
				drain := func(r io.Reader) time.Duration {
					began := time.Now()
					_, _ = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{io.LimitReader(r, size)}, buf)
					return time.Since(began)
				}
				var times [3][]time.Duration
				for b.Loop() {
					x := &exchange{}
					x.first.start = time.Now()
					x.first.sent.start = x.first.start
					x.current.Store(&x.first)
					for i, r := range []io.Reader{endless{}, x.body(endless{}), &naive{from: endless{}}} {
						times[i] = append(times[i], drain(r))
					}
				}
				var median [3]float64
				for i, t := range times {
					slices.Sort(t)
					median[i] = float64(t[len(t)/2]) / float64(size/int64(piece))
				}
				b.ReportMetric(median[1]-median[0], "ns-more/read")
				b.ReportMetric(median[2]-median[0], "naive-ns-more/read")
			})
		}
	}
}
