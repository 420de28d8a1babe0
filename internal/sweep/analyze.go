package sweep

import (
	"cmp"
	"slices"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Plan is what a sweep was asked to do.
type Plan struct {
	Workload string
	Vary     []setdoc.Vary
	Repeats  int
	Seed     uint64 // of the order of the runs
	Figure   setdoc.Figure
}

// analysis is a sweep in the making.
type analysis struct {
	*setdoc.Sweep
	axes   []axis
	levels []level // as Sweep.Levels
	noise  noise
}

// Rules is the number of the rules by which levels and results follow from rows, and rows from run documents. It is
// raised by a change after which a set may have others, so that nobody takes it for a change of the set.
const Rules = 1

// Analyze makes a set document's part of the rows in the order in which they were made. Fewer than were planned are
// no error, and none give a sweep without levels.
func Analyze(p Plan, made []setdoc.Row) *setdoc.Sweep {
	a := &analysis{Sweep: &setdoc.Sweep{
		Rules: Rules, Workload: p.Workload, Vary: p.Vary, Repeats: p.Repeats, Seed: p.Seed, Figure: p.Figure,
	}}
	for i, v := range p.Vary {
		a.axes = append(a.axes, axisOf(v, made, i))
	}
	a.sortRows(made)
	a.makeLevels()
	if len(a.levels) == 0 {
		return a.Sweep
	}
	a.predict()
	a.scale()
	a.judge()
	a.Recommended = a.recommended()
	a.Doubts = a.doubts()
	return a.Sweep
}

// sortRows puts rows level by level, and remembers the order in which they were made.
func (a *analysis) sortRows(made []setdoc.Row) {
	at := make([]int, len(made))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(x, y int) int {
		return cmp.Or(a.compare(made[x], made[y]), cmp.Compare(made[x].Repeat, made[y].Repeat),
			cmp.Compare(made[x].Member, made[y].Member))
	})
	a.Rows, a.Order = make([]setdoc.Row, len(made)), make([]int, len(made))
	for to, from := range at {
		a.Rows[to], a.Order[from] = known(made[from]), to
	}
}

// most is beyond what can be measured, and its products are finite yet.
const most = 1e50

// known is a row without figures that are none: a document cannot hold them, nor what comes of them.
func known(r setdoc.Row) setdoc.Row {
	for _, v := range []*float64{&r.Clients, &r.InFlightSampled, &r.InFlightPredicted} {
		if !(*v >= 0 && *v < most) {
			*v = 0
		}
	}
	for _, v := range []**float64{&r.Throughput, &r.PeakSecond, &r.OfferedPerS} {
		if *v != nil && !(**v >= 0 && **v < most) {
			*v = nil
		}
	}
	return r
}

func (a *analysis) compare(x, y setdoc.Row) int {
	for i, ax := range a.axes {
		if c := cmp.Compare(ax.place[valueAt(x, i)], ax.place[valueAt(y, i)]); c != 0 {
			return c
		}
	}
	return 0
}

// numeric reports whether the levels are those of one setting in the order of its numbers.
func (a *analysis) numeric() bool { return len(a.axes) == 1 && a.axes[0].loads != nil }

// timed reports whether the figure is a time, of a kind that has no throughput: the less of it, the better.
func (a *analysis) timed() bool { return a.Figure.Unit == string(figure.Time) }

// ranked reports whether the levels have an order in which a throughput rises to its best and ends in some way.
func (a *analysis) ranked() bool { return a.numeric() && !a.timed() }

// sized reports whether the levels say how much there is to do.
func (a *analysis) sized() bool { return a.ranked() && a.axes[0].Size }

// concurrent reports whether the levels say how much goes on at once, and nothing else says how much is asked for.
func (a *analysis) concurrent() bool { return a.ranked() && a.axes[0].Concurrency && !a.open() }

// open reports whether any run offered its load at a rate.
func (a *analysis) open() bool {
	return slices.ContainsFunc(a.Rows, func(r setdoc.Row) bool { return r.OfferedPerS != nil })
}
