package prom

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/plimsoll/plimsoll/internal/instrument"
	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// sums are those of a window with two kinds of operations, in one of which nothing has ended.
func sums() *record.Sums {
	return &record.Sums{
		Started: time.Unix(1000, 0), Elapsed: 3 * time.Second, Clients: 8, InFlight: 5, ConnectionsOpened: 9, ConnectionsFailed: 1,
		Kinds: []record.KindSums{{
			Operation: rundoc.Operation{Name: "send", Labels: map[string]string{"type": "TEXT", "outcome": "x", "9 lives": "y"},
				OK: 40, Failed: 3, Unsent: 2, Unfinished: 1, Attempts: 50, Retries: 6, Bytes: 4000,
				Causes: []rundoc.Cause{{Cause: "closed-by-peer:1006", Count: 9}}},
			Response: record.Buckets{Count: 3, SumNS: 8003e3, List: []record.Bucket{{From: 0, To: 1, Count: 1},
				{From: 4000000, To: 4002048, Count: 2}}},
			Service: record.Buckets{Count: 2, SumNS: 70e9, List: []record.Bucket{{From: 35e9, To: 35.01e9, Count: 2}}},
		}, {Operation: rundoc.Operation{Name: "other"}}},
		Reconnects: []rundoc.CauseTime{{Cause: "reset", Count: 4}},
		Own:        record.Buckets{Count: 1000, List: []record.Bucket{{From: 1000, To: 1001, Count: 989}, {From: 5000, To: 5002, Count: 11}}},
		Reading: instrument.Reading{User: 2500 * time.Millisecond, System: time.Second, CPUs: 4,
			Hiccups: &rundoc.Hiccups{Gaps: 7, GapsNS: 5e8}},
	}
}

// served shows a run, and gives the server and its address.
func served(t *testing.T, ctx context.Context, now func() *record.Sums) (s *Server, url string, leave func(onlook.Moment)) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	show := onlook.New()
	leave = show.Enter(func() onlook.Moment {
		return onlook.Moment{ID: "r1", Workload: "chat", Labels: []string{"night", "a\"b"}, What: "run 1 of 2", Sums: now,
			Live: report.Live{Phase: "window"}}
	})
	return Serve(ctx, l, "127.0.0.1:0", show), "http://" + l.Addr().String() + Path, leave
}

func scrape(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%v %v: %s", answer.Status, err, text)
	}
	http.DefaultClient.CloseIdleConnections()
	return string(text)
}

// What was counted is there under its name, each series once, and before there is something to count who the run is.
func TestMetricsPage(t *testing.T) {
	var now *record.Sums
	s, url, _ := served(t, t.Context(), func() *record.Sums { return now })
	defer s.End(t.Context(), 0)
	if got := scrape(t, url); !strings.Contains(got, `plimsoll_run_phase{phase="window",run="r1",workload="chat"} 1`) ||
		strings.Contains(got, "operations") {
		t.Errorf("before the window:\n%s", got)
	}
	now = sums()
	got := scrape(t, url)
	if diff := cmp.Diff(strings.Fields(shown), strings.Fields(shortened(got))); diff != "" {
		t.Error(diff)
	}
	for _, f := range Families() {
		if !strings.Contains(got, "# HELP "+f.Name+" "+f.Help+"\n# TYPE "+f.Name+" "+f.Type+"\n") {
			t.Errorf("there is no %s %s", f.Type, f.Name)
		}
	}
	answer, err := http.Post(url, "text/plain", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %s", answer.Status)
	}
}

// The end waits for one more scrape, no longer than it is told to, and not for one that began before it.
func TestEndWaitsForAScrape(t *testing.T) {
	s, url, leave := served(t, t.Context(), sums)
	scrape(t, url)
	leave(onlook.Moment{ID: "r1", Workload: "chat", Sums: sums})
	ended := make(chan struct{})
	// goroutine: it is waited for below.
	go func() {
		s.End(context.Background(), time.Hour)
		close(ended)
	}()
	for !s.over.Load() {
		select {
		case <-ended:
			t.Fatal("it did not wait")
		case <-time.After(time.Millisecond):
		}
	}
	if got := scrape(t, url); !strings.Contains(got, `phase="over"`) || !strings.Contains(got, "plimsoll_operations_total") {
		t.Errorf("%s", got)
	}
	<-ended
	if _, err := http.Get(url); err == nil {
		t.Error("it still answers")
	}
	for name, end := range map[string]func(*Server){
		"bounded": func(s *Server) { s.End(context.Background(), time.Millisecond) },
		"interrupted": func(s *Server) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			s.End(ctx, time.Hour)
		},
		"not wanted": func(s *Server) { s.End(context.Background(), 0) },
	} {
		s, _, _ := served(t, t.Context(), sums)
		end(s)
		t.Log(name)
	}
}

// Whoever connects again and again takes no more files of the process than a bound; the others are sent away, and those
// who are there are answered.
func TestConnectionsAreFew(t *testing.T) {
	s, url, _ := served(t, t.Context(), sums)
	defer s.End(t.Context(), 0)
	at := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), Path)
	for i := range 65 {
		c, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, _ = io.WriteString(c, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
		if n, err := c.Read(make([]byte, 1)); (n == 1) != (i < 64) {
			t.Errorf("connection %d: %d bytes, %v", i+1, n, err)
		}
	}
}

// Both kinds of buckets count what came: each time is in a bucket whose ends it lies between, but for the width of its
// own; with a wide range of times the native ones are few and wide, and none is lost.
func TestBuckets(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, doublings := range []float64{.5, 8, 40} {
		var times []float64
		one := record.New(record.Config{Kinds: []record.Kind{{Name: "x"}}})
		for range 5000 {
			ns := int64(math.Exp2(r.Float64() * doublings))
			times = append(times, float64(ns)/1e9)
			one.Record(0, &record.Operation{Attempts: 1, End: ns})
		}
		s := record.SoFar{Kinds: []record.Kind{{Name: "x"}}, Window: one, Slots: 1, Connections: record.NewConnections(),
			Unsent: []int64{0}, Now: 1}
		var m dto.Metric
		h := newHistogram(prometheus.NewDesc("x", "x", nil, nil), s.Sums().Kinds[0].Service, time.Now(), nil)
		if err := h.Write(&m); err != nil {
			t.Fatal(err)
		}
		slices.Sort(times)
		for _, b := range m.Histogram.Bucket {
			holdCount(t, fmt.Sprintf("le %v", *b.UpperBound), times, *b.UpperBound, *b.CumulativeCount)
		}
		if spans := m.Histogram.PositiveSpan; len(spans) == 0 {
			t.Error("no native buckets")
		}
		index, sum, n, at, buckets := int32(0), uint64(0), int64(0), 0, 0
		if m.Histogram.ZeroCount != nil {
			sum = *m.Histogram.ZeroCount
		}
		for _, span := range m.Histogram.PositiveSpan {
			index += *span.Offset
			for range *span.Length {
				n += m.Histogram.PositiveDelta[at]
				sum, at = sum+uint64(n), at+1
				if n > 0 {
					buckets++
				}
				end := math.Exp2(float64(index) / math.Exp2(float64(*m.Histogram.Schema)))
				holdCount(t, fmt.Sprintf("native %d of schema %d", index, *m.Histogram.Schema), times, end, sum)
				index++
			}
		}
		if sum != 5000 || *m.Histogram.SampleCount != 5000 || buckets > maxBuckets {
			t.Errorf("%v doublings: %d of %d in %d buckets", doublings, sum, *m.Histogram.SampleCount, buckets)
		}
	}
}

// holdCount holds how many times are up to a bound against the truth, within a thousandth of the bound.
func holdCount(t *testing.T, what string, times []float64, bound float64, got uint64) {
	t.Helper()
	low, _ := slices.BinarySearch(times, bound*.999)
	high, _ := slices.BinarySearch(times, bound*1.001)
	if got < uint64(low) || got > uint64(high) {
		t.Errorf("%s: %d, want %d to %d", what, got, low, high)
	}
}

// TestDocumentListsEveryMetric checks that docs/exports.md has a row for each metric, with its type and labels.
func TestDocumentListsEveryMetric(t *testing.T) {
	text, err := os.ReadFile("../../../docs/exports.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Families() {
		row := fmt.Sprintf("\n| `%s` | %s | %s | ", f.Name, f.Type, strings.Join(f.Labels, ", "))
		if row = strings.Replace(row, "|  |", "| |", 1); !strings.Contains(string(text), row) {
			t.Errorf("docs/exports.md has no row %s", row)
		}
	}
	if n := strings.Count(string(text), "\n| `plimsoll_"); n != len(Families()) {
		t.Errorf("docs/exports.md has %d metrics, and there are %d", n, len(Families()))
	}
}
