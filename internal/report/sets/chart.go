package sets

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/units"
)

// Chart draws a sweep over its settings: the throughput of each run, its mean and what was predicted, the response
// time, and what failed.
func Chart(w io.Writer, of Source, format chart.Format) error {
	v := NewView(of, report.Options{})
	if of.Set.Loadline != nil {
		return lineView{v, of.Set.Loadline}.chart(w, format)
	}
	if of.Set.Comparison != nil {
		return contrastView{v, of.Set.Comparison}.chart(w, format)
	}
	d := v.Drawing()
	if len(d.Panels) == 0 {
		if !v.isSweep() {
			return fault.New(fault.Usage, "a set of the kind %.40q has no chart", of.Set.Kind).
				Hint("name one of its runs: 'plimsoll report %s --chart FILE' draws the first",
					units.ShellWord(v.Name+"/1"))
		}
		return fault.New(fault.RunFailed, "nothing was measured in this sweep, so there is nothing to draw")
	}
	return chart.Draw(w, chart.Head{Title: v.title(), Subtitle: v.Subtitle(), Answer: d.Line}, d.Panels, format)
}

// Drawing shows a sweep over its settings.
func (v *View) Drawing() report.Drawing {
	measured := slices.ContainsFunc(v.all(), func(l level) bool { return l.Throughput != nil })
	if !measured {
		return report.Drawing{}
	}
	line := v.best().Value
	if e := v.efficiency().Value; e != "" {
		line += "  ·  efficiency " + e
	}
	line += "  ·  " + units.Clean(string(v.Set.Verdict.Validity))
	a := v.axis()
	panels := []chart.Panel{v.throughputPanel(a), v.timesPanel(a)}
	if slices.ContainsFunc(v.all(), func(l level) bool { return l.FailedShare > 0 }) {
		panels = append(panels, v.failedPanel(a))
	}
	if a.doubling {
		a.name += ", logarithmic scale"
	}
	panels[len(panels)-1].NameAxis(a.name)
	return report.Drawing{Line: line, Panels: panels}
}

// axis is where the levels stand.
type axis struct {
	name     string
	x        []float64 // of each level
	from, to float64
	ticks    []plot.Tick
	numbers  bool // the distances mean something, so that lines between the levels do
	doubling bool // the distances are those of logarithms
}

// axis puts the levels of one setting of numbers where these are, and any others one beside the other.
func (v *View) axis() axis {
	a := axis{name: v.settings(), numbers: len(v.sweep.Vary) == 1 && v.numeric()}
	for i, l := range v.all() {
		if !a.numbers || l.Load <= 0 || l.Load > farthest {
			return v.names()
		}
		a.x = append(a.x, v.sweep.Levels[i].Load)
	}
	if a.doubling = crowded(a.x); a.doubling {
		a.from, a.to = slices.Min(a.x)/edge, slices.Max(a.x)*edge
		a.ticks = v.ticks(a.x)
		return a
	}
	a.to = slices.Max(a.x) * chart.Headroom
	_, _, ticks := chart.LinearTicks(a.to, units.Digits)
	a.ticks = slices.DeleteFunc(ticks, func(t plot.Tick) bool { return t.Value > a.to })
	return a
}

// ticks are the levels themselves, as far as there is room for their names.
func (v *View) ticks(x []float64) []plot.Tick {
	const most = 24
	least, span := math.Log(slices.Min(x)), math.Log(slices.Max(x)/slices.Min(x))
	var list []plot.Tick
	last := math.Inf(-1)
	for _, i := range byLoad(x) {
		t := plot.Tick{Value: x[i]}
		if at := (math.Log(x[i]) - least) / span; at-last >= 1.0/most {
			t.Label, last = units.Shorten(short(v.sweep.Levels[i].Values), 12), at
		}
		list = append(list, t)
	}
	return list
}

// byLoad are the levels from the lowest to the highest.
func byLoad(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	return order
}

// names is an axis of names.
func (v *View) names() axis {
	a := axis{name: v.settings(), from: 0.5, to: float64(len(v.sweep.Levels)) + 0.5}
	const most, room = 16, 110 // labels, and characters of all of them
	every := (len(v.sweep.Levels) + most - 1) / most
	for i, l := range v.all() {
		x := float64(i + 1)
		a.x = append(a.x, x)
		t := plot.Tick{Value: x}
		if i%every == 0 {
			t.Label = units.Shorten(short(l.Values), max(4, room*every/len(v.sweep.Levels)))
		}
		a.ticks = append(a.ticks, t)
	}
	return a
}

func (v *View) panel(a axis, title string) chart.Panel {
	p := chart.NewPanelOver(title, a.from, a.to, a.ticks)
	if a.doubling {
		p.Plot.X.Scale = plot.LogScale{}
	}
	return p
}

// throughputPanel has the figure of each run, the mean of each level with its interval, what was predicted and the
// law.
func (v *View) throughputPanel(a axis) chart.Panel {
	title := units.Capital(figureName(v.sweep.Figure))
	if unit := unitOf(v.sweep.Figure); unit != "" {
		title += ", " + unit
	}
	p := v.panel(a, title)
	highest := 0.0
	higher := func(x *float64) {
		if x != nil {
			highest = max(highest, *x)
		}
	}
	for i, l := range v.all() {
		higher(l.Throughput)
		for _, end := range v.sweep.Levels[i].Interval {
			higher(&end)
		}
	}
	for i := range v.sweep.Rows {
		higher(v.sweep.Rows[i].Throughput)
	}
	_, top, ticks := chart.LinearTicks(highest*chart.Headroom, v.tick)
	p.Vertical(0, top, ticks)
	v.drawPredicted(&p, a, top)
	v.drawLaw(&p, a, top)
	v.drawRuns(&p, a)
	v.drawMeans(&p, a)
	return p
}

// tick is a figure at the axis.
func (v *View) tick(x float64) string {
	switch unit := figure.Unit(v.sweep.Figure.Unit); unit {
	case figure.BytesPerSec:
		return units.Digits(x / 1e6)
	case figure.Time:
		return chart.TickDuration(x)
	case figure.Bytes, figure.Share:
		return unit.Text(x)
	}
	return units.Digits(x)
}

// timesPanel has the percentiles of the response time at each level.
func (v *View) timesPanel(a axis) chart.Panel {
	series := []func(level) *int64{
		func(l level) *int64 { return l.ResponseP50NS }, func(l level) *int64 { return l.ResponseP99NS },
	}
	lowest, highest := math.Inf(1), 0.0
	for _, l := range v.all() {
		for _, of := range series {
			if ns := of(l); ns != nil && *ns > 0 {
				lowest, highest = min(lowest, float64(*ns)), max(highest, float64(*ns))
			}
		}
	}
	p := v.panel(a, "Response time")
	if highest == 0 {
		p.Empty = "too few operations for percentiles"
		p.Vertical(0, 1, nil)
		return p
	}
	if highest/lowest > 10 {
		p.Title += ", logarithmic scale"
		p.Vertical(chart.LogTicks(lowest, highest))
		p.Plot.Y.Scale = plot.LogScale{}
	} else {
		p.Vertical(chart.LinearTicks(highest*chart.Headroom, chart.TickDuration))
	}
	ns := func(of func(level) *int64) func(level) *float64 {
		return func(l level) *float64 {
			t := of(l)
			if t == nil || *t <= 0 {
				return nil
			}
			x := float64(*t)
			return &x
		}
	}
	v.drawLevels(&p, a, chart.Blue, ns(series[0]))
	v.drawLevels(&p, a, chart.Orange, ns(series[1]))
	p.AddLegend("p50", chart.Blue)
	p.AddLegend("p99", chart.Orange)
	return p
}

// failedPanel has what was not ok at each level.
func (v *View) failedPanel(a axis) chart.Panel {
	p := v.panel(a, "Failed, unsent or unfinished, share of what was scheduled")
	highest := 0.0
	for _, l := range v.all() {
		highest = max(highest, l.FailedShare)
	}
	percent := func(x float64) string { return fmt.Sprintf("%s %%", units.Digits(math.Round(1e7*x)/1e5)) }
	p.Vertical(chart.LinearTicks(highest*chart.Headroom, percent))
	v.drawLevels(&p, a, chart.Purple, func(l level) *float64 { return &l.FailedShare })
	return p
}
