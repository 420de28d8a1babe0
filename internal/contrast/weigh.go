package contrast

import (
	"cmp"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/stats"
)

// weight is what the launches of one look say of one row.
type weight struct {
	stats.Trimmed
	tested   bool
	p        float64 // of the trimmed t test
	larger   float64 // of the p of both tests, as far as that of the sign-flip test matters
	adjusted float64 // the larger one after Holm
	level    float64 // at which Holm's procedure tests the row, and for which its interval is
	differs  bool    // by both tests
	vetoed   bool    // by the t test, but not by the sign-flip test
	step     float64 // of a figure that is the same on both sides in most launches: by how much it is off in the others
}

// weightOf is that of a row before it is tested. Where most launches are alike to the last digit, as of whole numbers
// or of a rate that was given, the trimmed values have no error, and nothing would be too small to be shown: then it is
// that of the mean of all.
func weightOf(logs []float64, level float64) weight {
	w := weight{Trimmed: stats.TrimmedMean(logs), level: level}
	if w.Err > 0 {
		return w
	}
	all := stats.PlainMean(logs)
	w.Err, w.Freedom = all.Err, all.Freedom
	if w.Mean == 0 {
		w.step = stepOf(logs)
	}
	return w
}

// stepOf is the middle of the sizes that are not 0, the larger one of two: such a figure goes by steps, and a change
// smaller than one shows in few launches, however many there are.
func stepOf(logs []float64) float64 {
	var sizes []float64
	for _, v := range logs {
		if v != 0 {
			sizes = append(sizes, math.Abs(v))
		}
	}
	if len(sizes) == 0 {
		return 0
	}
	slices.Sort(sizes)
	return sizes[len(sizes)/2]
}

// weigh holds the logarithms of the ratios of each row against the level of a look. Rows with fewer than Least are not
// tested, and are none of those that share the level.
//
// A difference is shown where both tests show it at the row's level of Holm: the p of a row in Holm's procedure is the
// larger of the two. The sign-flip test of few launches has no p as small as some levels: its least one is small enough
// for any. It is asked where the t test shows something; elsewhere it cannot matter.
func weigh(samples [][]float64, at level, seed uint64) []weight {
	list := make([]weight, len(samples))
	var tested []*weight
	for i, logs := range samples {
		list[i] = weightOf(logs, at.each(len(at)))
		if w := &list[i]; len(logs) >= Least && at.all() > 0 {
			w.tested, w.p = true, w.P()
			w.larger = w.p
			tested = append(tested, w)
		}
	}
	at.holm(tested)
	for i, logs := range samples {
		if w := &list[i]; w.differs {
			if flip := stats.SignFlip(logs, seed+uint64(i)); flip > stats.LeastSignFlip(len(logs)) {
				w.larger = max(w.p, flip)
			}
		}
	}
	at.holm(tested)
	return list
}

// holm says of the rows that are tested which differ, and at which level (Holm, A Simple Sequentially Rejective
// Multiple Test Procedure, Scandinavian Journal of Statistics 6, 1979). Those of which none is shown have the level of
// the first of them, at which the procedure ended.
func (l level) holm(tested []*weight) {
	order := slices.Clone(tested)
	slices.SortStableFunc(order, func(a, b *weight) int { return cmp.Compare(a.larger, b.larger) })
	shown := 0
	least := 0.0
	for rank, w := range order {
		left := len(order) - rank
		least = max(least, w.larger*float64(left)*(l.all()/l[left-1]))
		w.adjusted = min(1, least)
		w.differs = w.adjusted <= l.all()
		w.level = l.each(len(order) - shown)
		if w.differs {
			shown++
		}
		w.vetoed = !w.differs && w.p <= w.level
	}
}
