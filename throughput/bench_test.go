package throughput

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"
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
		x := &exchange{request: &http.Request{}}
		x.beginAttempt(1)
		r := x.body(endless{})
		b.ReportAllocs()
		for b.Loop() {
			_, _ = r.Read(buf)
		}
	})
	b.Run("response", func(b *testing.B) {
		a := &attempt{}
		a.sent.start = time.Now()
		r := a.wrapResponse(&http.Response{Body: endless{}})
		b.ReportAllocs()
		for b.Loop() {
			_, _ = r.Read(buf)
		}
	})
}

// BenchmarkPut sends bodies over loopback to a server in another process, in turn without the
// wrapper, with hooks of httptrace that do nothing, and with the wrapper, and says what each adds
// to the bare one, with the bounds that hold it in 95 of 100 cases. What is compared are the
// medians of short blocks that take turns: on a machine that has something else to do, all else
// measures that.
func BenchmarkPut(b *testing.B) {
	address := elsewhere(b)
	for _, c := range []struct {
		size   int
		memory bool // of a type that net/http knows: the headers go in one packet with its beginning
	}{{1 << 10, true}, {64 << 10, true}, {64 << 10, false}, {1 << 20, false}} {
		b.Run(fmt.Sprintf("%dKiB/memory=%v", c.size>>10, c.memory), func(b *testing.B) {
			var clients []*http.Client
			for _, wrap := range []func(http.RoundTripper) http.RoundTripper{
				func(rt http.RoundTripper) http.RoundTripper { return rt },
				func(rt http.RoundTripper) http.RoundTripper { return roundTrip(hooked{rt}.RoundTrip) },
				func(rt http.RoundTripper) http.RoundTripper {
					return Wrap(rt, ObserverFunc(func(context.Context, *Timeline) {}))
				},
			} {
				base := &http.Transport{}
				defer base.CloseIdleConnections()
				clients = append(clients, &http.Client{Transport: wrap(base)})
			}
			body := make([]byte, c.size)
			block := func(client *http.Client) float64 {
				var times [50]time.Duration
				for i := range times {
					req := request(b, http.MethodPut, address, bytes.NewReader(body))
					if !c.memory {
						req.Body = struct{ io.ReadCloser }{req.Body}
					}
					began := time.Now()
					send(b, client, req)
					times[i] = time.Since(began)
				}
				slices.Sort(times[:])
				return float64(times[len(times)/2])
			}
			var bare []float64
			var more [3][]float64
			for b.Loop() {
				var medians [3]float64
				for _, i := range rand.Perm(len(clients)) {
					medians[i] = block(clients[i])
				}
				bare = append(bare, medians[0])
				for i, m := range medians {
					more[i] = append(more[i], (m/medians[0]-1)*100)
				}
			}
			slices.Sort(bare)
			b.ReportMetric(bare[len(bare)/2], "bare-ns")
			for i, name := range []string{1: "hooks", 2: "wrapped"} {
				if i > 0 {
					slices.Sort(more[i])
					n := float64(len(more[i]))
					rank := func(deviations float64) float64 {
						return more[i][int(min(max(n/2+deviations*math.Sqrt(n)/2, 0), n-1))]
					}
					b.ReportMetric(rank(0), name+"-%")
					b.ReportMetric(rank(-1.96), name+"-%-low")
					b.ReportMetric(rank(1.96), name+"-%-high")
				}
			}
		})
	}
}

// elsewhere starts a process that swallows the bodies of requests, and returns its address.
func elsewhere(b *testing.B) string {
	b.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestElsewhere$")
	c.Env = append(os.Environ(), "PLIMSOLL_SWALLOW=1")
	in, err := c.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = in.Close(); _ = c.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(address)
}

// TestElsewhere is that process. It ends with its standard input.
func TestElsewhere(t *testing.T) {
	if os.Getenv("PLIMSOLL_SWALLOW") == "" {
		t.Skip("is the server of a benchmark")
	}
	s := serve(t, swallow(0))
	fmt.Println(s.URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// BenchmarkAttempt is what is spent on an attempt beside the network: a base calls the hooks as
// net/http does for a request on an idle connection, and takes 64 KiB of body in two pieces.
func BenchmarkAttempt(b *testing.B) {
	base := newRote(b)
	for _, c := range []struct {
		name string
		rt   http.RoundTripper
	}{
		{"bare", base},
		{"hooks", roundTrip(hooked{base}.RoundTrip)},
		{"wrapped", Wrap(base, ObserverFunc(func(context.Context, *Timeline) {}))},
	} {
		b.Run(c.name, func(b *testing.B) {
			req := base.request(b)
			b.ReportAllocs()
			for b.Loop() {
				_, _ = c.rt.RoundTrip(req)
			}
		})
	}
}

// What an attempt may allocate: the copy of the request with its context and hooks, thirteen of
// which are method values, the exchange and the attempt. The clock is fake, and stands still: on a slow
// machine the timers of those that wait would be counted, too.
func TestAllocations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := newRote(t)
		req := base.request(t)
		allocations := func(rt http.RoundTripper) float64 {
			return testing.AllocsPerRun(1000, func() { _, _ = rt.RoundTrip(req) })
		}
		bare, wrapped := allocations(base), allocations(Wrap(base, ObserverFunc(func(context.Context, *Timeline) {})))
		if wrapped-bare > 21.5 { // now and then one more, of the list of those that wait
			t.Errorf("%v allocations, %v of them not the wrapper's", wrapped, bare)
		}
	})
	if size := unsafe.Sizeof(attempt{}); size > 632 { // the allocator's next size is 640, and 8 of that are its own
		t.Errorf("an attempt has %d bytes", size)
	}
}

// A rote transport calls the hooks of a request and takes its body, and has an answer at once.
type rote struct {
	conn net.Conn
	buf  []byte
}

func newRote(tb testing.TB) *rote {
	here, there := net.Pipe() // only so that there is a connection to ask
	tb.Cleanup(func() { _ = here.Close(); _ = there.Close() })
	return &rote{here, make([]byte, 32<<10)}
}

func (r *rote) request(tb testing.TB) *http.Request {
	req := request(tb, http.MethodPut, "http://host", endless{})
	req.ContentLength = 64 << 10
	return req
}

func (r *rote) RoundTrip(req *http.Request) (*http.Response, error) {
	trace := httptrace.ContextClientTrace(req.Context())
	if trace == nil {
		trace = &httptrace.ClientTrace{}
	}
	if trace.GetConn != nil {
		trace.GetConn("host:80")
	}
	if trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{Conn: r.conn, Reused: true, WasIdle: true})
	}
	if trace.WroteHeaders != nil {
		trace.WroteHeaders()
	}
	for range 2 {
		_, _ = req.Body.Read(r.buf)
	}
	_ = req.Body.Close()
	if trace.WroteRequest != nil {
		trace.WroteRequest(httptrace.WroteRequestInfo{})
	}
	if trace.GotFirstResponseByte != nil {
		trace.GotFirstResponseByte()
	}
	return &http.Response{StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1, Body: http.NoBody, Request: req}, nil
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
					_, _ = io.CopyBuffer(struct{ io.Writer }{io.Discard},
						struct{ io.Reader }{io.LimitReader(r, size)}, buf)
					return time.Since(began)
				}
				var times [3][]time.Duration
				for b.Loop() {
					x := &exchange{request: &http.Request{}}
					x.beginAttempt(1)
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
