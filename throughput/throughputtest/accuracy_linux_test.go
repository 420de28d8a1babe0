package throughputtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/throughput"
)

// Setns has the same number on no two architectures; the accuracy is measured on one.
const sysSetns = 308 // linux/amd64

// TestAccuracy sends bodies to receivers that take what comes at a given rate, and compares the rates of the
// timelines with what the receiver's kernel saw. It needs neither root nor namespaces, as the links do. The rule:
// where quality is ok, delivered is within 5 %.
//
// It measures real time, so it is not one of the tests that always run: make bench-accuracy.
func TestAccuracy(t *testing.T) {
	if os.Getenv("PLIMSOLL_ACCURACY") == "" {
		t.Skip("measures real time; run it with make bench-accuracy")
	}
	fmt.Println("| link | body | truth MB/s | handoff | by TTFB | delivered | worst ok | polls | quality |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
	for _, k := range []linkKind{
		{"throttled receiver, 100 Mbit/s", 100e6, 0},
		{"throttled receiver, 1 Gbit/s", 1e9, 0},
	} {
		t.Run(k.Name, func(t *testing.T) {
			l := newThrottle(t, k.Rate)
			measurePath(t, path{k.Name, l, nil, 0, func() time.Time { return *l.arrived.at.Load() }})
		})
	}
}

// A path is how to get to a listener, and what is known of it.
type path struct {
	name     string
	listener net.Listener
	dial     func(context.Context, string, string) (net.Conn, error)
	travel   time.Duration
	arrived  func() time.Time // when the last byte did; nil: when the server had read it
}

const (
	serverDelay = 65 * time.Millisecond
	rounds      = 7
)

// synctest: not in a bubble: measures real links, run only by make bench-accuracy.
func measurePath(t *testing.T, p path) {
	arrived := make(chan time.Time, 1)
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		at := time.Now()
		if p.arrived != nil {
			at = p.arrived()
		}
		arrived <- at
		time.Sleep(serverDelay)
	})}
	go func() { _ = server.Serve(p.listener) }()
	defer func() { _ = server.Close() }()

	timelines := make(chan *throughput.Timeline, 1)
	base := &http.Transport{DialContext: p.dial}
	defer base.CloseIdleConnections()
	client := &http.Client{Transport: measuring(base,
		throughput.ObserverFunc(func(_ context.Context, t *throughput.Timeline) { timelines <- t }))}
	send := func(size int) (*throughput.Timeline, float64) {
		req, err := http.NewRequest(http.MethodPut, "http://"+p.listener.Addr().String(),
			bytes.NewReader(make([]byte, size)))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		// Both ends have the same clock. The time of the receiver's first byte would depend on
		// when its goroutine wakes up, so it is the sender's and the time of travel.
		got := <-timelines
		first, _ := got.FirstBodyRead.Offset()
		return got, float64(size) / ((<-arrived).Sub(got.Started) - first - p.travel).Seconds()
	}
	send(1 << 10) // the first request has no connection yet
	for _, size := range []int{4 << 10, 64 << 10, 256 << 10, 1 << 20, 10 << 20} {
		var row row
		for range rounds {
			row.add(t, send, size)
		}
		row.print(p.name, size)
	}
}

type row struct {
	truth, handoff, ttfb, delivered []float64
	worst                           float64
	polls                           int
	quality                         map[throughput.Quality]int
}

func (r *row) add(t *testing.T, send func(int) (*throughput.Timeline, float64), size int) {
	got, truth := send(size)
	r.truth = append(r.truth, truth/1e6)
	if v, ok := got.WriteThroughputHandoff(); ok {
		r.handoff = append(r.handoff, v/truth)
	}
	answered, _ := got.TTFB()
	began, _ := got.FirstBodyRead.Offset()
	r.ttfb = append(r.ttfb, float64(size)/(answered-began).Seconds()/truth)
	quality := got.WriteQuality()
	if r.quality == nil {
		r.quality = map[throughput.Quality]int{}
	}
	r.quality[quality]++
	r.polls = max(r.polls, got.Polls)
	v, ok := got.WriteThroughputDelivered()
	if !ok {
		return
	}
	r.delivered = append(r.delivered, v/truth)
	if quality != throughput.OK {
		return
	}
	off := max(v/truth, truth/v) - 1
	r.worst = max(r.worst, off)
	if off > throughput.Tolerance {
		claimed, _ := got.WriteThroughputError()
		t.Errorf("%d bytes: delivered is off by %.1f%%, claimed %.1f%%: %+v", size, off*100, claimed*100, got)
	}
}

func (r *row) print(name string, size int) {
	worst := "-"
	if r.quality[throughput.OK] > 0 {
		worst = fmt.Sprintf("%.1f%%", r.worst*100)
	}
	var qualities []string
	for q, n := range r.quality {
		short, _, _ := strings.Cut(string(q), "_")
		qualities = append(qualities, fmt.Sprintf("%s %d", short, n))
	}
	slices.Sort(qualities)
	fmt.Printf("| %s | %d KiB | %s | %s | %s | %s | %s | %d | %s |\n", name, size>>10,
		median(r.truth), median(r.handoff), median(r.ttfb), median(r.delivered), worst, r.polls,
		strings.Join(qualities, ", "))
}

func median(v []float64) string {
	if len(v) == 0 {
		return "-"
	}
	slices.Sort(v)
	m := v[len(v)/2]
	if m >= 100 {
		return fmt.Sprintf("%.0f", m)
	}
	return fmt.Sprintf("%.3g", m)
}
