package figure

import (
	"fmt"

	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/rundoc"
)

// between returns the value with an interval. It need not be in the middle of it.
func (v Value) between(low, high float64) Value {
	v.Low, v.High = &low, &high
	return v
}

// Worse returns the end of the value's interval that is further on the wrong side of a limit: the upper end if low
// values are good. A value that is not an estimate, such as a count or a maximum, is returned itself. why is not empty
// if an estimate has no interval.
func (v Value) Worse(low bool) (worse float64, why string) {
	switch {
	case v.Why != "":
		return 0, v.Why
	case v.Unsure != "":
		return 0, v.Unsure
	case v.Low == nil:
		return v.Raw, ""
	case low:
		return *v.High, ""
	}
	return *v.Low, ""
}

// Without returns the corrected value, with its own interval.
func (v Value) Without() (free Value, known bool) {
	if v.Free == nil {
		return Value{}, false
	}
	return Value{Raw: *v.Free, Unit: v.Unit, Low: v.freeLow, High: v.freeHigh}, true
}

// within adds the interval of a percentile, of the times that it was taken from.
func (s stat) within(v Value, times *rundoc.Summary) Value {
	if s.name == minimum || s.name == maximum || v.Why != "" {
		return v
	}
	if i := s.interval(times); i != nil {
		v = v.between(float64(i.LowNS), float64(i.HighNS))
	} else {
		v.Unsure = fmt.Sprintf("no confidence interval for the %v: the run is too short, or has no data about its variation",
			s)
	}
	if times.Free != nil {
		if i := s.interval(times.Free); i != nil && v.Free != nil {
			low, high := float64(i.LowNS), float64(i.HighNS)
			v.freeLow, v.freeHigh = &low, &high
		}
	}
	return v
}

// interval returns the interval of a mean or percentile: that of the document, or one computed from the histogram.
func (s stat) interval(times *rundoc.Summary) *rundoc.Interval {
	if s.name == mean {
		return times.MeanInterval()
	}
	if _, kept := s.kept(times); kept {
		return times.Interval(s.millis / 1000)
	}
	return s.byRanks(times)
}

// byRanks is the interval of a percentile that documents do not have, by the ranks in their histogram: its times are
// taken to be as much alike as those at any of the percentiles that have an interval.
func (s stat) byRanks(times *rundoc.Summary) *rundoc.Interval {
	const freedom = 15 // as many as a run's stretches are worth where they are alike
	a := stats.Alike{Inflation: 0, Freedom: freedom}
	for _, permille := range []int64{500, 900, 950, 990, 999} {
		if i := times.Interval(permille); i != nil {
			a.Inflation = max(a.Inflation, float64(times.Count)/i.Effective)
		}
	}
	if a.Inflation < 1 {
		return nil
	}
	r := stats.RanksOf(times.Count, float64(s.millis)/whole, a)
	h, err := times.Histogram()
	if r.Absent != "" || err != nil || h == nil {
		return nil
	}
	at := func(rank int64) int64 { // which the histogram rounds to the rank
		ns := h.ValueAtPercentile(100 * float64(rank) / float64(times.Count))
		return max(times.MinNS, min(ns, times.MaxNS))
	}
	return &rundoc.Interval{LowNS: at(r.Low), HighNS: at(r.High), Effective: r.Effective}
}

// withTotals gives times of several operations together the intervals that the document has for all of them.
func withTotals(one *rundoc.Summary, all *rundoc.Summary) {
	if all == nil || one.Intervals != nil || all.Count != one.Count {
		return
	}
	one.Intervals = all.Intervals
	if one.Free != nil && all.Free != nil {
		one.Free.Intervals = all.Free.Intervals
	}
}

// totalOf returns the document's time of all operations together, or nil.
func totalOf(run *rundoc.Run, name string) *rundoc.Summary {
	if run.Total == nil {
		return nil
	}
	switch name {
	case responseTime:
		return run.Total.ResponseTime
	case "service":
		return run.Total.ServiceTime
	case "send_delay":
		return run.Total.SendDelay
	}
	return nil
}

// rateWithin adds the interval of a rate, from the counts of its full seconds: of all operations only, which alone have
// them.
func rateWithin(run *rundoc.Run, match labels, v Value) Value {
	const unsure = "no confidence interval for the rate: "
	if v.Unit != PerSecond {
		v.Unsure = unsure + "the time series counts operations"
		return v
	}
	if len(match) > 0 {
		v.Unsure = unsure + "the time series has only all operations together"
		return v
	}
	i := stats.MeanRate(run.FullSeconds())
	if i.Absent != "" {
		v.Unsure = unsure + i.Absent
		return v
	}
	return v.between(max(0, v.Raw-i.Half), v.Raw+i.Half)
}

// shareWithin adds the interval of a share of so many operations. What fails does so together mostly, so that where
// some did, the run's seconds say how many independent operations it is worth; they know of failures alone, and not of
// what was never sent or was cut off at the end. Those of all operations stand for those of some.
func shareWithin(run *rundoc.Run, v Value, n, all int64) Value {
	if n == 0 || n == all {
		return v.between(stats.ShareInterval(float64(n), float64(all)))
	}
	var failed, others int64
	for i := range run.Operations {
		o := &run.Operations[i]
		failed, others = failed+o.Failed, others+o.Unsent+o.Unfinished
	}
	const few = 10 // of the failures, a tenth may have been no answer at all
	if others*few > failed {
		v.Unsure = "no confidence interval for the share: the time series does not have unsent and unfinished operations"
		return v
	}
	var seconds []stats.Batch
	for i := range run.Series {
		p := &run.Series[i]
		seconds = append(seconds, stats.Batch{N: p.OK + p.Failed, Above: p.Failed})
	}
	alike := stats.AlikeIn(seconds)
	if alike.Absent != "" {
		v.Unsure = "no confidence interval for the share: " + alike.Absent
		return v
	}
	return v.between(stats.ShareIntervalOf(float64(n), float64(all), alike))
}

// unsure marks an estimate that has no interval. A count is not an estimate.
func (v Value) unsure(name string) Value {
	if v.Why == "" && v.Low == nil && v.Unsure == "" && v.Unit != Count && v.Unit != Bytes {
		v.Unsure = "no confidence interval for " + name
	}
	return v
}
