package kvapi

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Longest bounds what a histogram tells apart, 73 minutes; a longer duration counts as that
// one, and the exact maximum is kept beside it.
const Longest = 1<<42 - 1

// Distribution is that of the durations of a stage. Negative ones are counted apart.
type Distribution struct {
	h             *hdrhistogram.Histogram // nil before the first duration
	lowest, most  int64
	sum           int64
	negative      int64
	mostNegative  int64
	tooLongForSum bool
	order         stats.Sequence // of those that are not negative
}

// Add enters a duration.
func (d *Distribution) Add(ns int64) {
	if ns < 0 {
		d.negative++
		d.mostNegative = min(d.mostNegative, ns)
		return
	}
	if d.h == nil {
		d.h = hdrhistogram.New(1, Longest, 3)
		d.lowest = math.MaxInt64
	}
	d.order.Add(ns)
	_ = d.h.RecordValue(min(ns, Longest)) // within the bounds it does not fail
	d.lowest, d.most = min(d.lowest, ns), max(d.most, ns)
	if d.sum > math.MaxInt64-ns {
		d.tooLongForSum = true
		return
	}
	d.sum += ns
}

// Stage sums the distribution up. Percentiles count the negative durations, as the lowest; one
// that falls among those is left out.
func (d *Distribution) Stage() Stage {
	s := Stage{Negative: d.negative, NegativeMin: d.mostNegative}
	if d.h == nil {
		return s
	}
	s.Summary = rundoc.Summarize(d.h, rundoc.Exact{Min: d.lowest, Max: d.most, Sum: d.sum})
	if d.tooLongForSum {
		s.Summary.MeanNS = int64(d.h.Mean())
	}
	if d.negative > 0 {
		s.Summary.SetPercentiles(d.percentile)
		return s
	}
	s.Summary.SetIntervals(d.interval, nil)
	return s
}

// interval is that of a percentile, if it is known, where no duration is negative.
func (d *Distribution) interval(permille int64) *rundoc.Interval {
	n := d.h.TotalCount()
	r := stats.QuantileRanks(n, float64(permille)/1000, d.order.Above)
	if r.Absent != "" {
		return nil
	}
	at := func(rank int64) int64 {
		v := d.h.ValueAtPercentile(100 * float64(rank) / float64(n)) // which the histogram rounds to the rank
		return max(d.lowest, min(v, d.most))
	}
	return &rundoc.Interval{LowNS: at(r.Low), HighNS: at(r.High), Effective: r.Effective}
}

// percentile is the value at a rank among all durations, the negative ones included; nil when
// it is one of those, or when too few lie above it.
func (d *Distribution) percentile(permille int64) *int64 {
	n := d.h.TotalCount()
	all := n + d.negative
	rank := all - (all/1000*(1000-permille) + all%1000*(1000-permille)/1000) // ⌈all·p⌉
	if !rundoc.Supports(all, permille) || rank <= d.negative {
		return nil
	}
	v := d.h.ValueAtPercentile(100 * float64(rank-d.negative) / float64(n))
	v = max(d.lowest, min(v, d.most))
	return &v
}

// Any reports whether anything was entered.
func (d *Distribution) Any() bool { return d.h != nil || d.negative > 0 }

// Clone copies a distribution, to be summed up while others are added.
func (d *Distribution) Clone() Distribution {
	c := *d
	c.order = d.order.Clone()
	if d.h != nil {
		c.h = hdrhistogram.Import(d.h.Export())
	}
	return c
}
