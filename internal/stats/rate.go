package stats

import (
	"fmt"
	"math"
)

// MinSeconds is the least number of full seconds for an interval. With fewer, the variance
// and the correlation of neighbours are guesses.
const MinSeconds = 8

// minEffective is the least number of independent seconds that the full ones must be worth.
const minEffective = 3

// Interval says how far a mean rate may be from the rate that the same system would show in
// the long run.
type Interval struct {
	Half      float64 // the 95% confidence interval is the mean ± Half; in operations a second
	Seconds   int     // full seconds that it comes from
	Effective float64 // as many independent seconds would say as much
	Absent    string  // why there is no interval; "" if there is one
}

// MeanRate is the confidence interval of the mean of the counts of full seconds.
//
// Neighbouring seconds are alike (a slow spell lasts longer than one), so n of them say less
// than n independent ones. They are taken as a first-order autoregressive process with the
// lag-1 autocorrelation ρ of the sample, which leaves n·(1−ρ)/(1+ρ) effective observations
// (Thiébaux and Zwiers, The Interpretation and Estimation of Effective Sample Size, Journal
// of Climate and Applied Meteorology 23, 1984). A negative ρ would narrow
// the interval; it is taken as 0. The half-width is Student's t, for one degree of freedom
// less than that, times the standard error.
func MeanRate(perSecond []float64) Interval {
	n := len(perSecond)
	r := Interval{Seconds: n}
	if n < MinSeconds {
		r.Absent = fmt.Sprintf("at least %d full seconds are needed, this run has %d", MinSeconds, n)
		return r
	}
	_, variance, rho := moments(perSecond)
	rho = max(0, rho)
	r.Effective = float64(n) * (1 - rho) / (1 + rho)
	if r.Effective < minEffective {
		r.Absent = fmt.Sprintf("the rate drifts: %d seconds have an effective sample size of only %.1f", n, r.Effective)
		return r
	}
	r.Half = student975(r.Effective-1) * math.Sqrt(variance/r.Effective)
	if math.IsNaN(r.Half) || math.IsInf(r.Half, 0) {
		return Interval{Seconds: n, Absent: "the counts are not finite"}
	}
	return r
}

// moments gives the mean, the unbiased variance and the lag-1 autocorrelation.
func moments(x []float64) (mean, variance, rho float64) {
	// The differences from the first value: of values that are all the same the mean must be that one, or what rounding
	// leaves between the two would seem to be a drift.
	for _, v := range x {
		mean += (v - x[0]) / float64(len(x))
	}
	mean += x[0]
	var squares, products float64
	for i, v := range x {
		squares += (v - mean) * (v - mean)
		if i > 0 {
			products += (v - mean) * (x[i-1] - mean)
		}
	}
	if squares == 0 {
		return mean, 0, 0
	}
	return mean, squares / float64(len(x)-1), products / squares
}

// student975 approximates the 97.5% quantile of Student's t distribution from the normal
// one: within 3% for 2 degrees of freedom, 0.2% from 5 on. Abramowitz and Stegun, Handbook
// of Mathematical Functions, 26.7.5.
func student975(freedom float64) float64 {
	const z = 1.959963984540054
	const (
		z3 = z * z * z
		z5 = z3 * z * z
		z7 = z5 * z * z
	)
	f := freedom
	return z + (z3+z)/(4*f) + (5*z5+16*z3+3*z)/(96*f*f) + (3*z7+19*z5+17*z3-15*z)/(384*f*f*f)
}
