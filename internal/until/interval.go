package until

import (
	"fmt"
	"math"

	"github.com/plimsoll/plimsoll/internal/stats"
)

// Measure is what a figure is of the operations.
type Measure int

// What intervals are to be had of.
const (
	Percentile Measure = iota // of their times
	Mean                      // likewise
	Rate                      // of those that ended ok
	Failed                    // the share of those that did not
)

// Interval is what is known of a figure: 95% of intervals that are made so contain what it would come to in the end.
type Interval struct {
	Value, Low, High float64
	Absent           string // why there is none; "" if there is one
	never            bool   // and there will hardly be one
}

// Half is how far its further end is from the value, as a share of that.
func (i *Interval) Half() float64 {
	if i.Absent != "" || i.Value <= 0 {
		return math.Inf(1)
	}
	return max(i.High-i.Value, i.Value-i.Low) / i.Value
}

// caution is how much wider an interval is that was looked at until it was narrow than one that was not, of what a few
// slow spells may make up.
const caution = 1.35

// reach is the ratio of the parts of all batches, and how far it may be from the true one: the widest that batches of
// several lengths give, or those that are hardly alike, or, where even the longest are much alike, what is left of
// that.
func reach(parts []stats.Part) (ratio, half float64, known bool) {
	ratio, half, known = stats.Ratio(parts)
	if _, other, also := stats.MeanOf(parts); also {
		half = max(half, other)
	}
	return ratio, half, known
}

// leastBatches is how many batches an interval takes.
const leastBatches = 8

// z is the 97.5% quantile of the normal distribution.
const z = 1.959963984540054

// inflation is by how many times n observations must be more than independent ones are, for a share of them to be
// known as well as to half.
func inflation(share, half, n float64) float64 {
	half *= caution
	return max(1, half*half/(z*z)*n/(share*(1-share)))
}

// interval is that of a figure in batches.
func (r *Rule) interval(list []Batch) Interval {
	if len(list) < leastBatches {
		return Interval{Absent: "the window was too short"}
	}
	all := sum(list)
	switch r.Measure {
	case Percentile:
		return r.percentile(list, &all)
	case Failed:
		return failed(list, &all)
	}
	parts := make([]stats.Part, len(list))
	for i := range list {
		b := &list[i]
		parts[i] = stats.Part{Of: float64(b.OK), All: b.Length.Seconds()}
		if r.Measure == Mean {
			parts[i] = stats.Part{Of: b.Sum, All: float64(b.Count)}
		}
	}
	ratio, half, known := reach(parts)
	half *= caution
	if !known || ratio <= 0 {
		return Interval{Absent: "no operation has succeeded", never: true}
	}
	return Interval{Value: ratio, Low: max(0, ratio-half), High: ratio + half}
}

// failed is the interval of the share that failed, with as many operations as independent ones would say as much.
func failed(list []Batch, all *Batch) Interval {
	n := float64(all.OK + all.Failed)
	if n == 0 {
		return Interval{Absent: "no operation has completed", never: true}
	}
	if all.Failed == 0 {
		return Interval{Absent: fmt.Sprintf("all %.0f operations succeeded, so there is no failure rate to estimate", n),
			never: true}
	}
	parts := make([]stats.Part, len(list))
	for i := range list {
		parts[i] = stats.Part{Of: float64(list[i].Failed), All: float64(list[i].OK + list[i].Failed)}
	}
	share, half, _ := reach(parts)
	if share >= 1 {
		return Interval{Absent: fmt.Sprintf("all %.0f operations failed", n), never: true}
	}
	low, high := wilson(share, n/inflation(share, half, n))
	return Interval{Value: share, Low: low, High: high}
}

// percentile is the interval of a percentile, by order statistics: the times at the ranks between which it lies with
// as many independent times as say as much as all.
func (r *Rule) percentile(list []Batch, all *Batch) Interval {
	if all.Count < r.Needs {
		return Interval{Absent: tooFew(all.Count, r.Needs)}
	}
	rank := int64(math.Ceil(r.Quantile * float64(all.Count)))
	cut, above := boundary(all, rank)
	if above == 0 || above == all.Count { // all times are alike
		v := all.at(rank)
		return Interval{Value: v, Low: v, High: v}
	}
	n := float64(all.Count)
	// A few rare times say little of how much they are alike; all times say more of it, and what makes them alike makes
	// the rare ones so.
	more := inflationAt(list, n, cut)
	middle, _ := boundary(all, (all.Count+1)/2)
	more = max(more, min(mostOfMiddle*more, inflationAt(list, n, middle)))
	if beyond := n / more * min(r.Quantile, 1-r.Quantile); beyond < leastBeyond {
		return Interval{Absent: fmt.Sprintf("consecutive times are correlated: %d of them have an effective sample size "+
			"of only %.0f", all.Count, n/more)}
	}
	// With leastBeyond on either side, both ends are two ranks from the first and the last at least.
	from, to := wilson(r.Quantile, n/more)
	return Interval{Value: all.at(rank), Low: all.at(int64(math.Floor(from * n))),
		High: all.at(int64(math.Ceil(to*n)) + 1)}
}

const (
	// mostOfMiddle is by how much all times may say that the rare ones are more alike than these do.
	mostOfMiddle = 4
	// leastBeyond is how many independent times are above a percentile, or below it, at least.
	leastBeyond = 5
)

// inflationAt is that of the share of n times that are in the bins from one on.
func inflationAt(list []Batch, n float64, from int) float64 {
	parts := make([]stats.Part, len(list))
	for i := range list {
		var above int64
		for _, c := range list[i].Times[from:] {
			above += int64(c)
		}
		parts[i] = stats.Part{Of: float64(above), All: float64(list[i].Count)}
	}
	share, half, _ := reach(parts)
	return inflation(share, half, n)
}

// wilson are the ends of the interval of a share of n independent observations (Wilson, Probable Inference, Journal of
// the American Statistical Association 22, 1927).
func wilson(share, n float64) (low, high float64) {
	middle := (share + z*z/(2*n)) / (1 + z*z/n)
	away := z / (1 + z*z/n) * math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	return middle - away, middle + away
}

// boundary is the bin from which on times are above the one at a rank: that bin, or the one behind it, whichever is
// nearer to it.
func boundary(all *Batch, rank int64) (cut int, above int64) {
	var below int64
	for i, c := range all.Times {
		next := below + int64(c)
		if next >= rank {
			if rank-below <= next-rank && below > 0 || next == all.Count {
				return i, all.Count - below
			}
			return i + 1, all.Count - next
		}
		below = next
	}
	return len(all.Times), 0
}

// at is the time at a rank, from 1 on; within its bin they are taken as evenly spread.
func (b *Batch) at(rank int64) float64 {
	var below int64
	for i, c := range b.Times {
		n := int64(c)
		if below+n >= rank {
			return stats.BinLow(i) + (float64(rank-below)-0.5)/float64(n)*(stats.BinLow(i+1)-stats.BinLow(i))
		}
		below += n
	}
	return 0
}
