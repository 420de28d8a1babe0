package until

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/setdoc"
)

// LaunchRules is the number of the rules by which Launches works.
const LaunchRules = 3

const (
	// Repeated is of how many fresh launches the median is to lie in the interval.
	Repeated = 20
	// LeastLaunches are needed for such an interval at all.
	LeastLaunches = 7
	// LeastKnown is how many launches it takes to know a figure. Fewer are over in a few seconds, and have mostly seen the
	// machine in one of its moods: of five real campaigns that ended after 8 two did not have the median of 20 fresh
	// launches, and of 17 that took longer one.
	LeastKnown = 12
)

// Launches works out what follows from the values of launches: their median, and the interval in which that of 20 fresh
// ones lies in 95 of 100 cases, whatever the distribution of launches is. It contains the median of all launches that
// there may be more often than that: who repeats it makes some, and not all.
func Launches(l *setdoc.Launches) {
	l.Rules, l.Median, l.Range, l.Known, l.Why = LaunchRules, nil, nil, false, ""
	var values []float64
	var absent string
	for _, v := range l.Values {
		if v.Value != nil {
			values = append(values, *v.Value)
		} else {
			absent = v.Why
		}
	}
	inOrder := slices.Clone(values)
	slices.Sort(values)
	n := len(values)
	if n == 0 {
		if l.Why = "no run has a value"; absent != "" {
			l.Why += "; the last one: " + absent
		}
		return
	}
	median := (values[(n-1)/2] + values[n/2]) / 2
	l.Median = &median
	rank := outer(n)
	if rank == 0 {
		l.Why = tooFewRuns(n, LeastLaunches)
		return
	}
	low, high := values[rank-1], values[n-rank]
	l.Range = []float64{low, high}
	if l.Within == 0 {
		return
	}
	if median <= 0 {
		l.Why = "the median is 0"
		return
	}
	half := max(high-median, median-low) / median
	switch by := drift(inOrder); {
	case n < LeastKnown:
		l.Why = tooFewRuns(n, LeastKnown)
	case half > l.Within:
		l.Why = fmt.Sprintf("the variation between runs is too high: after %d runs it is known to within %.2g%%", n, 100*half)
	case math.IsNaN(by):
		l.Why = fmt.Sprintf("the runs drift: the median of the first third of %d runs is 0, that of the last third is "+
			"not", n)
	case math.Abs(by-1) > l.Within:
		l.Why = fmt.Sprintf("the runs drift: the median of the last third of %d runs is %.3g times that of the first "+
			"third", n, by)
	default:
		l.Known = true
	}
}

// mostInOrder is how many of the launches are looked at for a drift, evenly spread over all: its chance takes long to
// work out of many.
const mostInOrder = 100

// drift is by how much launches rise or fall, from the first third to the last; 1 where that may be chance, NaN where
// they rise from 0.
func drift(values []float64) float64 {
	var some []float64
	for i := range min(len(values), mostInOrder) {
		some = append(some, values[i*len(values)/min(len(values), mostInOrder)])
	}
	third := len(values) / 3
	if stats.MannKendall(some) >= unlikely { // as it is of fewer than five
		return 1
	}
	middle := func(part []float64) float64 { // twice the median: only the ratio of two of them counts
		part = slices.Sorted(slices.Values(part))
		return part[(third-1)/2] + part[third/2]
	}
	first, last := middle(values[:third]), middle(values[len(values)-third:])
	if first <= 0 {
		return math.NaN()
	}
	return last / first
}

// outer is the highest rank from either end of n launches beyond which the median of fresh ones lies in at most 5% of
// cases; 0: there is none.
func outer(n int) (rank int) {
	for beyond(n, rank+1) <= 0.025 { // it is about a half at the middle
		rank++
	}
	return rank
}

// beyond is the probability that the lower middle one of the fresh launches is below the r-th of n: that at least half
// of the fresh ones come before the r-th of the others, in an order in which each is as likely as any other.
func beyond(n, r int) (p float64) {
	for before := Repeated / 2; before <= Repeated; before++ {
		// before fresh ones and r−1 others come in any order, then the r-th, then the rest.
		p += math.Exp(choose(before+r-1, before) + choose(Repeated-before+n-r, Repeated-before) - choose(Repeated+n, n))
	}
	return p
}

// choose is the logarithm of a binomial coefficient.
func choose(n, k int) float64 {
	log := func(n int) float64 { v, _ := math.Lgamma(float64(n) + 1); return v }
	return log(n) - log(k) - log(n-k)
}

// Reread says what of launches does not follow from their own values; nil launches have nothing that could.
func Reread(l *setdoc.Launches) []string {
	if l == nil || l.Rules != LaunchRules {
		return nil
	}
	again := *l
	Launches(&again)
	if again.Known != l.Known || !reflect.DeepEqual(again.Median, l.Median) || !reflect.DeepEqual(again.Range, l.Range) {
		return []string{"The result does not follow from the values of the runs: the document was changed."}
	}
	return nil
}

func tooFewRuns(n, needed int) string {
	if n == 1 {
		return fmt.Sprintf("only 1 run has a value, at least %d are needed", needed)
	}
	return fmt.Sprintf("only %d runs have a value, at least %d are needed", n, needed)
}
