package contrast

import (
	"cmp"
	"slices"

	"github.com/plimsoll/plimsoll/internal/stats"
)

// weight is what the launches of one look say of one row.
type weight struct {
	stats.Trimmed
	tested   bool
	p        float64 // of the trimmed t test
	adjusted float64 // after Holm; of the sign-flip test where that has the larger p, and it matters
	level    float64 // at which Holm's procedure tests the row, and for which its interval is
	differs  bool    // by both tests
	vetoed   bool    // by the t test, but not by the sign-flip test
}

// weigh holds the logarithms of the ratios of each row against the level of a look. Rows with fewer than Least are not
// tested, and are none of those that share the level.
//
// A difference is shown where both tests show it at the row's level of Holm: the p of a row in Holm's procedure is the
// larger of the two. The sign-flip test of few launches has no p as small as some levels: its least one is small enough
// for any. It is asked where the t test shows something; elsewhere it cannot matter.
func weigh(samples [][]float64, alpha float64, seed uint64) []weight {
	list := make([]weight, len(samples))
	var tested []int
	var p []float64
	for i, logs := range samples {
		w := &list[i]
		w.Trimmed, w.p, w.adjusted, w.level = stats.TrimmedMean(logs), 1, 1, alpha
		if len(logs) < Least || !(alpha > 0) {
			continue
		}
		w.tested, w.p = true, w.P()
		tested, p = append(tested, i), append(p, w.p)
	}
	for at, adjusted := range stats.Holm(p) {
		if adjusted > alpha {
			continue
		}
		logs := samples[tested[at]]
		if flip := stats.SignFlip(logs, seed+uint64(tested[at])); flip > stats.LeastSignFlip(len(logs)) {
			p[at] = max(p[at], flip)
		}
	}
	holm(list, tested, p, alpha)
	return list
}

// holm says of the rows that are tested which differ, and at which level. Those of which none is shown have the level
// of the first of them, at which the procedure ended.
func holm(list []weight, tested []int, p []float64, alpha float64) {
	adjusted := stats.Holm(p)
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	level := alpha
	for rank, i := range order {
		w := &list[tested[i]]
		w.adjusted, w.differs = adjusted[i], adjusted[i] <= alpha
		if rank == 0 || list[tested[order[rank-1]]].differs {
			level = alpha / float64(len(p)-rank)
		}
		w.level, w.vetoed = level, !w.differs && w.p <= level
	}
	for i := range list {
		if !list[i].tested {
			list[i].level = alpha / float64(max(1, len(list)))
		}
	}
}
