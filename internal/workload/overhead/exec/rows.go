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
	Sample rundoc.Sample
	// Spread is half the distance from the first decile of its gaps to the last.
	Spread float64
}

// NewNull sums up the gaps of the null client.
func NewNull(r *Result) Null {
	var values []int64
	for _, op := range r.Operations {
		for _, g := range op.Kept {
			values = append(values, g.NS)
		}
	}
	if len(values) == 0 {
		return Null{}
	}
	sorted := slices.Sorted(slices.Values(values))
	return Null{
		Sample: sample(values),
		Spread: (stats.Percentile(sorted, 0.9) - stats.Percentile(sorted, 0.1)) / 2,
	}
}

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
// null client's gaps is taken off each value.
func (op *Operation) Row(null Null) (rundoc.OverheadRow, bool) {
	row := rundoc.OverheadRow{Service: op.Service, Operation: op.Operation, Failed: op.Failed}
	gaps := op.Gaps()
	if len(gaps) == 0 {
		return row, false
	}
	off := int64(math.Round(null.Sample.MedNS))
	if op.Connects() {
		row.Connections = int64(len(op.New))
	}
	values, unstamped := make([]int64, len(gaps)), 0
	for i, g := range gaps {
		values[i] = g.NS - off
		if !g.Kernel {
			unstamped++
		}
	}
	row.SDKTime = sample(values)
	// What the null client costs differs from call to call by its spread. All of what was taken
	// off may be too much: a part of it is the null client's own work, which this client need
	// not do. A time of the read has a wake-up of the server in it; the null client's median has
	// such a one of the client, and more, so that it bounds that.
	share := float64(unstamped) / float64(len(gaps))
	row.ErrorNS = int64(math.Ceil(null.Spread + (1+share)*math.Abs(null.Sample.MedNS)))
	return row, true
}

// sample sums up values.
func sample(values []int64) rundoc.Sample {
	f := stats.Describe(values)
	return rundoc.Sample{
		N: int64(f.N), MinNS: f.Min, AvgNS: f.Mean, MedNS: f.Med, P90NS: f.P90, P99NS: f.P99, MaxNS: f.Max,
		Values: spread(values, rundoc.MaxValues),
	}
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
