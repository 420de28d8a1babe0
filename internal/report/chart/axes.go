package chart

import (
	"math"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/plot"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
)

// axis is a direction of a panel as it is drawn.
type axis struct {
	from, to float64
	ticks    []plot.Tick
	scale    plot.Normalizer
}

// axisOf is the axis of values that go so far, with room for so many labels.
func axisOf(a graph.Axis, e extent, room float64) axis {
	if a.From != a.To {
		e.low, e.high, e.any = a.From, a.To, true
		if a.From > 0 {
			e.least = a.From
		}
	}
	if !e.any {
		e.low, e.high = 0, 1
	}
	label := func(v float64) string { return labelOf(a, e, v) }
	var drawn axis
	switch {
	case a.Scale == graph.Tail:
		drawn = tailAxis(e)
	case a.Scale == graph.Log && e.least <= e.high && e.high > 0:
		drawn = logAxis(max(e.low, e.least), e.high, label, room)
	case a.Unit == graph.Seconds && e.low >= 0:
		drawn = axis{from: e.low, to: e.high, ticks: timeTicks(e.high), scale: plot.LinearScale{}}
	default:
		drawn = linearAxis(a, e, label, room)
	}
	if len(a.Ticks) > 0 {
		drawn.ticks = nil
		for _, t := range a.Ticks {
			drawn.ticks = append(drawn.ticks, plot.Tick{Value: t.At, Label: units.Shorten(units.Clean(t.Name), 24)})
		}
	}
	if a.From != a.To && a.Scale != graph.Log {
		drawn.from, drawn.to = a.From, a.To
	}
	if !(drawn.to > drawn.from) {
		drawn.to = drawn.from + 1
	}
	drawn.ticks = slices.DeleteFunc(drawn.ticks, func(t plot.Tick) bool {
		slack := 1e-9 * (drawn.to - drawn.from)
		return t.Value < drawn.from-slack || t.Value > drawn.to+slack
	})
	return drawn
}

// linearAxis begins at 0 where what it shows are amounts.
func linearAxis(a graph.Axis, e extent, label func(float64) string, room float64) axis {
	room = max(2, min(room, 6))
	low, high := min(0, e.low), max(e.high, 0)
	if high > 0 && a.From == a.To {
		high *= headroom
	}
	if !(high > low) {
		high = low + 1
	}
	step := stepOf(a.Unit, (high-low)/room)
	first, last := math.Floor(low/step+1e-9), math.Ceil(high/step-1e-9)
	drawn := axis{from: first * step, to: last * step, scale: plot.LinearScale{}}
	const near = 0.1 // an axis goes on to its next label where that is not far, and to no more than what is drawn else
	if drawn.to-high > near*(high-low) && len(a.Ticks) == 0 {
		drawn.to = high
	}
	for i := first; i <= last; i++ {
		drawn.ticks = append(drawn.ticks, plot.Tick{Value: i * step, Label: label(i * step)})
	}
	return drawn
}

// stepOf is the least round step that is not below one.
func stepOf(unit graph.Unit, least float64) float64 {
	if unit == graph.Bytes { // 1, 2, 4, 8 of what is called by a name of its own
		return math.Exp2(math.Ceil(math.Log2(max(least, 1))))
	}
	least = max(least, 1e-100)
	power := math.Pow10(int(math.Floor(math.Log10(least))))
	for _, f := range []float64{1, 2, 5} {
		if f*power >= least*(1-1e-9) {
			return f * power
		}
	}
	return 10 * power
}

// logAxis ends at round values, both of which have labels.
func logAxis(lowest, highest float64, label func(float64) string, room float64) axis {
	steps := []float64{1, 1.5, 2, 3, 5, 7}
	var bottom, top float64
	first := int(math.Floor(math.Log10(lowest)))
	last := int(math.Ceil(math.Log10(highest)))
	var marks []float64
	for power := first; power <= last; power++ {
		for _, f := range steps {
			v := f * math.Pow10(power)
			if v <= lowest*(1+1e-9) {
				bottom = v
			}
			if v >= highest*(1-1e-9) && v > bottom && top == 0 {
				top = v
			}
			if f == 1 || f == 2 || f == 5 {
				marks = append(marks, v)
			}
		}
	}
	marks = slices.DeleteFunc(marks, func(v float64) bool { return v <= bottom*(1+1e-9) || v >= top*(1-1e-9) })
	named := namedMarks(bottom, top, marks, room)
	drawn := axis{from: bottom, to: top, scale: plot.LogScale{}}
	for _, v := range append(append([]float64{bottom}, marks...), top) {
		t := plot.Tick{Value: v}
		if slices.Contains(named, v) {
			t.Label = label(v)
		}
		drawn.ticks = append(drawn.ticks, t)
	}
	return drawn
}

// namedMarks are those that have labels: both ends, and as many between them as there is room for, powers of ten first.
func namedMarks(bottom, top float64, marks []float64, room float64) []float64 {
	named := []float64{bottom, top}
	least := math.Log(top/bottom) / max(room, 1)
	for _, powers := range []bool{true, false} {
		for _, v := range marks {
			exact := math.Log10(v)
			if math.Abs(exact-math.Round(exact)) < 1e-9 != powers {
				continue
			}
			if !slices.ContainsFunc(named, func(other float64) bool { return math.Abs(math.Log(v/other)) < least }) {
				named = append(named, v)
			}
		}
	}
	return named
}

// tailScale gives each further nine of a quantile as much room as the one before it.
type tailScale struct{}

// Normalize is where a quantile is, from 0 to 1.
func (tailScale) Normalize(from, to, q float64) float64 {
	return (nines(q) - nines(from)) / (nines(to) - nines(from))
}

// nines is how many nines a quantile has: 2 of 0.99.
func nines(q float64) float64 { return -math.Log10(max(1-q, 1e-12)) }

// tailAxis is one of quantiles, from 0 to the highest.
func tailAxis(e extent) axis {
	drawn := axis{from: max(0, min(e.low, 0.5)), to: min(max(e.high, 0.9), 1-1e-10), scale: tailScale{}}
	for _, q := range []float64{0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999, 0.9999999} {
		drawn.ticks = append(drawn.ticks, plot.Tick{Value: q, Label: quantileName(q)})
	}
	return drawn
}

func quantileName(q float64) string {
	if q <= 0 {
		return "min"
	}
	return "p" + strconv.FormatFloat(math.Round(q*1e11)/1e9, 'f', -1, 64)
}

// labelOf is a value at an axis that goes so far.
func labelOf(a graph.Axis, e extent, v float64) string {
	switch a.Unit {
	case graph.Nanoseconds:
		return tickDuration(v)
	case graph.Seconds:
		if math.Abs(v) <= 120 {
			return units.Digits(v) + " s"
		}
		return units.Clock(time.Duration(min(v, 1e9) * 1e9))
	case graph.Share:
		return units.Digits(math.Round(1e8*v)/1e6) + "%"
	case graph.Bytes:
		if v >= 0 && v < 1<<62 {
			return units.Size(int64(v))
		}
	case graph.Quantile:
		return quantileName(v)
	}
	if math.Abs(v) < 1e-6 && v != 0 || math.Abs(v) >= 1e15 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return units.Digits(v)
}

// rowAxis has the rows of spans, from top to bottom.
func rowAxis(spans []graph.Span) axis {
	rows := rowsOf(spans)
	a := axis{from: 0, to: float64(len(rows)), scale: plot.LinearScale{}}
	for i, name := range rows {
		a.ticks = append(a.ticks, plot.Tick{Value: float64(len(rows)-i) - 0.5, Label: units.Shorten(units.Clean(name), 24)})
	}
	return a
}

// rowsOf are the rows of spans in the order in which they come.
func rowsOf(spans []graph.Span) (rows []string) {
	seen := map[string]bool{}
	for i := range spans {
		if row := spans[i].Row; !seen[row] {
			seen[row] = true
			rows = append(rows, row)
		}
	}
	return rows
}
