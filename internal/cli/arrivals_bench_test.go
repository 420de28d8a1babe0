package cli_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
)

// BenchmarkSendDelayAgainstArrivals has a server of its own stamp each request as it arrives, and compares how long
// after its place in a constant schedule that was with the send delay in the run document. The rest is the way to
// the server and the time until it has read the request: some tens of microseconds on a quiet machine, which must not
// grow with the rate. A request that arrives before it is due shows that the document's times are wrong.
func BenchmarkSendDelayAgainstArrivals(b *testing.B) {
	for _, rate := range []int{500, 2000, 10000} {
		b.Run(fmt.Sprintf("%d/s", rate), func(b *testing.B) {
			var said, seen rundoc.Summary
			for b.Loop() {
				said, seen = sendDelayAgainstArrivals(b, rate)
			}
			b.ReportMetric(0, "ns/op")
			for _, p := range []struct {
				name       string
				said, seen *int64
			}{{"p50", said.P50NS, seen.P50NS}, {"p99", said.P99NS, seen.P99NS}} {
				b.ReportMetric(float64(*p.said)/1e3, "send-delay-"+p.name+"-µs")
				b.ReportMetric(float64(*p.seen)/1e3, "arrival-"+p.name+"-µs")
			}
		})
	}
}

// sendDelayAgainstArrivals returns the send delay that the document of a run has, and the delay with which the requests
// arrived.
func sendDelayAgainstArrivals(b *testing.B, rate int) (said, seen rundoc.Summary) {
	s := newArrivalServer(b)
	cmd := exec.Command("plimsoll", "http", "http://"+s.Addr().String()+"/?n=${seq}", "--rate", strconv.Itoa(rate),
		"--arrivals", "constant", "--duration", "5s", "--warmup-clients", "0", "--json", "--no-save", "--quiet")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, runErr := cmd.Output()
	doc, err := rundoc.Read(bytes.NewReader(out))
	if err != nil {
		b.Fatalf("%v: %v\n%s", runErr, err, &stderr)
	}
	window := doc.Phases[slices.IndexFunc(doc.Phases, func(p rundoc.Phase) bool { return p.Name == rundoc.PhaseWindow })]
	total := totals(b, doc)

	var delays []int64
	for n, at := range s.arrivals() {
		due := window.Started.Add(time.Duration(float64(n) / float64(rate) * 1e9))
		delays = append(delays, int64(at.Sub(due)))
	}
	slices.Sort(delays)
	if len(delays) < int(total.OK) {
		b.Fatalf("%d requests arrived, and %d were answered", len(delays), total.OK)
	}
	if delays[0] < -50_000 {
		b.Errorf("%d/s: a request arrived %v before it was due", rate, -time.Duration(delays[0]))
	}
	at := func(share float64) *int64 { return new(delays[int(share*float64(len(delays)-1))]) }
	return total.SendDelay, rundoc.Summary{P50NS: at(.5), P99NS: at(.99)}
}

// arrivalServer answers HTTP requests and keeps when each arrived, by the number in its URL.
type arrivalServer struct {
	net.Listener
	mu sync.Mutex
	at map[int]time.Time
}

func newArrivalServer(b *testing.B) *arrivalServer {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s := &arrivalServer{Listener: l, at: map[int]time.Time{}}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() { s.serve(c) })
		}
	})
	b.Cleanup(func() {
		_ = l.Close()
		running.Wait()
	})
	return s
}

func (s *arrivalServer) arrivals() map[int]time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at
}

// serve stamps a request as soon as its first bytes have been read, before it is parsed.
func (s *arrivalServer) serve(c net.Conn) {
	defer c.Close()
	r := bufio.NewReader(c)
	for {
		if _, err := r.Peek(1); err != nil {
			return
		}
		now := time.Now()
		request, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		if _, err := c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")); err != nil {
			return
		}
		if n, err := strconv.Atoi(request.FormValue("n")); err == nil {
			s.mu.Lock()
			s.at[n] = now
			s.mu.Unlock()
		}
	}
}
