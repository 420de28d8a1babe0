package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// stream makes times like those of operations, one after the other.
type stream struct {
	name string
	next func(*rand.Rand) func() float64
}

func streams() []stream {
	auto := func(rho float64) func(*rand.Rand) func() float64 {
		return func(rng *rand.Rand) func() float64 {
			level := rng.NormFloat64()
			return func() float64 {
				level = rho*level + math.Sqrt(1-rho*rho)*rng.NormFloat64()
				return math.Exp(0.5 * level)
			}
		}
	}
	return []stream{
		{"independent", auto(0)},
		{"AR(1) 0.5", auto(0.5)},
		{"AR(1) 0.9", auto(0.9)},
		{"AR(1) 0.97", auto(0.97)},
		{"AR(1) 0.99", auto(0.99)},
		{"regimes", func(rng *rand.Rand) func() float64 { // a third of the time twice as slow, some 100 operations each
			slow := rng.Float64() < 1./3
			return func() float64 {
				if slow && rng.Float64() < 1./100 || !slow && rng.Float64() < 1./200 {
					slow = !slow
				}
				v := math.Exp(0.3 * rng.NormFloat64())
				if slow {
					v *= 2
				}
				return v
			}
		}},
		{"bursts", func(rng *rand.Rand) func() float64 { // 10 or so in 1,000 are slow, together
			left := 0
			return func() float64 {
				if left == 0 && rng.Float64() < 1./500 {
					left = 1 + int(rng.ExpFloat64()*10)
				}
				v := math.Exp(0.3 * rng.NormFloat64())
				if left > 0 {
					left--
					v *= 5
				}
				return v
			}
		}},
		{"pauses", func(rng *rand.Rand) func() float64 { // what was due in a pause waits for its end
			left := 0
			return func() float64 {
				if left == 0 && rng.Float64() < 1./700 {
					left = 20
				}
				v := math.Exp(0.3 * rng.NormFloat64())
				if left > 0 {
					v += float64(left)
					left--
				}
				return v
			}
		}},
	}
}

// quantiles are those of a stream in the long run.
func (s stream) quantiles(shares ...float64) []float64 {
	next := s.next(rand.New(rand.NewPCG(firstSeed, 7)))
	n := 300_000
	if nightly() {
		n = 1_000_000
	}
	long := make([]float64, n)
	for i := range long {
		long[i] = next()
	}
	slices.Sort(long)
	var at []float64
	for _, q := range shares {
		at = append(at, long[int(q*float64(len(long)))])
	}
	return at
}

// coverage counts trials.
type coverage struct{ had, covered, plain, trials int }

// cover counts how often the interval of each quantile of n values holds the one of the long run, and how often that
// of independent values would.
func (s stream) cover(rng *rand.Rand, n, trials int, shares, truth []float64) []coverage {
	counts := make([]coverage, len(shares))
	for range trials {
		next := s.next(rng)
		values := make([]float64, n)
		for i := range values {
			values[i] = next()
		}
		sorted := slices.Sorted(slices.Values(values))
		above := batchesOf(values, sorted, 64+rng.IntN(64))
		for i, q := range shares {
			c := &counts[i]
			c.trials++
			r := QuantileRanks(int64(n), q, above)
			if r.Absent != "" {
				continue
			}
			c.had++
			if sorted[r.Low-1] <= truth[i] && truth[i] <= sorted[r.High-1] {
				c.covered++
			}
			low, high, _ := orderStatistics(float64(n), q, 0.025)
			if sorted[int(low)-1] <= truth[i] && truth[i] <= sorted[int(math.Ceil(high))-1] {
				c.plain++
			}
		}
	}
	return counts
}

// batchesOf parts values into stretches.
func batchesOf(values, sorted []float64, number int) func(float64) []Batch {
	n := len(values)
	known := map[float64][]Batch{}
	return func(q float64) []Batch {
		if list, is := known[q]; is {
			return list
		}
		cut := sorted[int(math.Ceil(q*float64(n)))-1]
		list := make([]Batch, number)
		for i, v := range values {
			b := &list[i*number/n]
			b.N++
			if v > cut {
				b.Above++
			}
		}
		known[q] = list
		return list
	}
}

// The intervals of quantiles hold the true quantile as often as the package documents. A trial without an interval was too short.
func TestQuantileIntervalsCoverCorrelatedStreams(t *testing.T) {
	shares := []float64{0.5, 0.9, 0.99}
	trials := 40
	if nightly() {
		trials = 300
	}
	t.Logf("seed %d", firstSeed)
	var all coverage
	misled := 0
	for i, s := range streams() {
		truth := s.quantiles(shares...)
		rng := rand.New(rand.NewPCG(firstSeed, uint64(i)))
		for k, c := range s.cover(rng, 10_000, trials, shares, truth) {
			t.Logf("%-12s p%g: %d of %d trials have an interval, %.3f of them hold the truth; %.3f as if independent",
				s.name, 100*shares[k], c.had, c.trials, part(c.covered, c.had), part(c.plain, c.had))
			if 3*c.had < c.trials {
				continue // it is the exception, where the run does not show how much is alike
			}
			all.had, all.covered = all.had+c.had, all.covered+c.covered
			if part(c.plain, c.had) < 0.8 {
				misled++
			}
			const want = 0.93
			if room := 3.5 * math.Sqrt(want*(1-want)/float64(c.had)); part(c.covered, c.had) < want-room {
				t.Errorf("%s p%g: %.3f hold the truth", s.name, 100*shares[k], part(c.covered, c.had))
			}
		}
	}
	t.Logf("all: %.4f of %d", part(all.covered, all.had), all.had)
	if part(all.covered, all.had) < 0.93 {
		t.Errorf("all: %.4f of %d hold the truth", part(all.covered, all.had), all.had)
	}
	if misled < 10 {
		t.Errorf("only %d of the intervals of independent values are too narrow: the streams test nothing", misled)
	}
}

func part(n, of int) float64 { return float64(n) / float64(of) }

// Intervals of short runs, where there are any, hold the true quantile.
func TestQuantileIntervalsCoverShortRuns(t *testing.T) {
	trials := 60
	if nightly() {
		trials = 400
	}
	shares := []float64{0.5, 0.9, 0.99}
	for i, s := range streams() {
		rng := rand.New(rand.NewPCG(firstSeed, 100+uint64(i)))
		for k, c := range s.cover(rng, 2_000, trials, shares, s.quantiles(shares...)) {
			t.Logf("%-12s p%g: %d of %d trials have an interval, %.3f of them hold the truth", s.name, 100*shares[k],
				c.had, c.trials, part(c.covered, c.had))
			if 3*c.had > c.trials && part(c.covered, c.had) < 0.85 {
				t.Errorf("%s p%g: %.3f hold the truth", s.name, 100*shares[k], part(c.covered, c.had))
			}
		}
	}
}
