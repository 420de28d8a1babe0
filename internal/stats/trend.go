package stats

import "math"

// MannKendall is the probability, two-sided, that values without a trend show as much of one as these, which are in the
// order of time (Mann, Nonparametric Tests Against Trend, Econometrica 13, 1945). Without equal values it is exact; of
// equal ones each pair counts for neither side, which makes a trend seem less.
func MannKendall(values []float64) float64 {
	n := len(values)
	s := 0
	for i := range values {
		for j := i + 1; j < n; j++ {
			switch {
			case values[j] > values[i]:
				s++
			case values[j] < values[i]:
				s--
			}
		}
	}
	s = max(s, -s)
	// The chances of so many inversions, which are built up value by value: S = pairs − 2 × inversions.
	chance := []float64{1}
	for k := 2; k <= n; k++ {
		next := make([]float64, len(chance)+k-1)
		for i, c := range chance {
			for j := range k {
				next[i+j] += c / float64(k)
			}
		}
		chance = next
	}
	pairs, tail := n*(n-1)/2, 0.0
	for inversions, c := range chance {
		if pairs-2*inversions >= s {
			tail += c
		}
	}
	return math.Min(1, 2*tail)
}
