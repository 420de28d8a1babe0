package sets

import (
	"fmt"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Graphs have every probe: the figures of the SLO over the load, what was got through, and the loads in the order of
// the search.
func (v lineView) Graphs() []graph.Panel {
	if len(v.line.Probes) == 0 {
		return nil
	}
	var all []graph.Panel
	for i, goal := range v.line.SLO {
		if p := v.goalPanel(i, goal); anyOf(p) {
			all = append(all, p)
		}
	}
	if p := v.through(); anyOf(p) {
		all = append(all, p)
	}
	return append(all, v.search())
}

func anyOf(p graph.Panel) bool {
	return slices.ContainsFunc(p.Series, func(s graph.Series) bool { return anyKnown(s.Y) })
}

// loadAxis is that of the loads: logarithmic, since a search goes by ratios.
func (v lineView) loadAxis() graph.Axis {
	low, high := math.MaxFloat64, 0.0
	for i := range v.line.Probes {
		load := v.line.Probes[i].Load
		low, high = min(low, load), max(high, load)
	}
	a := graph.Axis{Name: units.Clean(v.line.Unit)}
	if low > 0 && high < farthest {
		a.Scale, a.From, a.To = graph.Log, low/edge, high*edge
	}
	return a
}

// probeSeries are all probes, a series for each result, at what of gives. One of which that is not known has no height,
// and is there all the same. One that met the SLO in a run whose figures are not to be used has a series of its own.
func (v lineView) probeSeries(of func(probe) (x, y float64)) (all []graph.Series) {
	for _, s := range []graph.Series{
		{Name: "met the SLO", Role: graph.Met}, {Name: "met the SLO, INVALID", Role: graph.Own},
		{Name: "failed the SLO", Role: graph.Failed}, {Name: "inconclusive", Role: graph.Unknown},
	} {
		s.Style = graph.Dots
		for _, p := range v.probes() {
			if p.role() != s.Role {
				continue
			}
			x, y := of(p)
			s.X, s.Y, s.Texts = append(s.X, x), append(s.Y, y), append(s.Texts, v.probeText(p))
		}
		if len(s.X) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// role is what a probe means.
func (p probe) role() graph.Role {
	switch {
	case p.Result == setdoc.ProbeMet && p.invalid:
		return graph.Own
	case p.Result == setdoc.ProbeMet:
		return graph.Met
	case p.Result == setdoc.ProbeFailed:
		return graph.Failed
	}
	return graph.Unknown
}

// probeText is a probe in words.
func (v lineView) probeText(p probe) string {
	text := fmt.Sprintf("probe %d, %s, %s: %s", p.at, v.amount(p.Load), units.Length(p.LengthNS), p.result())
	if p.Why != "" {
		text += ": " + units.Clean(p.Why)
	}
	return text
}

// mark marks the load line and its interval on a panel over the load.
func (v lineView) mark(p *graph.Panel) {
	if v.line.Load != nil {
		p.Rules = append(p.Rules, graph.Rule{Role: graph.Fitted, At: *v.line.Load, Vertical: true,
			Name: "highest load"})
	}
	if r := v.line.Range; len(r) == 2 {
		p.Bands = append(p.Bands, graph.Band{Role: graph.Fitted, From: r[0], To: r[1], Name: "98% CI"})
	}
}

// goalPanel is a figure of the SLO of each probe, over its load.
func (v lineView) goalPanel(i int, goal setdoc.Goal) graph.Panel {
	y, times := axisOf(setdoc.Figure{Unit: goal.Unit})
	if figure.Unit(goal.Unit) == figure.Time {
		y.Scale = graph.Log
	}
	p := graph.Panel{Name: fmt.Sprintf("goal-%d", i+1), Title: units.Clean(goal.Figure) + " of each probe",
		X: v.loadAxis(), Y: y,
		Intro: "Each dot is a probe. A probe meets the SLO if it meets all conditions, all scheduled operations were " +
			"sent, and no queue grew."}
	p.Series = v.probeSeries(func(q probe) (float64, float64) {
		if i >= len(q.Values) {
			return q.Load, math.NaN()
		}
		return q.Load, orNaN(q.Values[i].Value, times)
	})
	p.Rules = []graph.Rule{{Role: graph.Neutral, At: goal.Limit * times, Name: "limit, " + units.Clean(goal.Expr)}}
	v.mark(&p)
	if y.Unit == graph.Share { // of which a goal is most often a thousandth
		p.Y.To = sharesTo(p, 2*goal.Limit)
	}
	return p
}

// sharesTo is how far an axis of shares goes: to this, or as far as the values do.
func sharesTo(p graph.Panel, least float64) float64 {
	for _, s := range p.Series {
		for _, y := range s.Y {
			if y*1.04 > least {
				least = y * 1.04
			}
		}
	}
	return min(least, 1)
}

// through is what was got through at each load.
func (v lineView) through() graph.Panel {
	p := graph.Panel{Name: "through", Title: "Completed operations/s", X: v.loadAxis(), Y: graph.Axis{Word: "op/s"}}
	if v.line.Vary == "rate" {
		p.Intro = "A probe on the line completed everything that was offered."
		line := graph.Series{Name: "offered", Role: graph.Offered}
		loads := slices.Sorted(func(yield func(float64) bool) {
			for i := range v.line.Probes {
				if !yield(v.line.Probes[i].Load) {
					return
				}
			}
		})
		for _, load := range slices.Compact(loads) {
			line.X, line.Y = append(line.X, load), append(line.Y, load)
		}
		p.Series = append(p.Series, line)
	}
	probes := v.probeSeries(func(q probe) (float64, float64) { return q.Load, orNaN(q.Rate, 1) })
	if !slices.ContainsFunc(probes, func(s graph.Series) bool { return anyKnown(s.Y) }) {
		return graph.Panel{}
	}
	p.Series = append(p.Series, probes...)
	v.mark(&p)
	return p
}

// search is the loads in the order in which they were tried.
func (v lineView) search() graph.Panel {
	n := float64(len(v.line.Probes))
	p := graph.Panel{Name: "search", Title: "Probes in order, " + units.Clean(v.line.Unit), Y: v.loadAxis(),
		X: graph.Axis{Name: "probe", From: 0.5, To: n + 0.5},
		Intro: "The search doubles the load until a probe fails, and then tries loads at which about half of the probes " +
			"meet the SLO."}
	p.Y.Name = ""
	p.Series = v.probeSeries(func(q probe) (float64, float64) { return float64(q.at), q.Load })
	if v.line.Load != nil {
		p.Rules = append(p.Rules, graph.Rule{Role: graph.Fitted, At: *v.line.Load, Name: "highest load"})
	}
	for _, at := range v.line.Drift {
		p.Rules = append(p.Rules, graph.Rule{Role: graph.Unknown, At: float64(at) + 0.5, Vertical: true,
			Name: "earlier probes are ignored: the target changed"})
	}
	return p
}
