package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// trimmedShare is how much of a sample is left out at each end of a trimmed mean. A fifth stands a tenth of wild
// values at little cost where there are none.
const trimmedShare = 0.2

// Trimmed is the middle of a sample by its mean without the lowest and the highest fifth.
//
// Its standard error is that of Tukey and McLaughlin (Less Vulnerable Confidence and Significance Procedures for
// Location Based on a Single Sample: Trimming/Winsorization 1, Sankhyā A 25, 1963): √(SS / h(h−1)), where h values
// are left, and SS is the sum of squares of the winsorized sample, in which each value left out is as the last one
// that was not. The mean ÷ the error has Student's t distribution with h − 1 degrees of freedom, nearly.
type Trimmed struct {
	N       int     // values, of which Left are in the mean
	Left    int     //
	Mean    float64 //
	Err     float64 // its standard error
	Freedom float64 // 0: there are too few values for an error
}

// TrimmedMean is that of values which are all finite.
func TrimmedMean(values []float64) Trimmed {
	return trimmedOf(slices.Sorted(slices.Values(values)), trimmedShare)
}

// PlainMean is the mean of all values, of which none is left out, and its error.
func PlainMean(values []float64) Trimmed { return trimmedOf(slices.Sorted(slices.Values(values)), 0) }

// trimmedOf is the mean of sorted values without a share of them at each end.
func trimmedOf(sorted []float64, share float64) Trimmed {
	n := len(sorted)
	if n == 0 {
		return Trimmed{}
	}
	cut := int(share * float64(n))
	left := sorted[cut : n-cut]
	h := float64(len(left))
	t := Trimmed{N: n, Left: len(left), Freedom: h - 1}
	low, high := left[0], left[len(left)-1]
	winsorized := float64(cut) * (low + high)
	for _, v := range left {
		t.Mean += v / h
		winsorized += v
	}
	winsorized /= float64(n)
	if t.Freedom == 0 {
		return t
	}
	squares := float64(cut) * ((low-winsorized)*(low-winsorized) + (high-winsorized)*(high-winsorized))
	for _, v := range left {
		squares += (v - winsorized) * (v - winsorized)
	}
	t.Err = math.Sqrt(squares / (h * (h - 1)))
	return t
}

// P is the two-sided p of the mean being 0: 1 where there is no error to hold it against.
func (t Trimmed) P() float64 {
	switch {
	case t.Freedom == 0 || t.Mean == 0:
		return 1
	case t.Err == 0:
		return 0
	}
	return StudentP(t.Mean/t.Err, t.Freedom)
}

// Interval has the true middle in it but for a share alpha of all samples. It is as wide as can be where nothing is
// known of the error.
func (t Trimmed) Interval(alpha float64) (low, high float64) {
	if t.Freedom == 0 || !(alpha > 0) {
		return math.Inf(-1), math.Inf(1)
	}
	reach := StudentQuantile(1-alpha/2, t.Freedom) * t.Err
	return t.Mean - reach, t.Mean + reach
}

// StudentQuantile is the quantile of Student's t distribution, for a share above 0 and below 1.
func StudentQuantile(share, freedom float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(share)
}
