package stats

import (
	"fmt"
	"math"
)

// Batch is a stretch of time: how many observations it has, and how many of them are above a value.
type Batch struct{ N, Above int64 }

// Alike says how much observations that follow each other in time are alike, as seen at one value: in their number
// above it.
type Alike struct {
	// Inflation is by how many times the share above the value scatters more, in its variance, than that of
	// independent observations does; 1 or more.
	Inflation float64
	Freedom   float64 // degrees of freedom of that estimate
	Batches   int     // that it comes from, merged
	Absent    string  // why it is not known; "" if it is
}

// MinBatches is the least number of batches for an estimate.
const MinBatches = 5

const (
	// fewBatches is how many there are at least after neighbours were merged.
	fewBatches = 8
	// mostAlike bounds the correlation of neighbours that is taken into account.
	mostAlike = 0.8
)

// AlikeIn estimates it from batches in the order of time, which need not be of the same size.
//
// It is the variance of the batches' excess, the number above the value less the batch's part of all that are, over
// what independent observations would have: the ratio estimator (Cochran, Sampling Techniques, 3rd edition, 6.3) by
// the method of batch means (Law, Simulation Modeling and Analysis, 5th edition, 9.5.3). Batches that are still alike
// say too little, so neighbours are merged until their lag-1 correlation is small. What is left of that is taken into
// account as MeanRate does, and so is how uncertain a variance is that comes of few batches, or of a few far ones.
func AlikeIn(batches []Batch) Alike {
	list := filled(batches)
	if len(list) < MinBatches {
		return Alike{Absent: fmt.Sprintf("too few time slices: %d, at least %d are needed", len(list),
			MinBatches)}
	}
	parts := make([]Part, len(list))
	var n, above float64
	for i, b := range list {
		parts[i] = Part{Of: float64(b.Above), All: float64(b.N)}
		n, above = n+parts[i].All, above+parts[i].Of
	}
	p := above / n
	independent := n * p * (1 - p)
	if !(independent > 0) {
		return Alike{Absent: "all values are on the same side of the percentile"}
	}
	variance, freedom, left := scatterOf(parts, p)
	return Alike{Inflation: max(1, variance/independent), Freedom: freedom, Batches: left}
}

// MeanOf is the mean of what the parts are of, in the order of time, and how far it may be from that of the long run
// with 95% confidence: by how much the parts scatter, as in AlikeIn. false: they are too few.
func MeanOf(parts []Part) (mean, half float64, known bool) {
	var of, all float64
	var list []Part
	for _, p := range parts {
		if p.All > 0 {
			list, of, all = append(list, p), of+p.Of, all+p.All
		}
	}
	if len(list) < MinBatches {
		return 0, 0, false
	}
	variance, freedom, _ := scatterOf(list, of/all)
	return of / all, Student975(freedom) * math.Sqrt(variance) / all, true
}

// scatterOf is the variance of the sum of all parts' excess over a ratio, and the degrees of freedom of that estimate,
// which so many parts were left for when neighbours were merged until they were hardly alike.
func scatterOf(list []Part, ratio float64) (variance, freedom float64, parts int) {
	for ; ; list = longer(list) {
		variance, kurtosis, rho := scatter(list, ratio)
		count := float64(len(list))
		if rho <= 1/math.Sqrt(count) || len(list) < 2*fewBatches {
			rho = min(max(rho, 0), mostAlike)
			more := (1 + rho) / (1 - rho)
			// The variance of a variance (Cramér, Mathematical Methods of Statistics, 27.4).
			return variance * more, max(1, 2/(more*max(2/(count-1), (kurtosis-1)/count))), len(list)
		}
	}
}

// filled are the batches that have observations.
func filled(batches []Batch) []Batch {
	list := make([]Batch, 0, len(batches))
	for _, b := range batches {
		if b.N > 0 {
			list = append(list, b)
		}
	}
	return list
}

// scatter is the variance of the sum of the parts' excess over a ratio; their kurtosis; and the correlation of
// neighbours.
func scatter(list []Part, ratio float64) (variance, kurtosis, rho float64) {
	var squares, fourths, products, last float64
	for _, p := range list {
		excess := p.Of - ratio*p.All
		square := excess * excess
		squares, fourths = squares+square, fourths+square*square
		products += excess * last
		last = excess
	}
	n := float64(len(list))
	if squares == 0 {
		return 0, 0, 0
	}
	// The mean was taken off, which makes neighbours seem less alike than they are.
	return squares * n / (n - 1), fourths * n / (squares * squares), products/squares + 1/n
}

// Ranks is the interval of a quantile within a sample that was taken in the order of time: 95% confidence that what
// it was taken of has the quantile between the observations of these ranks.
type Ranks struct {
	Low, High int64   // from 1 on, in ascending order
	Effective float64 // as many independent observations would say as much
	Absent    string  // why there is no interval; "" if there is one
}

// minBeyond is how many effective observations must lie on either side of a quantile.
const minBeyond = 1.5

// QuantileRanks is the interval of a quantile of n observations; above gives, for a quantile of the sample, how many
// observations of each stretch of time are above it. It is asked for the one that is wanted and for the middle.
//
// The interval is that of order statistics, by the binomial distribution of how many of a sample are below a quantile
// (David and Nagaraja, Order Statistics, 3rd edition, 7.1), with the effective number of observations in place of
// the real one, and wider by Student's t where that is uncertain. Where neighbours are much alike, few
// observations beyond the quantile tell little of how much, and an interval would be there just when the estimate is
// too low: so there is none unless the middle, of which more is known, could bear one as well.
func QuantileRanks(n int64, quantile float64, above func(quantile float64) []Batch) Ranks {
	if !(quantile > 0 && quantile < 1) || n <= 0 {
		return Ranks{Absent: "there are no values"}
	}
	a := AlikeIn(above(quantile))
	if a.Absent != "" {
		return Ranks{Absent: a.Absent}
	}
	middle := AlikeIn(above(0.5))
	all := float64(n)
	beyond := min(quantile, 1-quantile) * all / max(a.Inflation, middle.Inflation)
	r := RanksOf(n, quantile, a)
	if r.Absent != "" || beyond < minBeyond {
		r.Low, r.High = 0, 0
		r.Absent = fmt.Sprintf("consecutive values are correlated: %d of them have an effective sample size of only %.3g",
			n, all/max(a.Inflation, middle.Inflation))
		if a.Inflation < 2 && middle.Inflation < 2 {
			r.Absent = fmt.Sprintf("too few values: %d", n)
		}
	}
	return r
}

// RanksOf is the interval of a quantile of n observations of which it is known how much they are alike.
func RanksOf(n int64, quantile float64, a Alike) Ranks {
	r := Ranks{Effective: float64(n) / a.Inflation}
	low, high, found := orderStatistics(r.Effective, quantile, normalTail(a.Freedom))
	if !found {
		r.Absent = fmt.Sprintf("too few values: %d", n)
		return r
	}
	r.Low = int64(math.Floor((low-1)*a.Inflation)) + 1
	r.High = min(n, int64(math.Ceil(high*a.Inflation)))
	return r
}

// normalTail is the chance that is left on either side, so that the normal distribution is as wide as Student's t with
// these degrees of freedom is at 2.5 %.
func normalTail(freedom float64) float64 { return math.Erfc(Student975(freedom)/math.Sqrt2) / 2 }

// orderStatistics are the ranks of an interval in a sample of n, which need not be whole: of the binomial distribution
// of how many lie below the quantile, P(K < r) = I(1−q; n−r+1, r). false: the sample is too small for one.
func orderStatistics(n, quantile, tail float64) (low, high float64, found bool) {
	below := func(rank float64) float64 { return betaBelow(1-quantile, n-rank+1, rank) }
	if n < 1 || below(1) > tail || below(n) < 1-tail {
		return 0, 0, false
	}
	return bisect(1, n, tail, below), bisect(1, n, 1-tail, below), true
}

// bisect finds where a function that rises has a value.
func bisect(low, high, value float64, of func(float64) float64) float64 {
	for range 60 {
		middle := (low + high) / 2
		if of(middle) < value {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// ShareInterval is the 95% confidence interval of a share, of which n independent trials had so many: the exact one of
// Clopper and Pearson, The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial, Biometrika 26,
// 1934. Of no trials it is 0 to 1.
func ShareInterval(had, n float64) (low, high float64) { return shareInterval(had, n, 0.025) }

// ShareIntervalOf is that of trials which are alike: as many independent ones as say as much as all.
func ShareIntervalOf(had, n float64, alike Alike) (low, high float64) {
	return shareInterval(had/alike.Inflation, n/alike.Inflation, normalTail(alike.Freedom))
}

func shareInterval(had, n, tail float64) (low, high float64) {
	if !(n > 0) {
		return 0, 1
	}
	low, high = 0, 1
	if had > 0 {
		low = bisect(0, 1, tail, func(p float64) float64 { return betaBelow(p, had, n-had+1) })
	}
	if had < n {
		high = bisect(0, 1, 1-tail, func(p float64) float64 { return betaBelow(p, had+1, n-had) })
	}
	return low, high
}
