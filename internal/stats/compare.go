package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

const (
	// MinValues is the least number of values on either side of a comparison.
	MinValues = 20
	// Alpha is how often, at most, a difference may be claimed where there is none, over all
	// rows of a comparison.
	Alpha = 0.05
	// minIndependent is how many independent values the values of either side must be worth:
	// with fewer, the interval of a median reaches beyond the values.
	minIndependent = 8
	// batches is into how many stretches a series in one piece is cut to see how far its values hang
	// together. More would make the stretches shorter than slow spells are (with 30, twice as
	// many false claims where ρ is 0.98); fewer, their variance a guess.
	batches = 15
	// longSpell is the autocorrelation of stretches above which slow spells are taken to be longer than
	// a stretch. Chance alone makes it 0.26 (the standard deviation for 15 of them): with a lower bound
	// the interval would be wider for nothing, with a higher one twice as many claims would be false
	// where ρ is 0.98 and n 1,000.
	longSpell = 0.3
)

// Shift is the difference between the medians of two samples.
type Shift struct {
	Before, Now float64 // medians
	Diff        float64 // Now − Before
	Lo, Hi      float64 // its 95% confidence interval
	P           float64 // that samples of the same distribution differ so much
	// Whitney is the p of Mann and Whitney's test by itself, which takes the values for
	// independent of each other.
	Whitney float64
	// Dependence is how many times wider the squared error is than it would be for independent
	// values, in the worse of the two samples; 1 for independent ones.
	Dependence float64
	Absent     string // why there is no interval and no P; "" if there are
}

// Series is a sample: values in the order of their measurement. Rounds, if there are any, say how many
// values each part has that was measured by itself, with something else between it and the next one.
type Series struct {
	Values []int64
	Rounds []int
}

// CompareMedians compares two samples.
//
// The test is that of Mann and Whitney, by benchmath. It takes the values for independent,
// but neighbours in a series of calls are alike, and then its p is too small. So P is the
// larger one of that p and of the p by placements: the placement of a value is the share of
// the other sample's values below it, ties counting half. The means of the placements differ
// from ½ by as much as U differs from its expectation; the variance of the means contains
// the dependence, by the means of the rounds or, without them, of 15 stretches of each series, or by
// its autocorrelation, whichever says more (batch means: Law, Simulation Modeling and Analysis, chapter 9;
// placements: Brunner and Munzel, The Nonparametric Behrens-Fisher Problem, Biometrical Journal 42, 2000).
//
// benchmath gives the interval of a median but none of a difference. Here the interval of
// each median lies between the values of the ranks ½ ± t·√(v/n) (Woodruff, Confidence
// Intervals for Medians and Other Position Measures, JASA 47, 1952), where v is the variance
// of "at most the median", ¼ for independent values, and more by the same two estimates where
// they say so. The two intervals make that of the difference by the method of variance
// estimates recovery (Zou and Donner, Construction of Confidence Limits about Effect Measures,
// Statistics in Medicine 27, 2008), which keeps their skewness.
func CompareMedians(before, now Series) Shift {
	s := Shift{P: 1, Whitney: 1, Dependence: 1}
	n := min(len(before.Values), len(now.Values))
	if n < MinValues {
		s.Absent = fmt.Sprintf("too few values: %d, at least %d are needed on each side", n, MinValues)
		return s
	}
	a, b := newSeries(before), newSeries(now)
	s.Before, s.Now = Percentile(a.sorted, 0.5), Percentile(b.sorted, 0.5)
	s.Diff = s.Now - s.Before
	lowA, highA, depA := a.medianInterval()
	lowB, highB, depB := b.medianInterval()
	s.Dependence = max(depA, depB)
	if effective := min(float64(len(a.values))/depA, float64(len(b.values))/depB); effective < minIndependent {
		s.Absent = fmt.Sprintf("the values drift: %d of them have an effective sample size of only %.1f", n, effective)
		return s
	}
	s.Lo = s.Diff - math.Hypot(s.Now-lowB, highA-s.Before)
	s.Hi = s.Diff + math.Hypot(highB-s.Now, s.Before-lowA)
	thresholds := benchmath.DefaultThresholds
	s.Whitney = benchmath.AssumeNothing.Compare(benchmath.NewSample(a.floats(), &thresholds),
		benchmath.NewSample(b.floats(), &thresholds)).P
	s.P = max(s.Whitney, placementP(a, b))
	return s
}

// series is a sample in the order of its measurement, and sorted; ends are where its stretches end.
type series struct {
	values, sorted []int64
	ends           []int
}

func newSeries(of Series) series {
	s := series{of.Values, slices.Clone(of.Values), stretches(of)}
	slices.Sort(s.sorted)
	return s
}

// stretches are the rounds of a series that have values, if there are enough to tell how much they
// vary; else as many equal parts as there are to be.
func stretches(of Series) (ends []int) {
	n, end := len(of.Values), 0
	for _, length := range of.Rounds {
		if length < 0 || length > n-end {
			end = -1 // of another series
			break
		}
		if end += length; length > 0 {
			ends = append(ends, end)
		}
	}
	if end == n && len(ends) >= minIndependent {
		return ends
	}
	ends = nil
	for i := range min(batches, n) {
		ends = append(ends, (i+1)*n/min(batches, n))
	}
	return ends
}

func (s series) floats() []float64 {
	list := make([]float64, len(s.sorted))
	for i, v := range s.sorted {
		list[i] = float64(v)
	}
	return list
}

// medianInterval is the interval of the median, and how many times the variance of
// independent values its variance is.
func (s series) medianInterval() (low, high, dependence float64) {
	n := float64(len(s.values))
	median := Percentile(s.sorted, 0.5)
	below := make([]float64, len(s.values))
	for i, v := range s.values {
		switch {
		case float64(v) < median:
			below[i] = 1
		case float64(v) == median:
			below[i] = 0.5
		}
	}
	_, variance := meanOf(below, s.ends)
	dependence = max(1, variance*n/0.25)
	reach := student975(float64(len(s.ends)-1)) * math.Sqrt(0.25*dependence/n)
	return Percentile(s.sorted, 0.5-reach), Percentile(s.sorted, 0.5+reach), dependence
}

// meanOf is the mean of a series and the variance of that mean: the largest of those for
// independent values, for the means of stretches, and for a process that forgets
// exponentially, whose lag-1 autocorrelation ρ multiplies it by (1+ρ)/(1−ρ). Stretches show
// slow spells, but not those of a short series; ρ shows these. A ρ that chance made low, or the
// estimate's own bias, is set right on average by (1+3ρ)/n (Marriott and Pope, Bias in the
// Estimation of Autocorrelations, Biometrika 41, 1954).
func meanOf(x []float64, ends []int) (mean, variance float64) {
	mean, of, rho := moments(x)
	n := float64(len(x))
	variance = of / n
	if rho += (1 + 3*rho) / n; rho > 0 && of > 0 {
		rho = min(rho, 1-1/n)
		variance *= (1 + rho) / (1 - rho)
	}
	return mean, max(variance, between(x, ends, mean))
}

// between is the variance of the mean by how much the stretches differ: each moves the mean by as much
// as it has a part in it. Stretches that are like their neighbours say less, as values do.
func between(x []float64, ends []int, mean float64) float64 {
	count := float64(len(ends))
	if count < 2 {
		return 0
	}
	var sum, last, products float64
	from := 0
	for _, to := range ends {
		part := 0.0
		for _, v := range x[from:to] {
			part += v - mean
		}
		part /= float64(len(x)) // by how much the stretch moves the mean
		sum += part * part
		products += part * last
		last, from = part, to
	}
	variance := sum * count / (count - 1)
	if sum == 0 {
		return 0
	}
	rho := products / sum
	if rho += (1 + 3*rho) / count; rho > longSpell {
		rho = min(rho, 0.9)
		variance *= (1 + rho) / (1 - rho)
	}
	return variance
}

// placementP is the p of the difference between the mean placements, two-sided.
func placementP(a, b series) float64 {
	inB, inA := placements(a.values, b.sorted), placements(b.values, a.sorted)
	meanA, varA := meanOf(inB, a.ends)
	meanB, varB := meanOf(inA, b.ends)
	diff := (meanB - meanA) / 2 // each is as far from ½ as the other
	switch {
	case diff == 0:
		return 1
	case varA+varB == 0:
		return 0 // the samples do not overlap
	}
	freeA, freeB := float64(len(a.ends)-1), float64(len(b.ends)-1)
	freedom := (varA + varB) * (varA + varB) / (varA*varA/freeA + varB*varB/freeB)
	return studentP(diff/math.Sqrt(varA+varB), freedom)
}

// placements are the shares of the other sample's values below each value, ties counting half.
func placements(values, other []int64) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		below, _ := slices.BinarySearch(other, v)
		upTo, _ := slices.BinarySearchFunc(other, v, func(o, v int64) int {
			if o <= v {
				return -1
			}
			return 1
		})
		list[i] = float64(below+upTo) / 2 / float64(len(other))
	}
	return list
}

// studentP is the two-sided p of Student's t, by the normal distribution of a transformed t:
// Wallace, Bounds on Normal Approximations to Student's and the Chi-Square Distributions, Annals
// of Mathematical Statistics 30, 1959. For 29 degrees of freedom it is within 2% down to 10⁻⁶.
func studentP(t, freedom float64) float64 {
	z := (8*freedom + 1) / (8*freedom + 3) * math.Sqrt(freedom*math.Log1p(t*t/freedom))
	return math.Erfc(z / math.Sqrt2)
}

// Holm adjusts the p values of several tests so that each can be compared with Alpha, and the
// chance of one false claim or more among them all stays below it (Holm, A Simple Sequentially
// Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6, 1979).
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	last := 0.0
	for rank, i := range order {
		last = max(last, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = last
	}
	return adjusted
}

// Outcome says what a comparison found. More is worse: the values are times.
type Outcome string

// The outcomes.
const (
	Better     Outcome = "better"
	Worse      Outcome = "worse"
	Same       Outcome = "same"
	CannotTell Outcome = "cannot tell"
)

// Outcome judges a shift by its P after Holm, and the smallest difference that matters as a
// share of the median before. A difference that matters is claimed when it cannot well be
// chance (by P and by the interval) and is that large; none, when the whole interval is
// within what does not matter.
func (s Shift) Outcome(adjustedP, minEffect float64) Outcome {
	least := minEffect * s.Before
	switch {
	case s.Absent != "" || !(s.Before > 0) || !(least >= 0):
		return CannotTell
	case adjustedP < Alpha && s.Lo > 0 && s.Diff >= least:
		return Worse
	case adjustedP < Alpha && s.Hi < 0 && -s.Diff >= least:
		return Better
	case s.Lo >= -least && s.Hi <= least:
		return Same
	}
	return CannotTell
}
