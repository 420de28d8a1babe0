package sets

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/setdoc"
)

// chart draws every probe.
func (v lineView) chart(w io.Writer, format chart.Format) error {
	d := v.Drawing()
	if len(d.Panels) == 0 {
		return fault.New(fault.RunFailed, "no probe told anything, so there is nothing to draw")
	}
	return chart.Draw(w, chart.Head{Title: v.title(), Subtitle: v.Subtitle(), Answer: d.Line}, d.Panels, format)
}

// Drawing shows every probe: what the SLO's figures were over the load, and the loads in the order of the search.
func (v lineView) Drawing() report.Drawing {
	if len(v.line.Probes) == 0 {
		return report.Drawing{}
	}
	d := report.Drawing{Line: "Load line: " + v.found()}
	at := v.loads()
	for i, goal := range v.line.SLO {
		if p, drawn := v.overLoad(i, goal, at); drawn {
			d.Panels = append(d.Panels, p)
		}
	}
	if len(d.Panels) > 0 {
		d.Panels[len(d.Panels)-1].NameAxis(at.name)
	}
	order := v.inOrder(at)
	order.NameAxis("probe")
	d.Panels = append(d.Panels, order)
	legend := &d.Panels[0]
	for _, k := range probeKinds() {
		if v.count(k.result) > 0 {
			legend.AddLegend(k.name, k.colour)
		}
	}
	legend.Alone = true
	return d
}

// probeKind is how probes of one result are drawn: by a shape, too, since colours do not tell everybody.
type probeKind struct {
	result, name string
	colour       color.Color
	shape        draw.GlyphDrawer
	radius       vg.Length
}

// cross is a glyph that stands out between dots.
type cross struct{}

// DrawGlyph draws the cross.
func (cross) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	line := draw.LineStyle{Color: style.Color, Width: 1.6}
	r := style.Radius
	c.StrokeLine2(line, at.X-r, at.Y-r, at.X+r, at.Y+r)
	c.StrokeLine2(line, at.X-r, at.Y+r, at.X+r, at.Y-r)
}

func probeKinds() []probeKind {
	return []probeKind{
		{setdoc.ProbeMet, "met", chart.Blue, draw.CircleGlyph{}, 3},
		{setdoc.ProbeFailed, "failed", chart.Orange, cross{}, 3},
		{setdoc.ProbeTellsNothing, "told nothing", chart.Ink, draw.RingGlyph{}, 3},
	}
}

// draw draws probes where at has them; one that is nowhere is left out.
func (v lineView) draw(p *chart.Panel, at func(probe) (plotter.XY, bool)) {
	for _, k := range probeKinds() {
		var xys plotter.XYs
		for _, probe := range v.probes() {
			if xy, drawn := at(probe); drawn && probe.Result == k.result {
				xys = append(xys, xy)
			}
		}
		s, err := plotter.NewScatter(xys)
		if err != nil || len(xys) == 0 { // the points are finite: a document has no others
			continue
		}
		s.GlyphStyle = draw.GlyphStyle{Color: k.colour, Radius: k.radius, Shape: k.shape}
		p.Plot.Add(s)
	}
}

// loads is the axis of the loads: logarithmic, since a search goes by ratios.
func (v lineView) loads() axis {
	a := axis{name: units.Clean(v.line.Unit) + ", logarithmic scale", doubling: true}
	a.from, a.to = math.Inf(1), 0
	for i := range v.line.Probes {
		load := v.line.Probes[i].Load
		a.from, a.to = min(a.from, load), max(a.to, load)
	}
	a.from, a.to = a.from/edge, a.to*edge
	step := []float64{1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9}
	if a.to/a.from > 12 {
		step = []float64{1, 2, 5}
	}
	for power := math.Floor(math.Log10(a.from)); power <= math.Log10(a.to); power++ {
		for _, s := range step {
			if at := s * math.Pow(10, power); at >= a.from && at <= a.to {
				a.ticks = append(a.ticks, plot.Tick{Value: at, Label: v.plain(at)})
			}
		}
	}
	if v.line.Whole { // small numbers of clients would have several ticks of one name
		a.ticks = slices.DeleteFunc(a.ticks, func(t plot.Tick) bool { return t.Value != math.Round(t.Value) })
	}
	return a
}

// overLoad is the panel of a figure of the SLO over the load.
func (v lineView) overLoad(i int, goal setdoc.Goal, a axis) (chart.Panel, bool) {
	value := func(p probe) (float64, bool) {
		if i >= len(p.Values) || p.Values[i].Value == nil {
			return 0, false
		}
		return *p.Values[i].Value, true
	}
	lowest, highest, any := math.Inf(1), goal.Limit, false
	if goal.Limit > 0 {
		lowest = goal.Limit
	}
	for _, p := range v.probes() {
		if y, has := value(p); has {
			any = any || y > 0
			highest = max(highest, y)
			if y > 0 {
				lowest = min(lowest, y)
			}
		}
	}
	if !any {
		return chart.Panel{}, false
	}
	unit := figure.Unit(goal.Unit)
	p := v.View.panel(a, units.Clean(goal.Figure)+" of each probe")
	log := unit == figure.Time && highest/lowest > 10
	if log {
		p.Title += ", logarithmic scale"
		p.Vertical(chart.LogTicks(lowest, highest))
		p.Plot.Y.Scale = plot.LogScale{}
	} else {
		p.Vertical(chart.LinearTicks(highest*chart.Headroom, tickOf(unit)))
	}
	v.drawLine(&p, p.Plot.Y.Min, p.Plot.Y.Max)
	broken(&p, plotter.XYs{{X: a.from, Y: goal.Limit}, {X: a.to, Y: goal.Limit}}, chart.Grey)
	p.AddLegend("limit", chart.Grey)
	v.draw(&p, func(p probe) (plotter.XY, bool) {
		y, has := value(p)
		return plotter.XY{X: p.Load, Y: y}, has && (!log || y > 0)
	})
	return p, true
}

// tickOf is how a value stands at an axis.
func tickOf(unit figure.Unit) func(float64) string {
	switch unit {
	case figure.Time:
		return chart.TickDuration
	case figure.Share:
		return func(x float64) string { return fmt.Sprintf("%s %%", units.Digits(math.Round(1e7*x)/1e5)) }
	case figure.BytesPerSec:
		return func(x float64) string { return units.Digits(x/1e6) + " MB/s" }
	}
	return units.Digits
}

// drawLine draws the load line and its interval as upright lines.
func (v lineView) drawLine(p *chart.Panel, bottom, top float64) {
	upright := func(x float64, draw func(*chart.Panel, plotter.XYs, color.Color), colour color.Color) {
		if x > p.Plot.X.Min && x < p.Plot.X.Max {
			draw(p, plotter.XYs{{X: x, Y: bottom}, {X: x, Y: top}}, colour)
		}
	}
	solid := func(p *chart.Panel, xys plotter.XYs, colour color.Color) { p.Line(xys, colour, nil) }
	if v.line.Load == nil {
		return
	}
	upright(*v.line.Load, solid, chart.Purple)
	for _, end := range v.line.Range {
		upright(end, broken, chart.Purple)
	}
	p.AddLegend("load line and its 98 % interval", chart.Purple)
}

// inOrder is the panel of the loads in the order in which they were tried.
func (v lineView) inOrder(a axis) chart.Panel {
	n := float64(len(v.line.Probes))
	_, _, ticks := chart.LinearTicks(n, units.Digits)
	ticks = slices.DeleteFunc(ticks, func(t plot.Tick) bool {
		return t.Value < 1 || t.Value > n || t.Value != math.Round(t.Value)
	})
	p := chart.NewPanelOver("Probes in their order, "+a.name, 0.5, n+0.5, ticks)
	p.Vertical(a.from, a.to, a.ticks)
	p.Plot.Y.Scale = plot.LogScale{}
	if v.line.Load != nil {
		level := func(y float64) plotter.XYs { return plotter.XYs{{X: 0.5, Y: y}, {X: n + 0.5, Y: y}} }
		if y := *v.line.Load; y > a.from && y < a.to {
			p.Line(level(y), chart.Purple, nil)
		}
		for _, y := range v.line.Range {
			if y > a.from && y < a.to {
				broken(&p, level(y), chart.Purple)
			}
		}
	}
	v.draw(&p, func(p probe) (plotter.XY, bool) { return plotter.XY{X: float64(p.at), Y: p.Load}, true })
	return p
}
