package course

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/rundoc"
)

// rankedAt is the time of the rank nearest to a quantile, as documents have it.
func rankedAt(sorted []int64, q float64) int64 {
	return sorted[max(0, int(q*float64(len(sorted))+0.5)-1)]
}

// nines is how far to the right a quantile stands.
func nines(q float64) float64 { return -math.Log10(1 - q) }

// Every point of a curve is the time of its rank, as near as a histogram has it. There are 40 for each nine from the
// shortest to the last that ten are above, and those that documents have; behind it, at 1-1/n, is the longest.
func TestCurveMatchesTheHistogram(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, n := range []int{2, 3, 9, 10, 11, 13, 30, 100, 333, 1000, 10_000, 123_456} {
		var times []int64
		for range n {
			times = append(times, int64(math.Exp(12+2*rng.NormFloat64())))
		}
		sum := timesOf(times...)
		slices.Sort(times)
		line := curve("x", "1", &sum)[0]
		points, last := len(line.X)-2, float64(n)
		if near := 1 - line.X[points+1]; line.Y[points+1] != float64(times[n-1]) || math.Abs(near*last-1) > 0.0006 {
			t.Errorf("%d: the longest is %v at %v", n, line.Y[points+1], line.X[points+1])
		}
		// The gap is between the tenth from above and the longest, in the middle of the nine that is between them.
		if gap := 1 - line.X[points]; !math.IsNaN(line.Y[points]) || math.Abs(gap-min(1, math.Sqrt(10)/last)) > 0.0006*gap {
			t.Errorf("%d: a gap of %v at %v", n, line.Y[points], line.X[points])
		}
		if n < 10 {
			if points != 0 {
				t.Errorf("%d: %v", n, line.X)
			}
			continue
		}
		want := []float64{}
		for k := 0; float64(n)*math.Pow(10, -float64(k)/40) > 9; k++ {
			if share := 10_000 * math.Pow(10, -math.Mod(float64(k), 40)/40); math.Floor(float64(n)*math.Round(share)/10_000*
				math.Pow(10, -math.Floor(float64(k)/40))+1e-6) >= 10 {
				want = append(want, math.Pow(10, -float64(k)/40))
			}
		}
		for _, p := range []struct{ need, share float64 }{{20, 0.5}, {200, 0.05}} {
			if last >= p.need {
				want = append(want, p.share)
			}
		}
		slices.Sort(want)
		slices.Reverse(want)
		if len(want) != points {
			t.Errorf("%d: %d points, want %d: the last is at %v", n, points, len(want), line.X[points-1])
			continue
		}
		for i, q := range line.X[:points] {
			if math.Abs((1-q)/want[i]-1) > 0.0006 {
				t.Errorf("%d: point %d is at %v, want %v", n, i, q, 1-want[i])
			}
			if ns := float64(rankedAt(times, q)); math.Abs(line.Y[i]/ns-1) > 0.001 {
				t.Errorf("%d: %v at %v, want %v", n, line.Y[i], q, ns)
			}
		}
	}
}

// What has a quantile in the document has the document's figure, even where the histogram says something else.
func TestCurveHasTheDocumentsPercentiles(t *testing.T) {
	sum := timesOf(upTo(20_000)...)
	own := map[float64]**int64{0.5: &sum.P50NS, 0.9: &sum.P90NS, 0.95: &sum.P95NS, 0.99: &sum.P99NS, 0.999: &sum.P999NS}
	for q, ns := range own {
		*ns = new(**ns + int64(1000*q))
	}
	line := curve("x", "1", &sum)[0]
	for q, ns := range own {
		if i := slices.Index(line.X, q); i < 0 || line.Y[i] != float64(**ns) {
			t.Errorf("%v: point %d, want %d", q, i, **ns)
		}
	}
	// A time below 1 ns is not known, and a curve of none is none.
	nothing := timesOf(1, 1)
	nothing.MaxNS, nothing.MinNS = 0, 0
	if all := curve("x", "1", &nothing); all != nil {
		t.Errorf("%+v", all)
	}
	if all := curve("x", "1", &rundoc.Summary{}); all != nil {
		t.Errorf("%+v", all)
	}
	two := timesOf(1, 1)
	if line := curve("x", "1", &two)[0]; line.Y[1] != 1 || line.X[1] != 0.5 {
		t.Errorf("%+v", line)
	}
}

// However many there are, a curve has about 200 points.
func TestCurveIsBounded(t *testing.T) {
	for _, n := range []int64{1e6, 1e9, 1e12} {
		all := quantilesOf(n)
		if len(all) < 190 || len(all) > 205 || !slices.IsSorted(all) {
			t.Errorf("%d: %d points", n, len(all))
		}
		if far := nines(1-10/float64(n)) - nines(all[len(all)-1]); far < -0.001 || far > 1.0/15 {
			t.Errorf("%d: it ends at %v", n, all[len(all)-1])
		}
	}
	for above, want := range map[float64]float64{0.123456: 0.8765, 0.0123456: 0.98765, 0.000123456: 0.9998765, 1: 0, 0.1: 0.9} {
		if got := quantileAt(above); got != want {
			t.Errorf("%v above: %v, want %v", above, got, want)
		}
	}
}

// Which distributions a run has: of all operations, and of each where there are a few.
func TestDistributions(t *testing.T) {
	for _, tt := range []struct {
		operations int
		mixed      bool
		want       bool
	}{{0, false, false}, {1, false, false}, {2, false, true}, {6, false, true}, {7, false, false}, {0, true, false}, {1, true, true}, {6, true, true}, {7, true, false}} {
		s := Source{Run: &rundoc.Run{}, Mixed: tt.mixed}
		for range tt.operations {
			s.Run.Operations = append(s.Run.Operations, rundoc.Operation{Name: "get", ResponseTime: timesOf(upTo(20)...)})
		}
		p, some := s.byOperation()
		if some != tt.want || some && len(p.Series) != tt.operations {
			t.Errorf("%+v: %t, %d lines", tt, some, len(p.Series))
		}
		for i := range s.Run.Operations[:max(0, tt.operations-1)] { // which leaves the last
			s.Run.Operations[i].ResponseTime = rundoc.Summary{}
		}
		if p, some := s.byOperation(); some != tt.want || some && p.Series[0].Role != graph.Role(rune('0'+tt.operations)) {
			t.Errorf("%+v: of the last alone: %t, %+v", tt, some, p.Series)
		}
		if tt.operations > 0 {
			s.Run.Operations[tt.operations-1].ResponseTime = rundoc.Summary{}
		}
		if _, some := s.byOperation(); some {
			t.Errorf("%+v: of no times", tt)
		}
	}
	run := openRun()
	given := sourceOf(run)
	given.Total = &rundoc.Operation{ResponseTime: timesOf(7*ms, 9*ms)}
	line := named(t, Panels(given), Distribution).Series
	if len(line) != 1 || line[0].Y[len(line[0].Y)-1] != float64(9*ms) {
		t.Errorf("the operation that a report knows as the total: %+v", line)
	}
}

// Goals are those of the figure that a panel shows, whatever they compare it with.
func TestGoals(t *testing.T) {
	run := &rundoc.Run{}
	for _, expr := range []string{"p99<1ms", "p99 <= 1ms", "p99{get}>1ms", "p99=1ms", "p99.9<1ms", "<1ms", "rate>1", "p50<1ms"} {
		run.Thresholds = append(run.Thresholds, rundoc.Threshold{Expr: expr, Unit: "ns", Limit: 1e6, Value: new(2e6), Met: expr == "p99=1ms"})
	}
	run.Thresholds = append(run.Thresholds, rundoc.Threshold{Expr: "p99<1", Unit: "per_s"},
		rundoc.Threshold{Expr: "p99<1.5ms", Unit: "ns", Limit: 1.5e6, Value: new(2e6), Free: new(1e6)},
		rundoc.Threshold{Expr: "p99<2ms", Unit: "ns", Limit: 2e6, Why: "too few"})
	var got []string
	s := Source{Run: run}
	for _, r := range s.goals("ns", "p99") {
		got = append(got, strings.Join([]string{r.Name, string(r.Role)}, " / "))
	}
	want := []string{"threshold p99<1ms, missed / failed", "threshold p99 <= 1ms, missed / failed", "threshold p99{get}>1ms, missed / failed", "threshold p99=1ms, met / met",
		"threshold p99<1.5ms, cannot be evaluated / unknown", "threshold p99<2ms, cannot be evaluated / unknown"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
