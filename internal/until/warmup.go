package until

import (
	"cmp"
	"slices"
	"time"
)

// leastWarmup is how long a warm-up is at least. What is slow for the whole of it looks steady, so that a very short
// one would take a slow start for the whole.
const leastWarmup = 5 * time.Second

// Warmup decides when a warm-up is steady. It belongs to one goroutine.
type Warmup struct {
	window Window
	steady bool
}

// NewWarmup begins one.
func NewWarmup(r Rule) *Warmup { return &Warmup{window: Window{Rule: r}} }

// Add takes a stretch, and reports whether the warm-up is steady: over ten slices of it there is no trend, and what was
// otherwise at its beginning lasted no longer than what came behind it.
func (w *Warmup) Add(b Batch) bool {
	w.window.batches.Add(b)
	list := w.window.batches.All()
	all := sum(list)
	w.steady = w.window.batches.Length() >= leastWarmup && len(list) >= pieces && all.OK > 0 &&
		w.window.trend(list, apartWarmup) == "" && w.window.settled(list)
	return w.steady
}

// Steady reports whether it was when it was last looked at.
func (w *Warmup) Steady() bool { return w.steady }

// settled reports whether the beginning that is to be left out, so that the rest is known best, is less than half of
// all (MSER: White, An Effective Truncation Heuristic for Bias Reduction in Simulation Output, Simulation 69, 1997).
// It goes by the ranks of the stretches, so that a single far one is no beginning, and takes no beginning for another
// whose figure is much like that of the rest. A step, which is no trend over ten slices, is seen so.
func (w *Window) settled(list []Batch) bool {
	var at []int // of the stretches that have a figure
	var values []float64
	for i := range list {
		if v, has := w.figure(&list[i]); has {
			at, values = append(at, i), append(values, v)
		}
	}
	n := len(values)
	ranks := ranksOf(values)
	best, cut := 0.0, 0
	var total, squares float64
	const least = 5 // stretches that are left, at least: fewer are alike by chance
	for d := n - 1; d >= 0; d-- {
		total, squares = total+ranks[d], squares+ranks[d]*ranks[d]
		left := float64(n - d)
		if error := (squares - total*total/left) / (left * left); n-d >= least && (n-d == least || error <= best) {
			best, cut = error, d
		}
	}
	if 2*cut <= n {
		return true
	}
	before, behind := sum(list[:at[cut]]), sum(list[at[cut]:])
	first, _ := w.figure(&before)
	then, _ := w.figure(&behind)
	return first < apartWarmup*then && then < apartWarmup*first
}

// ranksOf are the ranks of values; equal ones have their mean.
func ranksOf(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	ranks := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return ranks
}
