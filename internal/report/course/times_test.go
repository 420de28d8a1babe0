package course

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/rundoc"
)

// A curve has the percentiles of the document as they are, none that the sample does not support, and the longest.
func TestCurve(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 9, 10, 11, 25, 1000, 9999, 10_000, 300_000} {
		var times []int64
		for range n {
			times = append(times, int64(math.Exp(12+2*rng.NormFloat64())))
		}
		sum := timesOf(times...)
		all := curve("x", "1", &sum)
		if n == 1 {
			if all != nil {
				t.Errorf("one observation is no distribution: %+v", all)
			}
			continue
		}
		line := all[0]
		last := len(line.Y) - 1
		if line.Y[last] != float64(sum.MaxNS) || !math.IsNaN(line.Y[last-1]) || len(line.Y) > mostPoints*11/10 {
			t.Errorf("%d: %d points, the end is %v at %v", n, len(line.Y), line.Y[last-1:], line.X[last-1:])
		}
		if !slices.IsSorted(line.X) || !slices.IsSorted(line.Y[:last-1]) {
			t.Errorf("%d: it goes back", n)
		}
		for _, q := range line.X[:last-1] {
			if above := float64(n) - math.Ceil(float64(n)*q-1e-6); above < rundoc.MinAbove {
				t.Errorf("%d: the quantile %v has %v above it", n, q, above)
			}
		}
		for q, p := range map[float64]*int64{0.5: sum.P50NS, 0.9: sum.P90NS, 0.95: sum.P95NS, 0.99: sum.P99NS, 0.999: sum.P999NS} {
			i := slices.Index(line.X[:last-1], q)
			if (i >= 0) != (p != nil) || p != nil && line.Y[i] != float64(*p) {
				t.Errorf("%d: the quantile %v is at %d, and the document has it: %t", n, q, i, p != nil)
			}
		}
	}
	broken := timesOf(upTo(100)...)
	broken.HDR = "no histogram"
	if all := curve("x", "1", &broken); all != nil {
		t.Errorf("%+v", all)
	}
}

// A run that knows its own delay has the times without it beside them.
func TestFreeTimes(t *testing.T) {
	run := openRun()
	run.Operations[0].ResponseTime.Free = new(timesOf(upTo(400)...))
	if got := shape(named(t, Panels(sourceOf(run)), Distribution)); got[:len("distribution: response time/1/ response time, corrected")] !=
		"distribution: response time/1/ response time, corrected" {
		t.Error(got)
	}
}

// A heat map has each time of the slices once, in no more cells than there may be.
func TestHeat(t *testing.T) {
	run := openRun()
	h := named(t, Panels(sourceOf(run)), HeatMap).Heat
	var sums []int64
	for _, column := range h.Counts {
		sum := int64(0)
		for _, n := range column {
			sum += n
		}
		sums = append(sums, sum)
		if len(column) != len(h.Y)-1 {
			t.Errorf("%d rows between %d edges", len(column), len(h.Y))
		}
	}
	if diff := cmp.Diff([]int64{100, 0, 300}, sums); diff != "" {
		t.Error(diff)
	}
	if !slices.IsSorted(h.Y) || len(h.Y) > mostRows+1 || h.Y[0] > 1e6 || h.Y[len(h.Y)-1] < 300e6 || len(h.X) != len(h.Counts)+1 {
		t.Errorf("rows at %v, columns at %v", h.Y, h.X)
	}
	run.Slices[1].FromS, run.Slices[1].Seconds = 3, 1 // nothing is known of a second
	if diff := cmp.Diff(graph.Values{0, 2, 3, 4, 4.1}, named(t, Panels(sourceOf(run)), HeatMap).Heat.X); diff != "" {
		t.Error(diff)
	}
	one := openRun()
	one.Slices = one.Slices[:1]
	one.Slices[0].ResponseTime = sliceOf(5*ms, 5*ms)
	if h := named(t, Panels(sourceOf(one)), HeatMap).Heat; len(h.Counts[0]) != 1 || h.Counts[0][0] != 2 {
		t.Errorf("%+v", h)
	}
	for name, edit := range map[string]func(*rundoc.Run){
		"none":     func(r *rundoc.Run) { r.Slices = nil },
		"broken":   func(r *rundoc.Run) { r.Slices[2].ResponseTime.HDR = "x" },
		"backward": func(r *rundoc.Run) { r.Slices[2].FromS = -9 },
		"too many": func(r *rundoc.Run) { r.Slices = slices.Repeat(r.Slices[:1], 10_000) },
	} {
		run := openRun()
		edit(run)
		if slices.ContainsFunc(Panels(sourceOf(run)), func(p graph.Panel) bool { return p.Name == HeatMap }) {
			t.Errorf("%s: there is a map", name)
		}
	}
}

// What is laid over each other is what each run has by itself, in a colour of its own.
func TestOverlay(t *testing.T) {
	other := openRun()
	other.Series = other.Series[:2]
	other.Series[0].P99NS, other.Generator.Hiccups = 0, nil
	a, b := sourceOf(openRun()), sourceOf(other)
	b.WindowNS = 2000 * ms
	all := Overlay([]Named{{"1 · a", a}, {"2 · b", b}})
	want := []string{
		"throughput: 1 · a/1/edge 2 · b/2/edge",
		"response-time-p50: 1 · a/1/ 2 · b/2/",
		"response-time-p99: 1 · a/1/",
		"distribution: 1 · a/1/ 2 · b/2/",
		"failures: 1 · a/1/edge 2 · b/2/edge",
		"in-flight: 1 · a/1/edge 2 · b/2/edge",
		"own-delay: 1 · a/1/ 2 · b/2/ [1 · a: generator paused 2.1-2.16]",
	}
	if diff := cmp.Diff(want, shapes(all)); diff != "" {
		t.Error(diff)
	}
	for i, s := range []Source{a, b} {
		own := named(t, Panels(s), Throughput).Series[0]
		over := named(t, all, Throughput).Series[i]
		if diff := cmp.Diff(own.Y, over.Y, cmpopts.EquateNaNs()); diff != "" {
			t.Error(diff)
		}
	}
	if p := named(t, all, Throughput); p.X.To != 4.1 {
		t.Errorf("the axis ends at %v", p.X.To)
	}
	for i := range other.Series { // all failed, which is a throughput of 0
		other.Series[i].OK, other.Series[i].Failed = 0, 9
	}
	if p := named(t, Overlay([]Named{{"1 · a", a}, {"2 · b", b}}), Throughput); len(p.Series) != 2 || area(p.Series[1]) != 0 {
		t.Errorf("a run of which all failed is not in the throughput: %s", shape(p))
	}
	if p := named(t, Overlay([]Named{{"1 · a", a}}), ResponseTime+"-p50"); p.Intro != "" {
		t.Error(p.Intro)
	}
	long := openRun()
	for i := range long.Series {
		long.Series[i].Second, long.Series[i].Seconds = 2*long.Series[i].Second, 2
	}
	l := sourceOf(long)
	l.WindowNS = 10_000 * ms
	for _, name := range []string{ResponseTime + "-p50", ResponseTime + "-p99", OwnDelay} {
		want := "Of each second; of long runs, of the slowest second of every 2 in 2 · long."
		if p := named(t, Overlay([]Named{{"1 · a", a}, {"2 · long", l}}), name); p.Intro != want {
			t.Errorf("%s: %q", name, p.Intro)
		}
	}
	if p := named(t, Panels(l), OwnDelay); !strings.Contains(p.Intro, "every 2, and how long the generator was paused in those 2") {
		t.Error(p.Intro)
	}
	a.Mixed, b.Mixed = true, true
	want = []string{
		"bytes: 1 · a/1/edge 2 · b/2/edge", "distribution-1: 1 · a/1/ 2 · b/2/",
		"own-delay: 1 · a/1/ 2 · b/2/ [1 · a: generator paused 2.1-2.16]",
	}
	if diff := cmp.Diff(want, shapes(Overlay([]Named{{"1 · a", a}, {"2 · b", b}}))); diff != "" {
		t.Error(diff)
	}
	if Overlay(nil) != nil {
		t.Error("of nothing there are panels")
	}
}
