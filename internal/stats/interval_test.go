package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The ranks of independent observations are in tables (Conover, Practical Nonparametric Statistics, table A3): of 100,
// P(K ≤ 39) is 0.0176 and P(K ≤ 60) is 0.9824, of 40, P(K ≤ 13) is 0.0192.
func TestOrderStatisticsAreThoseOfTheBinomialDistribution(t *testing.T) {
	for _, tt := range []struct{ n, low, high float64 }{{100, 40, 61}, {40, 14, 27}} {
		low, high, found := orderStatistics(tt.n, 0.5, 0.025)
		if !found || math.Floor(low) != tt.low || math.Ceil(high) != tt.high {
			t.Errorf("of %v: %v to %v, want %v to %v", tt.n, low, high, tt.low, tt.high)
		}
	}
	// (0.99)^n ≤ 0.025 from 368 on.
	for n, want := range map[float64]bool{366: false, 370: true} {
		if _, _, found := orderStatistics(n, 0.99, 0.025); found != want {
			t.Errorf("p99 of %v: %v", n, found)
		}
	}
}

func TestShareIntervalIsExact(t *testing.T) {
	for _, tt := range []struct{ had, n, low, high float64 }{
		{0, 100, 0, 0.036217}, {10, 100, 0.049005, 0.176223}, {100, 100, 0.963783, 1}, {0, 0, 0, 1},
	} {
		low, high := ShareInterval(tt.had, tt.n)
		if math.Abs(low-tt.low) > 1e-6 || math.Abs(high-tt.high) > 1e-6 {
			t.Errorf("%v of %v: %.6f to %.6f, want %v to %v", tt.had, tt.n, low, high, tt.low, tt.high)
		}
	}
}

func TestNoIntervalSaysWhy(t *testing.T) {
	even := func(number int, n, above int64) func(float64) []Batch {
		return func(float64) []Batch {
			list := make([]Batch, number)
			for i := range list {
				list[i] = Batch{n, above}
			}
			return list
		}
	}
	drift := func(float64) []Batch { // all that is slow comes last
		list := make([]Batch, 64)
		for i := range list {
			list[i].N = 100
			if i >= 32 {
				list[i].Above = 100
			}
		}
		return list
	}
	for _, tt := range []struct {
		n     int64
		q     float64
		above func(float64) []Batch
		want  string
	}{
		{400, 0.5, even(4, 100, 50), "too few time slices: 4, at least 5 are needed"},
		{6400, 0.5, even(64, 100, 100), "all values are on the same side of the percentile"},
		{64, 0.99, even(64, 1, 0), "all values are on the same side of the percentile"},
		{0, 0.5, even(64, 0, 0), "there are no values"},
		{6400, 1, even(64, 100, 50), "there are no values"},
		{320, 0.99, even(64, 5, 1), "too few values: 320"},
		{6400, 0.5, drift, "consecutive values are correlated: 6400 of them have an effective sample size of only 1"},
	} {
		if r := QuantileRanks(tt.n, tt.q, tt.above); r.Absent != tt.want || r.Low != 0 || r.High != 0 {
			t.Errorf("%+v, want %q", r, tt.want)
		}
	}
}

// Any batches give ranks in order and within the sample, or none.
func TestRanksAreWithinTheSample(t *testing.T) {
	rng := rand.New(rand.NewPCG(firstSeed, 3))
	for range 3000 {
		list := make([]Batch, rng.IntN(130))
		n := int64(0)
		for i := range list {
			list[i].N = rng.Int64N(1 << rng.IntN(12))
			if list[i].N > 0 {
				list[i].Above = rng.Int64N(list[i].N + 1)
			}
			n += list[i].N
		}
		q := rng.Float64()
		r := QuantileRanks(n, q, func(float64) []Batch { return list })
		if r.Absent == "" && !(1 <= r.Low && r.Low <= r.High && r.High <= n && r.Effective <= float64(n)) {
			t.Fatalf("%v of %v in %v: %+v", q, n, list, r)
		}
	}
}

func BenchmarkQuantileRanks(b *testing.B) {
	list := make([]Batch, 128)
	for i := range list {
		list[i] = Batch{1000, 40 + int64(i%7)}
	}
	for b.Loop() {
		QuantileRanks(128_000, 0.95, func(float64) []Batch { return list })
	}
}
