package stats

import (
	"math"
	"slices"
)

// Percentile is the value below which the share p of exact values lies, interpolated linearly
// between the two ranks around p·(n−1). That is type 7 of Hyndman and Fan, Sample Quantiles in
// Statistical Packages, The American Statistician 50, 1996, and the way of numpy and of R
// unless they are told otherwise. The values are in ascending order; p outside of 0 to 1 is
// taken as the nearer end, and no values have the percentile NaN.
func Percentile[T ~int64 | ~float64](sorted []T, p float64) float64 {
	n := len(sorted)
	if n == 0 || math.IsNaN(p) {
		return math.NaN()
	}
	rank := min(max(p, 0), 1) * float64(n-1)
	i := int(rank)
	a, b, t := float64(sorted[i]), float64(sorted[min(i+1, n-1)]), rank-math.Floor(rank)
	switch {
	case t == 0 || a == b:
		return a // also between infinities
	case t < 0.5:
		return a + (b-a)*t
	}
	return b - (b-a)*(1-t) // from the nearer end, so that the result never passes it
}

// Figures are what a table of exact values shows.
type Figures struct {
	N                             int
	Min, Mean, Med, P90, P99, Max float64
}

// Describe computes the figures of exact values, in any order, which it does not change. Of no
// values all figures are 0.
func Describe[T ~int64 | ~float64](values []T) Figures {
	n := len(values)
	if n == 0 {
		return Figures{}
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	// The mean of the differences from the first value, which loses less than that of the values.
	sum := 0.0
	for _, v := range sorted {
		sum += float64(v) - float64(sorted[0])
	}
	return Figures{
		N:    n,
		Min:  float64(sorted[0]),
		Mean: float64(sorted[0]) + sum/float64(n),
		Med:  Percentile(sorted, 0.5),
		P90:  Percentile(sorted, 0.9),
		P99:  Percentile(sorted, 0.99),
		Max:  float64(sorted[n-1]),
	}
}
