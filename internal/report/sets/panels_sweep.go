package sets

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/setdoc"
)

// scaling has each run, the mean of each level with its interval, what was predicted and the law.
func (v *View) scaling(at places) graph.Panel {
	f := v.sweep.Figure
	y, times := axisOf(f)
	p := graph.Panel{Name: "scaling", Title: titled(units.Capital(figureName(f)), f), X: at.axis, Y: y,
		Intro: "Each dot is a run; the line is the mean at each setting"}
	if slices.ContainsFunc(v.all(), func(l level) bool { return len(l.Interval) == 2 }) {
		p.Intro += ", with its 95% confidence interval"
	}
	p.Intro += "."
	p.Series = append(p.Series, v.predictedSeries(at, times)...)
	if v.fitted() != nil && at.numbers {
		p.Series = append(p.Series, v.lawSeries(at, times))
		p.Intro += " The scaling law is the Universal Scalability Law, fitted to every run."
	}
	offered := slices.ContainsFunc(v.all(), func(l level) bool { return l.OfferedPerS != nil })
	if offered && f.Unit == string(figure.PerSecond) {
		p.Series = append(p.Series, v.over(at, "offered", graph.Offered,
			func(l level) float64 { return orNaN(l.OfferedPerS, 1) }))
	}
	runs := v.runDots(at, "one run", func(r *setdoc.Row) float64 { return orNaN(r.Throughput, times) })
	p.Series = append(p.Series, runs, v.means(at, times))
	p.Rules = v.marks(at)
	if law := v.fitted(); law != nil && law.Peak != nil && at.numbers && law.Peak.High >= law.Peak.Low {
		p.Bands = append(p.Bands, graph.Band{Role: graph.Fitted, From: law.Peak.Low, To: law.Peak.High,
			Name: "fitted peak, 95% CI"})
	}
	return p
}

// over is a value of each level: a line where the distances mean something, and else dots.
func (v *View) over(at places, name string, role graph.Role, of func(level) float64) graph.Series {
	s := graph.Series{Name: name, Role: role}
	if !at.numbers {
		s.Style = graph.Dots
	}
	for _, i := range byPlace(at.x) {
		s.X, s.Y = append(s.X, at.x[i]), append(s.Y, of(v.all()[i]))
	}
	return s
}

// byPlace are the levels from the lowest to the highest.
func byPlace(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	return order
}

// means are those of the levels, with their intervals.
func (v *View) means(at places, times float64) graph.Series {
	s := v.over(at, "mean", graph.P50, func(l level) float64 { return orNaN(l.Throughput, times) })
	any := false
	for _, i := range byPlace(at.x) {
		l := v.all()[i]
		low, high := math.NaN(), math.NaN()
		if len(l.Interval) == 2 {
			low, high, any = l.Interval[0]*times, l.Interval[1]*times, true
		}
		s.Low, s.High = append(s.Low, low), append(s.High, high)
		s.Texts = append(s.Texts, v.name(l.Values)+": "+v.with(l))
	}
	if !any {
		s.Low, s.High = nil, nil
	} else {
		s.Name = "mean with 95% CI"
	}
	return s
}

// runDots are the single runs, each of the document's: of one that measured nothing the value is not known.
func (v *View) runDots(at places, name string, of func(*setdoc.Row) float64) graph.Series {
	s := graph.Series{Name: name, Role: graph.Neutral, Style: graph.Dots}
	levels := v.levelOf()
	for i := range v.sweep.Rows {
		r := &v.sweep.Rows[i]
		where, known := levels[short(r.Values)]
		if !known {
			continue // of a document that makes no sense
		}
		s.X, s.Y = append(s.X, at.x[where]), append(s.Y, of(r))
		s.Texts = append(s.Texts, v.rowText(r))
	}
	return s
}

// levelOf is the number of each level by its values.
func (v *View) levelOf() map[string]int {
	levels := map[string]int{}
	for i, l := range v.all() {
		levels[short(l.Values)] = i
	}
	return levels
}

// rowText is a run in words.
func (v *View) rowText(r *setdoc.Row) string {
	text := fmt.Sprintf("%s, run %d, %s", v.name(r.Values), r.Repeat, units.Clean(r.Validity))
	if r.Failed > 0 {
		text += ", " + units.Number(r.Failed) + " failed"
	}
	return text
}

// predictedSeries is what the levels would bring by W₁.
func (v *View) predictedSeries(at places, times float64) []graph.Series {
	if !at.numbers || !v.scales() {
		return nil
	}
	s := v.over(at, "predicted, L ÷ W₁", graph.Unknown, func(l level) float64 { return orNaN(l.Predicted, times) })
	// Far above all that was measured it would press that flat; the panel of efficiency has it.
	const most = 1.6
	highest := 0.0
	for _, l := range v.all() {
		if l.Throughput != nil {
			highest = max(highest, *l.Throughput*times)
		}
	}
	for i := range s.Y {
		if s.Y[i] > most*highest {
			s.Y[i] = math.NaN()
		}
	}
	return []graph.Series{s}
}

// lawSeries is the fitted law between the lowest and the highest level.
func (v *View) lawSeries(at places, times float64) graph.Series {
	law := v.fitted()
	s := graph.Series{Name: "scaling law", Role: graph.Fitted}
	const steps = 100
	from, to := slices.Min(at.x), slices.Max(at.x)
	for i := range steps + 1 {
		n := from + (to-from)*float64(i)/steps
		if at.axis.Scale == graph.Log {
			n = from * math.Pow(to/from, float64(i)/steps)
		}
		y := law.Lambda.Value * n / (1 + law.Sigma.Value*(n-1) + law.Kappa.Value*n*(n-1)) * times
		if y < 0 || y > math.MaxFloat64 {
			y = math.NaN() // of a document that makes no sense
		}
		s.X, s.Y = append(s.X, n), append(s.Y, y)
	}
	return s
}

// marks are the levels that the answer speaks of.
func (v *View) marks(at places) []graph.Rule {
	var rules []graph.Rule
	for _, m := range []struct {
		name string
		role graph.Role
		of   *int
	}{{"best", graph.Met, v.sweep.Best}, {"fails from", graph.Failed, v.sweep.FailsFrom}} {
		if l := v.level(m.of); l != nil {
			rules = append(rules, graph.Rule{Role: m.role, At: at.x[*m.of], Vertical: true, Name: m.name + ": " +
				v.name(l.Values)})
		}
	}
	return rules
}

// efficiencyOver is the observed share of what was predicted.
func (v *View) efficiencyOver(at places) graph.Panel {
	p := graph.Panel{Name: "efficiency", Title: "Efficiency: observed ÷ predicted", X: at.axis,
		Y: graph.Axis{Unit: graph.Share, To: 1.1},
		Intro: "The prediction assumes that every operation takes as long as at the base (Little's law). " +
			v.w1() + ".",
		Rules: append([]graph.Rule{{Role: graph.Neutral, At: 1, Name: "as predicted"}}, v.marks(at)...)}
	s := v.over(at, "efficiency", graph.P50, func(l level) float64 { return orNaN(l.Efficiency, 1) })
	const most = 10 // of a document that makes no sense
	for _, y := range s.Y {
		if y*1.04 > p.Y.To && y < most {
			p.Y.To = y * 1.04
		}
	}
	p.Series = []graph.Series{s}
	return p
}

// timesOver has the percentiles of the response time at each level, and the p99 of each run.
func (v *View) timesOver(at places) graph.Panel {
	p := graph.Panel{Name: "response-time", Title: "Response time", X: at.axis,
		Y:     graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log},
		Intro: "Medians over the runs at each setting. Each dot is the p99 of a run."}
	p.Series = []graph.Series{
		v.over(at, "p50", graph.P50, func(l level) float64 { return nanosOr(l.ResponseP50NS) }),
		v.over(at, "p99", graph.P99, func(l level) float64 { return nanosOr(l.ResponseP99NS) }),
	}
	runs := v.runDots(at, "p99 of one run", func(r *setdoc.Row) float64 { return nanosOr(r.ResponseP99NS) })
	if len(runs.Y) > len(v.sweep.Levels) { // else each is the p99 of its level
		p.Series = append(p.Series, runs)
	}
	if !slices.ContainsFunc(p.Series, func(s graph.Series) bool { return anyKnown(s.Y) }) {
		p.Series, p.Intro, p.Empty = nil, "", "too few operations for percentiles"
	}
	p.Rules = v.marks(at)
	return p
}

func anyKnown(list graph.Values) bool {
	return slices.ContainsFunc(list, func(y float64) bool { return !math.IsNaN(y) })
}

// missShare is the share of a level that was not ok; of one in which nothing was measured it is not known.
func missShare(l level) float64 {
	if l.Scheduled <= 0 {
		return math.NaN()
	}
	return l.FailedShare
}

// missText is missShare in words.
func missText(l level) string {
	if share := missShare(l); !math.IsNaN(share) {
		return units.Percent(share)
	}
	return units.Dash
}

// failedOver has what was not ok at each level; no panel where all was.
func (v *View) failedOver(at places) graph.Panel {
	if !slices.ContainsFunc(v.all(), func(l level) bool { return l.FailedShare > 0 }) {
		return graph.Panel{}
	}
	s := v.over(at, "not ok", graph.Failed, missShare)
	for _, i := range byPlace(at.x) {
		s.Texts = append(s.Texts, causesOf(v.all()[i].Causes, 4))
	}
	return graph.Panel{Name: "failed", Title: "Failed, unsent or unfinished operations, share of scheduled", X: at.axis,
		Y: graph.Axis{Unit: graph.Share}, Series: []graph.Series{s}, Rules: v.marks(at)}
}

// ledgerOver has where the clients' time went at each level, one level beside the other.
func (v *View) ledgerOver() graph.Panel {
	at := v.named()
	states := v.states(func(l level) []string {
		var names []string
		for name, share := range l.Shares {
			if share > 0 {
				names = append(names, name)
			}
		}
		return names
	})
	if len(states) == 0 {
		return graph.Panel{}
	}
	p := graph.Panel{Name: "client-time", Title: "Time breakdown of the clients", X: at.axis,
		Y: graph.Axis{Unit: graph.Share, To: 1}, Intro: "Share of client time in each state."}
	for i, state := range states {
		s := graph.Series{Name: units.Clean(state), Role: graph.Role(strconv.Itoa(i + 1)), Style: graph.Bars}
		for j, l := range v.all() {
			s.X, s.To = append(s.X, at.x[j]-0.4), append(s.To, at.x[j]+0.4)
			share, known := l.Shares[state]
			if !known && len(l.Shares) == 0 {
				share = math.NaN()
			}
			s.Y = append(s.Y, share)
		}
		p.Series = append(p.Series, s)
	}
	return p
}

// runOrder is the throughput of each run in the order in which they were made, in which a drift would be seen.
func (v *View) runOrder() graph.Panel {
	if len(v.sweep.Order) < 2 || len(v.sweep.Rows) == len(v.sweep.Levels) && !v.random() {
		return graph.Panel{} // the order is that of the settings
	}
	f := v.sweep.Figure
	y, times := axisOf(f)
	p := graph.Panel{Name: "order", Title: titled(units.Capital(figureName(f))+" of each run in order", f),
		X: graph.Axis{Name: "run", From: 0.5, To: float64(len(v.sweep.Order)) +
			0.5}, Y: y, Intro: "If runs at one setting rise or fall over time, the target drifts."}
	place := make(map[int]float64, len(v.sweep.Order))
	for i, row := range v.sweep.Order {
		place[row] = float64(i + 1)
	}
	const most = 12 // settings that can be told apart by their colours
	for i, l := range v.all() {
		s := graph.Series{Name: v.name(l.Values), Role: graph.Role(strconv.Itoa(i + 1)), Style: graph.Dots}
		if len(v.sweep.Levels) > most {
			s.Name, s.Role = "one run", graph.Neutral
		}
		for j := range v.sweep.Rows {
			r := &v.sweep.Rows[j]
			if x, made := place[j]; made && slices.Equal(r.Values, l.Values) {
				s.X, s.Y, s.Texts = append(s.X, x), append(s.Y, orNaN(r.Throughput, times)), append(s.Texts,
					v.rowText(r))
			}
		}
		p.Series = append(p.Series, s)
	}
	return p
}
