package exec

import (
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Null is what was measured of the null client.
type Null struct {
	Sample rundoc.Sample // without what it waited for a processor
	// High is the last decile: what it takes at least to wake a client and have it send, where that takes long.
	High float64
}

// NewNull sums up the gaps of the null client.
func NewNull(r *Result) Null {
	var values []int64
	for _, op := range r.Operations {
		for _, g := range op.Kept {
			values = append(values, g.own())
		}
	}
	if len(values) == 0 {
		return Null{}
	}
	return Null{Sample: sample(values), High: max(0, stats.Describe(values).P90)} // a bound needs no ten values above it
}

// own is the time without what the busiest thread of the client waited for a processor.
func (g *Gap) own() int64 { return g.NS - g.Busiest }

// Connects reports whether most of the operation's calls made a connection of their own. Then
// connecting belongs to what a call costs.
func (op *Operation) Connects() bool { return len(op.New) > len(op.Kept) }

// Gaps are those that the figures come from.
func (op *Operation) Gaps() []Gap {
	if op.Connects() {
		return slices.Concat(op.New, op.Kept)
	}
	return op.Kept
}

// Row makes the row of the operation, and reports whether it has any figure. The median of the
// null client's gaps is taken off each value, and what the client waited for a processor.
func (op *Operation) Row(null Null) (rundoc.OverheadRow, bool) {
	row := rundoc.OverheadRow{Service: op.Service, Operation: op.Operation, Failed: op.Failed}
	if op.After != "" {
		row.Operation += " after " + op.After
	}
	gaps := op.Gaps()
	if len(gaps) == 0 {
		return row, false
	}
	off := int64(math.Round(null.Sample.MedNS))
	if op.Connects() {
		row.Connections = int64(len(op.New))
	}
	row.CPUPerCallNS = cpuPerCall(gaps)
	values, unstamped, waited := make([]int64, len(gaps)), 0, int64(0)
	for i := range gaps {
		g := &gaps[i]
		values[i] = g.own() - off
		waited += g.Busiest
		if !g.Kernel {
			unstamped++
		}
	}
	row.SDKTime = sample(values)
	row.WaitedNS = float64(waited) / float64(len(gaps))
	from, to := between(gaps, null, float64(unstamped)/float64(len(gaps)))
	row.ErrorNS = int64(math.Ceil(max(row.SDKTime.MedNS-from, to-row.SDKTime.MedNS)))
	if untimed(gaps) <= maxUntimed*float64(len(gaps)) {
		row.MedianFromNS, row.MedianToNS = from, to
	}
	return row, true
}

// maxUntimed is the share of gaps of which it may not be known how long the client waited for a processor,
// before nothing is said of the least that it took.
const maxUntimed = 0.1

func untimed(gaps []Gap) (n float64) {
	for i := range gaps {
		if !gaps[i].Timed {
			n++
		}
	}
	return n
}

// between bounds the median of what the client took between having an answer and sending its next request.
// Each single time is bounded, and so is their median.
//
// It is not more than from when the answer could reach the client to when the request came in. It is not less
// than that without all that threads of the client waited for a processor (of several at the same time it counts
// each) and without what it takes to wake a client and have it send, for which the null client stands: nine
// of ten times that takes no longer than its last decile. A request that was stamped when it was read has a
// wake-up of the server in its time, too, of which the null client has one of its own.
func between(gaps []Gap, null Null, unstamped float64) (from, to float64) {
	least, most := make([]int64, len(gaps)), make([]int64, len(gaps))
	for i := range gaps {
		least[i], most[i] = gaps[i].NS-gaps[i].Waited, gaps[i].Most
	}
	slices.Sort(least)
	slices.Sort(most)
	return max(0, stats.Percentile(least, 0.5)-(1+unstamped)*null.High), max(0, stats.Percentile(most, 0.5))
}

// sample sums up values.
func sample(values []int64) rundoc.Sample {
	f := stats.Describe(values)
	s := rundoc.Sample{
		N: int64(f.N), MinNS: f.Min, AvgNS: f.Mean, MedNS: f.Med, P90NS: f.P90, P99NS: f.P99, MaxNS: f.Max,
		Values: spread(values, rundoc.MaxValues),
	}
	s.LeaveOut()
	return s
}

// spread gives at most n values, spread evenly and in their order.
func spread(values []int64, n int) []int64 {
	if len(values) <= n {
		return values
	}
	list := make([]int64, n)
	for i := range list {
		list[i] = values[i*len(values)/n]
	}
	return list
}

// NewMedian is the median of the gaps before requests on new connections; 0 without any.
func (op *Operation) NewMedian() time.Duration {
	if len(op.New) == 0 {
		return 0
	}
	values := make([]int64, len(op.New))
	for i, g := range op.New {
		values[i] = g.NS
	}
	slices.Sort(values)
	return time.Duration(stats.Percentile(values, 0.5))
}

// cpuPerCall is what the client's process used of the CPUs for a call, mean; 0 where that is not known of all.
func cpuPerCall(gaps []Gap) float64 {
	sum := 0.0
	for i := range gaps {
		if gaps[i].CPU < 0 {
			return 0
		}
		sum += float64(gaps[i].CPU)
	}
	return sum / float64(len(gaps))
}
