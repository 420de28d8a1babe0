package overhead

import (
	"math"
	"slices"
)

// MaxKept is how many single values are kept of each figure of an operation. Of more, every
// second one is dropped, then every second one of the rest, and so on: those that are kept are
// spread evenly over the measurement. The count, the mean and the extremes are of all.
const MaxKept = 500_000

// Series holds the single values of a figure, in the order of their measurement.
type Series struct {
	N        int64
	Min, Max int64
	Sum      float64
	Values   []int64

	rounds []int // where in Values each round begins
	bound  int   // MaxKept, or fewer in a test; even
	stride int   // every stride-th value is kept
	skip   int   // of the values to come
}

func newSeries() *Series { return &Series{bound: MaxKept, stride: 1} }

func (s *Series) add(v int64) {
	if s.N == 0 || v < s.Min {
		s.Min = v
	}
	if s.N == 0 || v > s.Max {
		s.Max = v
	}
	s.N++
	s.Sum += float64(v)
	if s.skip > 0 {
		s.skip--
		return
	}
	s.skip = s.stride - 1
	if s.Values = append(s.Values, v); len(s.Values) < s.bound {
		return
	}
	for i := range s.bound / 2 {
		s.Values[i] = s.Values[2*i]
	}
	s.Values = s.Values[:s.bound/2]
	s.stride *= 2
	for i, from := range s.rounds {
		s.rounds[i] = (from + 1) / 2
	}
}

// beginRound begins a round.
func (s *Series) beginRound() { s.rounds = append(s.rounds, len(s.Values)) }

// Mean is the mean of all values; 0 of none.
func (s *Series) Mean() float64 {
	if s.N == 0 {
		return 0
	}
	return s.Sum / float64(s.N)
}

// Percentiles gives the quantiles at these shares, from 0 to 1, by linear interpolation between
// the values of the ranks around p·(n−1): definition 7 of Hyndman and Fan, "Sample Quantiles in
// Statistical Packages" (1996), the default of R and of numpy. They are 0 when there is no value.
func (s *Series) Percentiles(shares ...float64) []float64 {
	sorted := slices.Sorted(slices.Values(s.Values))
	list := make([]float64, len(shares))
	if len(sorted) == 0 {
		return list
	}
	for i, p := range shares {
		rank := p * float64(len(sorted)-1)
		low := math.Floor(rank)
		below, above := float64(sorted[int(low)]), float64(sorted[min(int(low)+1, len(sorted)-1)])
		list[i] = below + (rank-low)*(above-below)
	}
	return list
}

// Spread gives at most n of the kept values, spread evenly over the measurement and in its order,
// and how many of them each round has.
func (s *Series) Spread(n int) (values []int64, rounds []int) {
	have := len(s.Values)
	n = min(n, have)
	values = make([]int64, n)
	for i := range values {
		values[i] = s.Values[i*have/n]
	}
	for i, from := range s.rounds {
		to := have
		if i+1 < len(s.rounds) {
			to = s.rounds[i+1]
		}
		// The first value of the spread that is not before a place.
		first := func(place int) int { return (place*n + have - 1) / max(1, have) }
		rounds = append(rounds, first(to)-first(from))
	}
	return values, rounds
}
