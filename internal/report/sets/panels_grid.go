package sets

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/setdoc"
)

// gridPanels are those of a sweep over two settings: a line for each value of the first over those of the second, of
// the figure, of the p99 and of what failed.
func (v *View) gridPanels() []graph.Panel {
	if !slices.ContainsFunc(v.all(), func(l level) bool { return l.Throughput != nil }) {
		return nil
	}
	f := v.sweep.Figure
	y, times := axisOf(f)
	over := " over " + v.settings()
	figures := v.gridPanel("scaling", titled(units.Capital(figureName(f))+over, f), y,
		func(l level) float64 { return orNaN(l.Throughput, times) },
		func(r *setdoc.Row) float64 { return orNaN(r.Throughput, times) })
	for i := range figures.Series {
		v.withIntervals(&figures.Series[i], times)
	}
	if best := v.level(v.sweep.Best); best != nil {
		figures.Intro += " The best is at " + v.name(best.Values) + "."
	}
	all := []graph.Panel{figures, v.gridPanel("response-time", "Response time p99"+over,
		graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log}, func(l level) float64 { return nanosOr(l.ResponseP99NS) },
		func(r *setdoc.Row) float64 { return nanosOr(r.ResponseP99NS) })}
	if slices.ContainsFunc(v.all(), func(l level) bool { return l.FailedShare > 0 }) {
		all = append(all, v.gridPanel("failed", "Failed, unsent or unfinished operations, share of scheduled",
			graph.Axis{Unit: graph.Share}, missShare, nil))
	}
	return append(all, slices.DeleteFunc([]graph.Panel{v.ledgerOver(), v.runOrder()},
		func(p graph.Panel) bool { return p.Name == "" })...)
}

// gridPanel has a line of means for each value of the first setting, and the single runs as dots of the same colour.
func (v *View) gridPanel(name, title string, y graph.Axis, of func(level) float64,
	run func(*setdoc.Row) float64) graph.Panel {
	down, across := v.sweep.Vary[0], v.sweep.Vary[1]
	axis, at := acrossAxis(across)
	p := graph.Panel{Name: name, Title: title, X: axis, Y: y,
		Intro: "A line for each value of " + units.Clean(down.Setting) + ", with the mean of the runs at each setting."}
	for i, value := range down.Values {
		role := graph.Role(strconv.Itoa(i + 1))
		line := graph.Series{Name: units.Clean(down.Setting + " " + value), Role: role}
		if !across.Numeric {
			line.Style = graph.Dots
		}
		dots := graph.Series{Name: line.Name + ", one run", Role: role, Style: graph.Dots}
		for _, other := range inPlace(across.Values, at) {
			l := v.at(value, other)
			if l == nil {
				continue
			}
			line.X, line.Y = append(line.X, at[other]), append(line.Y, of(l))
			line.Texts = append(line.Texts, v.name(l.Values))
		}
		for j := range v.sweep.Rows {
			r := &v.sweep.Rows[j]
			if x, known := at[r.Values[1]]; known && r.Values[0] == value && run != nil {
				dots.X, dots.Y, dots.Texts = append(dots.X, x), append(dots.Y, run(r)), append(dots.Texts, v.rowText(r))
			}
		}
		p.Series = append(p.Series, line)
		if len(dots.X) > len(line.X) { // else each is the mean
			p.Series = append(p.Series, dots)
		}
	}
	return p
}

// withIntervals adds those of the means of a line, whose points say in their texts of which level they are: single runs
// say something else, and have none.
func (v *View) withIntervals(s *graph.Series, times float64) {
	any := false
	for i, text := range s.Texts {
		low, high := math.NaN(), math.NaN()
		for _, l := range v.all() {
			if v.name(l.Values) == text && len(l.Interval) == 2 {
				low, high, any = l.Interval[0]*times, l.Interval[1]*times, true
				s.Texts[i] = text + ": " + v.with(l)
			}
		}
		s.Low, s.High = append(s.Low, low), append(s.High, high)
	}
	if !any {
		s.Low, s.High = nil, nil
	}
}

// acrossAxis is where the values of a setting stand: at their numbers, or one beside the other.
func acrossAxis(vary setdoc.Vary) (graph.Axis, map[string]float64) {
	axis, at := graph.Axis{Name: units.Clean(vary.Setting)}, map[string]float64{}
	var x []float64
	for i, value := range vary.Values {
		n, _ := strconv.ParseFloat(value, 64) // of what is no number it is 0
		if !vary.Numeric || !(n > 0) || n > farthest {
			x = nil
			break
		}
		x = append(x, n)
		at[value] = x[i]
	}
	if len(x) > 0 {
		if axis.To = slices.Max(x) * 1.04; crowded(x) {
			axis.Scale, axis.From, axis.To = graph.Log, slices.Min(x)/edge, slices.Max(x)*edge
		}
	} else {
		axis.From, axis.To = 0.5, float64(len(vary.Values))+0.5
		for i, value := range vary.Values {
			at[value] = float64(i + 1)
		}
	}
	for _, value := range inPlace(vary.Values, at) {
		axis.Ticks = append(axis.Ticks, graph.Tick{At: at[value], Name: units.Shorten(units.Clean(value), 24)})
	}
	return axis, at
}

// inPlace are values from the lowest place to the highest.
func inPlace(list []string, at map[string]float64) []string {
	return slices.SortedStableFunc(slices.Values(list), func(a, b string) int { return cmp.Compare(at[a], at[b]) })
}
