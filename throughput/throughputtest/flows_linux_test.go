package throughputtest

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/throughput"
)

// A bench sends bodies over a path and compares each delivered rate with the truth: the bytes divided by the time from
// when the first was there to when the receiver's kernel had the last, less the time of travel.
type bench struct {
	name   string
	travel time.Duration
	url    string
	client *http.Client
}

func newBench(t *testing.T, k linkKind, congestion string) *bench {
	l := newLink(t)
	b := &bench{name: k.Name + " " + congestion, travel: k.RTT / 2, url: startFar(t, l, k)}
	base := &http.Transport{DialContext: l.dial(congestion), MaxIdleConnsPerHost: 64,
		ForceAttemptHTTP2: os.Getenv("ACCURACY_HTTP2") != "", TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	b.client = &http.Client{Transport: measuring(base, nil)}
	t.Cleanup(base.CloseIdleConnections)
	return b
}

// send uploads a body under a name of its own.
func (b *bench) send(source *source, size int) (got *throughput.Timeline, truth float64, err error) {
	over := make(chan *throughput.Timeline, 4)
	ctx := throughput.WithObserver(context.Background(),
		throughput.ObserverFunc(func(_ context.Context, t *throughput.Timeline) { over <- t }))
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, b.url, io.LimitReader(source, int64(size)))
	if err != nil {
		return nil, 0, err
	}
	req.ContentLength = int64(size)
	resp, err := b.client.Do(req)
	if err != nil {
		return nil, 0, err
	}
	_ = resp.Body.Close()
	got = <-over
	var earliest, latest int64
	_, err = fmt.Sscan(resp.Header.Get(arrivedHeader), &earliest, &latest)
	by := func(ns int64) float64 {
		return float64(size) / time.Unix(0, ns).Sub(source.first.Add(b.travel)).Seconds()
	}
	truth = by(earliest)
	if v, ok := got.WriteThroughputDelivered(); ok { // the nearest that may be it
		truth = min(max(v, by(latest)), truth)
	}
	return got, truth, err
}

// flows has several uploads go on at once, each again and again on a connection of its own, until there are enough.
func (b *bench) flows(t *testing.T, flows, size, attempts int) {
	var (
		mu  sync.Mutex
		sum tally
		all sync.WaitGroup
	)
	for range flows {
		all.Go(func() {
			for i := range (attempts+flows-1)/flows + 1 {
				got, truth, err := b.send(&source{}, size)
				mu.Lock()
				if err != nil {
					t.Error(err)
				} else if i > 0 { // the first has no connection yet
					sum.add(t, got, truth)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	sum.print(b.name, fmt.Sprintf("%d × %d KiB", flows, size>>10))
}

// A source knows when its first piece was there, by the wall clock.
type source struct {
	zeros
	late  time.Duration // the first piece
	rest  time.Duration // after a header of ten bytes
	every time.Duration // between two pieces; 0: at once
	piece int
	first time.Time
	read  int
}

// synctest: not in a bubble: measures real links, run only by make bench-accuracy.
func (s *source) Read(p []byte) (int, error) {
	if s.first.IsZero() {
		time.Sleep(s.late)
		s.first = time.Now().Round(0)
		if s.rest > 0 {
			return s.zeros.Read(p[:min(len(p), 10)])
		}
	} else if s.rest > 0 {
		time.Sleep(s.rest)
		s.rest = 0
	}
	if s.piece > 0 {
		if s.read == s.piece {
			time.Sleep(s.every)
			s.read = 0
		}
		p = p[:min(len(p), s.piece-s.read)]
		s.read += len(p)
	}
	return s.zeros.Read(p)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// A tally is a row of the table.
type tally struct {
	ratios, truth []float64
	worst         float64
	polls, n      int
	quality       map[throughput.Quality]int
}

func (s *tally) add(t *testing.T, got *throughput.Timeline, truth float64) {
	if s.quality == nil {
		s.quality = map[throughput.Quality]int{}
	}
	quality := got.WriteQuality()
	s.quality[quality]++
	s.n++
	s.polls += got.Polls
	s.truth = append(s.truth, truth/1e6)
	v, ok := got.WriteThroughputDelivered()
	claimed, _ := got.WriteThroughputError()
	if !ok {
		return
	}
	s.ratios = append(s.ratios, v/truth)
	if quality != throughput.OK {
		return
	}
	off := max(v/truth, truth/v) - 1
	s.worst = max(s.worst, off)
	if off > throughput.Tolerance {
		t.Errorf("delivered is off by %.1f%% from %.4g, claimed %.1f%%: %+v", off*100, truth, claimed*100, got)
	}
}

func (s *tally) print(name, what string) {
	slices.Sort(s.ratios)
	at := func(share float64) float64 {
		if len(s.ratios) == 0 {
			return math.NaN()
		}
		return s.ratios[int(share*float64(len(s.ratios)-1))]
	}
	var others []string
	for q, n := range s.quality {
		if q != throughput.OK {
			others = append(others, fmt.Sprintf("%s %d", q, n))
		}
	}
	slices.Sort(others)
	fmt.Printf("| %s | %s | %d | %s | %.3f (%.3f–%.3f) | %.0f%% | %.1f%% | %.1f | %s |\n", name, what, s.n, median(s.truth),
		at(0.5), at(0), at(1), 100*float64(s.quality[throughput.OK])/float64(max(s.n, 1)), s.worst*100,
		float64(s.polls)/float64(max(s.n, 1)), strings.Join(others, ", "))
}

// TestAccuracyOfFlows sends bodies over links of known rate and delay, alone and several at once, and prints a table
// for docs/design/throughput.md. Where the quality is ok, delivered is within 5 %.
func TestAccuracyOfFlows(t *testing.T) {
	if os.Getenv("PLIMSOLL_ACCURACY") == "" {
		t.Skip("measures real time; run it with make bench-accuracy")
	}
	fmt.Println("| link | bodies | attempts | truth MB/s | delivered ÷ truth | ok | worst ok | polls | others |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
	for _, congestion := range []string{"cubic", "bbr"} {
		for _, k := range links {
			t.Run(k.Name+" "+congestion, func(t *testing.T) {
				b := newBench(t, k, congestion)
				for _, flows := range numbers(t, "ACCURACY_FLOWS", "1,2,4,8") {
					for _, kib := range numbers(t, "ACCURACY_KIB", "256,1024,4096") {
						b.flows(t, flows, kib<<10, numbers(t, "ACCURACY_ATTEMPTS", "56")[0])
					}
				}
			})
		}
	}
}

// numbers are those of a variable, or the usual ones.
func numbers(t *testing.T, name, usual string) (all []int) {
	text := os.Getenv(name)
	if text == "" {
		text = usual
	}
	for s := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("%s=%s: %v", name, text, err)
		}
		all = append(all, n)
	}
	return all
}

var links = []linkKind{
	{"20 Mbit/s, 20 ms", 20e6, 20 * time.Millisecond},
	{"100 Mbit/s, 5 ms", 100e6, 5 * time.Millisecond},
	{"100 Mbit/s", 100e6, 0},
	{"1 Gbit/s", 1e9, 0},
}
