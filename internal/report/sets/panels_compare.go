package sets

import (
	"fmt"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/contrast"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Graphs are the change of each figure with its interval, and then each figure of both sides, launch by launch.
func (v contrastView) Graphs() []graph.Panel {
	all := v.changePanel()
	const most = 12
	for i := range v.of.Figures[:min(len(v.of.Figures), most)] {
		if p := v.launchesOf(i); !allZero(p) {
			all = append(all, p)
		}
	}
	return all
}

// changePanel has a row for each figure: from the lower end of the interval over the change to the upper end.
func (v contrastView) changePanel() []graph.Panel {
	p := graph.Panel{Name: "change", Title: "Change from A to B with 95% CI",
		X: graph.Axis{Name: "change from A to B", Unit: graph.Share},
		Intro: "Each bar is the 95% confidence interval of the change, with a mark at the change itself. A bar that " +
			"crosses 0 is not a significant difference.",
		Rules: []graph.Rule{{Role: graph.Neutral, At: 0, Vertical: true, Name: "no change"}}}
	if smallest := v.of.MinEffect; smallest > 0 {
		p.Rules = append(p.Rules, graph.Rule{Role: graph.Unknown, At: smallest, Vertical: true,
			Name: "smallest that matters"},
			graph.Rule{Role: graph.Unknown, At: -smallest, Vertical: true, Name: "smallest that matters"})
	}
	for _, r := range v.rows() {
		if !drawable(r) {
			continue
		}
		role := graph.Neutral
		switch r.Outcome {
		case setdoc.Worse:
			role = graph.Failed
		case setdoc.Better:
			role = graph.Met
		}
		text := changeOf(r) + ", " + intervalOf(r)
		p.Spans = append(p.Spans, graph.Span{Row: v.figureName(r), Part: units.Clean(r.Outcome), Role: role,
			From: *r.Low - 1, To: max(*r.Low, *r.High) - 1, Text: text},
			graph.Span{Row: v.figureName(r), Part: "change", Role: graph.Fitted, From: *r.Ratio - 1,
				To: *r.Ratio - 1})
	}
	if len(p.Spans) == 0 {
		return nil
	}
	return []graph.Panel{p}
}

// allZero reports whether all values are 0, as those of failures mostly are, or not known.
func allZero(p graph.Panel) bool {
	return !slices.ContainsFunc(p.Series, func(s graph.Series) bool {
		return slices.ContainsFunc(s.Y, func(y float64) bool { return y != 0 && !math.IsNaN(y) })
	})
}

// drawable reports whether a row has an interval, both of whose ends are somewhere.
func drawable(r contrasted) bool {
	return r.Launches >= contrast.Least && r.Ratio != nil && r.Low != nil && r.High != nil && *r.Low > 0 && *r.Ratio > 0 &&
		*r.High > 0 && *r.High <= math.MaxFloat64
}

// launchesOf are both sides' values of a figure, launch by launch, with what they came to.
func (v contrastView) launchesOf(i int) graph.Panel {
	f := v.of.Figures[i].Figure
	y, times := axisOf(f)
	if figure.Unit(f.Unit) == figure.Time {
		y.Scale = graph.Log
	}
	p := graph.Panel{Name: fmt.Sprintf("launches-%d", i+1), Title: titled(units.Clean(f.Name)+" of each launch", f),
		Y: y,
		X: graph.Axis{Name: "launch", From: 0.5, To: float64(len(v.of.Launches)) + 0.5}}
	roles := [2]graph.Role{"1", "2"}
	for side := range v.of.Sides {
		used := graph.Series{Name: "AB"[side : side+1], Role: roles[side], Style: graph.Dots}
		dropped := graph.Series{Name: used.Name + ", dropped", Role: graph.Unknown, Style: graph.Dots}
		for n := range v.of.Launches {
			l := &v.of.Launches[n]
			s, why := &used, units.Clean(l.Lost)
			if l.Dropped {
				s, why = &dropped, "dropped because of other programs"
			}
			value := math.NaN()
			if i < len(l.Values[side]) {
				value = orNaN(l.Values[side][i].Value, times)
			}
			text := fmt.Sprintf("launch %d, %s first", n+1, "AB"[l.First:l.First+1])
			if why != "" {
				text += ", " + why
			}
			s.X, s.Y, s.Texts = append(s.X, float64(n+1)), append(s.Y, value), append(s.Texts, text)
		}
		for _, s := range []graph.Series{used, dropped} {
			if len(s.X) > 0 {
				p.Series = append(p.Series, s)
			}
		}
	}
	for _, r := range v.rows() {
		if r.Figure != i {
			continue
		}
		for side, mean := range [2]*float64{r.A, r.B} {
			if mean != nil {
				p.Rules = append(p.Rules, graph.Rule{Role: roles[side], At: *mean * times,
					Name: "mean of " + "AB"[side:side+1]})
				p.Intro = "The lines are the geometric means without the most extreme fifth of the launches at each end."
			}
		}
	}
	return p
}
