package sets

import (
	"cmp"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// memberPanels are the members of a set that is no sweep, one beside the other.
func (v *View) memberPanels() []graph.Panel {
	if len(v.Set.Members) == 0 {
		return nil
	}
	if v.Set.Launches != nil {
		return []graph.Panel{v.launchPanel(v.Set.Launches)}
	}
	x := graph.Axis{From: 0.5, To: float64(len(v.Set.Members)) + 0.5}
	for i := range v.Set.Members {
		x.Ticks = append(x.Ticks, graph.Tick{At: float64(i + 1),
			Name: units.Shorten(units.Clean(v.Set.Members[i].Name), 24)})
	}
	rate := v.memberPanel("rate", "Throughput of each run, operations/s", x, graph.Axis{Word: "op/s"},
		func(m member) float64 { return orNaN(m.RatePerS, 1) })
	p99 := v.memberPanel("response-time", "Response time p99 of each run", x,
		graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log}, func(m member) float64 { return nanosOr(m.P99NS) })
	rate.Intro = "Runs with different kinds of operations have no common rate."
	for _, p := range []*graph.Panel{&rate, &p99} {
		if len(p.Series) == 0 {
			p.Intro, p.Empty = "", "no run has a value"
		}
	}
	return []graph.Panel{rate, p99}
}

// memberPanel returns a metric of each member, in a colour by its verdict, or by the threshold that it missed.
func (v *View) memberPanel(name, title string, x, y graph.Axis, of func(member) float64) graph.Panel {
	p := graph.Panel{Name: name, Title: title, X: x, Y: y}
	for _, k := range []struct {
		name   string
		role   graph.Role
		is     func(rundoc.Validity) bool
		missed bool
	}{
		{"valid", graph.OK, func(v rundoc.Validity) bool { return v == rundoc.Valid || v == rundoc.Seen }, false},
		{"suspect", graph.Unknown, func(v rundoc.Validity) bool { return v == rundoc.Suspect }, false},
		{"invalid", graph.Failed, func(v rundoc.Validity) bool { return v == rundoc.Invalid }, false},
		{"missed a threshold", graph.Failed, func(v rundoc.Validity) bool { return v != "" }, true},
	} {
		s := graph.Series{Name: k.name, Role: k.role, Style: graph.Dots}
		for i, m := range v.members() {
			if k.is(m.Verdict.Validity) && k.missed == (m.Exit == int(fault.Missed)) {
				s.X, s.Y = append(s.X, float64(i+1)), append(s.Y, of(m))
				s.Texts = append(s.Texts, units.Clean(m.Name+", "+string(m.Verdict.Validity)))
			}
		}
		if anyKnown(s.Y) {
			p.Series = append(p.Series, s)
		}
	}
	return p
}

// launchPanel has the figure of each launch, and the median with its interval.
func (v *View) launchPanel(l *setdoc.Launches) graph.Panel {
	y, times := axisOf(l.Figure)
	name := units.Clean(l.Figure.Name)
	p := graph.Panel{Name: "launches", Title: titled(units.Capital(name)+" of each run", l.Figure), Y: y,
		X: graph.Axis{Name: "run", From: 0.5, To: float64(len(l.Values)) + 0.5},
		Intro: "Each dot is a run of the same test from a fresh start. The lines are the median and its 95% confidence " +
			"interval."}
	s := graph.Series{Name: "run", Role: graph.P50, Style: graph.Dots}
	for i, value := range l.Values {
		s.X, s.Y = append(s.X, float64(i+1)), append(s.Y, orNaN(value.Value, times))
		s.Texts = append(s.Texts, units.Clean(value.Why))
	}
	if !anyKnown(s.Y) {
		p.Intro, p.Empty = "", "no run has a value of "+name
		return p
	}
	p.Series = []graph.Series{s}
	if l.Median != nil && !math.IsNaN(*l.Median) {
		p.Rules = append(p.Rules, graph.Rule{Role: graph.Fitted, At: *l.Median * times, Name: "median"})
	}
	for i, end := range l.Range {
		p.Rules = append(p.Rules, graph.Rule{Role: graph.Neutral, At: end * times,
			Name: [...]string{"95% CI, lower end", "95% CI, upper end"}[min(i, 1)]})
	}
	return p
}

// besidePanels have two sweeps over the same settings: the mean figure and the p99 of each level.
func besidePanels(a, b *View) []graph.Panel {
	f := a.sweep.Figure
	y, times := axisOf(f)
	at, names := together(a, b)
	both := func(name, title string, y graph.Axis, of func(level) float64, interval bool) graph.Panel {
		p := graph.Panel{Name: name, Title: title, X: at.axis, Y: y}
		for side, v := range []*View{a, b} {
			s := graph.Series{Name: "AB"[side : side+1], Role: [2]graph.Role{"1", "2"}[side]}
			if !at.numbers {
				s.Style = graph.Dots
			}
			list := slices.SortedFunc(slices.Values(v.all()), func(l, m level) int {
				return cmp.Compare(names[short(l.Values)], names[short(m.Values)])
			})
			for _, l := range list {
				s.X, s.Y, s.Texts = append(s.X, names[short(l.Values)]), append(s.Y, of(l)), append(s.Texts,
					v.name(l.Values))
				low, high := math.NaN(), math.NaN()
				if len(l.Interval) == 2 {
					low, high = l.Interval[0]*times, l.Interval[1]*times
				}
				s.Low, s.High = append(s.Low, low), append(s.High, high)
			}
			if !interval || !anyKnown(s.Low) {
				s.Low, s.High = nil, nil
			}
			p.Series = append(p.Series, s)
		}
		return p
	}
	all := []graph.Panel{
		both("scaling", titled(units.Capital(figureName(f))+" of both sweeps", f), y,
			func(l level) float64 { return orNaN(l.Throughput, times) }, true),
		both("response-time", "Response time p99 of both sweeps", graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log},
			func(l level) float64 { return nanosOr(l.ResponseP99NS) }, false),
	}
	return slices.DeleteFunc(all, func(p graph.Panel) bool { return !anyOf(p) })
}

// together are the places of the levels of two sweeps, and where each level is by its values.
func together(a, b *View) (places, map[string]float64) {
	one := *a.sweep
	one.Levels = slices.Clone(one.Levels)
	for _, l := range b.sweep.Levels {
		if a.at(l.Values...) == nil {
			one.Levels = append(one.Levels, l)
		}
	}
	v := *a
	v.sweep = &one
	at, names := v.places(), map[string]float64{}
	for i, l := range v.all() {
		names[short(l.Values)] = at.x[i]
	}
	return at, names
}
