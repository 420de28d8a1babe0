package times_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/report/times"
	"github.com/plimsoll/plimsoll/rundoc"
)

// drawn are sorted times that were drawn by chance, and their summary.
func drawn(t *testing.T, rng *rand.Rand, n int) (sorted []int64, of *rundoc.Summary) {
	t.Helper()
	h := hdrhistogram.New(1, 1e12, 3)
	sum := int64(0)
	for range n {
		ns := int64(math.Exp(13 + 2*rng.NormFloat64()))
		if err := h.RecordValue(ns); err != nil {
			t.Fatal(err)
		}
		sorted, sum = append(sorted, ns), sum+ns
	}
	slices.Sort(sorted)
	s := rundoc.Summarize(h, rundoc.Exact{Min: sorted[0], Max: sorted[n-1], Sum: sum})
	return sorted, &s
}

// tail is what a line is drawn at: a share of what is above each twentieth of a nine, and above those that have names, as
// long as ten are above it.
func tail(all float64) (shares []float64) {
	for k := 0.0; k < 400; k++ {
		if share := math.Pow(10, -k/20); math.Floor(all*share+1e-6) >= 10 {
			shares = append(shares, share)
		}
	}
	for need, share := range map[float64]float64{20: 0.5, 200: 0.05} {
		if all >= need {
			shares = append(shares, share)
		}
	}
	slices.Sort(shares)
	slices.Reverse(shares)
	return shares
}

// Each point of a line is the time of the rank nearest to its quantile, among all that came, those too that have no
// value; there is one at each quantile whose rank has one.
func TestDistributionMatchesTheHistogram(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, n := range []int{1, 9, 10, 11, 12, 13, 20, 100, 200, 333, 1000, 20_000, 54_321} {
		sorted, of := drawn(t, rng, n)
		for _, out := range []struct{ below, never int64 }{{}, {below: int64(n)}, {never: 3}, {below: 5, never: int64(2 * n)}, {below: 1e9}} {
			p := times.Distribution(graph.Panel{}, times.Line{Of: of, Below: out.below, Never: out.never})
			all := float64(n) + float64(out.below) + float64(out.never)
			var at graph.Values
			var ranks []int64
			for _, share := range tail(all) {
				rank := int64((1-share)*all+0.5) - out.below
				if rank >= 1 && rank <= int64(n) {
					at, ranks = append(at, share), append(ranks, rank)
				}
			}
			if len(at) == 0 {
				if len(p.Series) != 0 || p.Empty == "" {
					t.Errorf("%d and %+v: %+v, %q", n, out, p.Series, p.Empty)
				}
				continue
			}
			if len(p.Series) != 1 || p.Empty != "" {
				t.Fatalf("%d and %+v: %d lines, %q", n, out, len(p.Series), p.Empty)
			}
			s := p.Series[0]
			if !slices.IsSorted(s.X) {
				t.Errorf("%d and %+v: it goes back: %v", n, out, s.X)
			}
			if out.never == 0 { // the gap is in the middle between the tenth from above and the longest
				end := len(s.X) - 2
				if gap, most := s.X[end], s.X[end+1]; math.Abs((1-gap)*all-math.Sqrt(10)) > 1e-3 || math.Abs((1-most)*all-1) > 1e-3 ||
					!math.IsNaN(s.Y[end]) || s.Y[end+1] != float64(sorted[n-1]) {
					t.Errorf("%d and %+v: it ends with %v at %v", n, out, s.Y[end:], s.X[end:])
				}
				s.X, s.Y = s.X[:end], s.Y[:end]
			}
			if len(s.X) != len(at) || len(s.Y) != len(at) {
				t.Errorf("%d and %+v: %d points, want %d", n, out, len(s.X), len(at))
				continue
			}
			if !slices.IsSorted(s.Y) {
				t.Errorf("%d and %+v: a higher quantile has a shorter time: %v", n, out, s.Y)
			}
			for i := range at {
				if want := float64(sorted[ranks[i]-1]); math.Abs((1-s.X[i])/at[i]-1) > 1e-5 || math.Abs(s.Y[i]/want-1) > 0.001 {
					t.Errorf("%d and %+v: %v at %v, want %v at %v", n, out, s.Y[i], s.X[i], want, 1-at[i])
				}
			}
		}
	}
}

// A document's own percentiles are shown as they are, also where its histogram says something else or cannot be read.
func TestDistributionHasTheDocumentsPercentiles(t *testing.T) {
	of := upTo(t, 20_000)
	own := map[float64]**int64{0.5: &of.P50NS, 0.9: &of.P90NS, 0.95: &of.P95NS, 0.99: &of.P99NS, 0.999: &of.P999NS}
	for q, ns := range own {
		*ns = new(**ns + int64(1000*q))
	}
	broken := *of
	broken.HDR = "no histogram"
	for name, sum := range map[string]*rundoc.Summary{"with": of, "broken": &broken} {
		s := times.Distribution(graph.Panel{}, times.Line{Of: sum}).Series[0]
		for q, ns := range own {
			if i := slices.Index(s.X, q); i < 0 || s.Y[i] != float64(**ns) {
				t.Errorf("%s, %v: point %d, want %d", name, q, i, **ns)
			}
		}
		if name == "broken" && len(s.X) != len(own) {
			t.Errorf("%v: %v", s.X, s.Y)
		}
	}
	// One percentile alone is a line.
	one := rundoc.Summary{Count: 20, P50NS: new(int64(5)), HDR: "no histogram"}
	if all := times.Distribution(graph.Panel{}, times.Line{Of: &one}).Series; len(all) != 1 || len(all[0].X) != 1 {
		t.Errorf("%+v", all)
	}
}
