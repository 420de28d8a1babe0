package sets

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/plimsoll/plimsoll/internal/report/chart"
)

// drawLevels draws a point for each level that has a value, and a line through them where the distances between the
// levels mean something; it has gaps where there is no value.
func (v *View) drawLevels(p *chart.Panel, a axis, colour color.Color, value func(level) *float64) {
	var all, line plotter.XYs
	flush := func() {
		if a.numbers && len(line) > 1 {
			p.Line(line, colour, nil)
		}
		line = nil
	}
	for i, l := range v.all() {
		y := value(l)
		if y == nil {
			flush()
			continue
		}
		at := plotter.XY{X: a.x[i], Y: *y}
		all, line = append(all, at), append(line, at)
	}
	flush()
	dots(p, all, colour, 3)
}

func dots(p *chart.Panel, xys plotter.XYs, colour color.Color, radius vg.Length) {
	s, err := plotter.NewScatter(xys)
	if err != nil || len(xys) == 0 { // the points are finite: a document has no others
		return
	}
	s.GlyphStyle = draw.GlyphStyle{Color: colour, Radius: radius, Shape: draw.CircleGlyph{}}
	p.Plot.Add(s)
}

// drawMeans draws the mean of each level and its interval.
func (v *View) drawMeans(p *chart.Panel, a axis) {
	var bars plotter.XYs
	for i, l := range v.all() {
		if len(l.Interval) != 2 || l.Throughput == nil {
			continue
		}
		ends := plotter.XYs{{X: a.x[i], Y: max(0, l.Interval[0])}, {X: a.x[i], Y: l.Interval[1]}}
		p.Line(ends, chart.Blue, nil)
		bars = append(bars, ends...)
	}
	if s, err := plotter.NewScatter(bars); err == nil && len(bars) > 0 {
		s.GlyphStyle = draw.GlyphStyle{Color: chart.Blue, Radius: 3, Shape: dash{}}
		p.Plot.Add(s)
	}
	v.drawLevels(p, a, chart.Blue, func(l level) *float64 { return l.Throughput })
	name := "mean"
	if len(bars) > 0 {
		name = "mean and its 95 % interval"
	}
	p.AddLegend(name, chart.Blue)
}

// dash is the end of an interval.
type dash struct{}

// DrawGlyph draws a short level line.
func (dash) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	c.StrokeLine2(draw.LineStyle{Color: style.Color, Width: 1.5}, at.X-style.Radius, at.Y, at.X+style.Radius, at.Y)
}

// beside is a dot to the right of where it stands, so that it does not cover the mean of its level.
type beside struct{}

// DrawGlyph draws the dot.
func (beside) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	draw.CircleGlyph{}.DrawGlyph(c, style, vg.Point{X: at.X + 7, Y: at.Y})
}

// drawRuns draws the single runs.
func (v *View) drawRuns(p *chart.Panel, a axis) {
	var xys plotter.XYs
	levels := map[string]int{}
	for i, l := range v.all() {
		levels[short(l.Values)] = i
	}
	for i := range v.sweep.Rows {
		r := &v.sweep.Rows[i]
		if at, known := levels[short(r.Values)]; known && r.Throughput != nil {
			xys = append(xys, plotter.XY{X: a.x[at], Y: *r.Throughput})
		}
	}
	if len(xys) <= len(v.sweep.Levels) {
		return // each is the mean
	}
	if s, err := plotter.NewScatter(xys); err == nil {
		s.GlyphStyle = draw.GlyphStyle{Color: chart.Ink, Radius: 1.6, Shape: beside{}}
		p.Plot.Add(s)
	}
	p.AddLegend("one run", chart.Ink)
}

// drawPredicted draws what the levels would bring by W₁, up to where it leaves the panel.
func (v *View) drawPredicted(p *chart.Panel, a axis, top float64) {
	if !a.numbers || !v.scales() {
		return
	}
	var xys plotter.XYs
	add := func(x, y float64) (within bool) {
		if within = y <= top; within {
			xys = append(xys, plotter.XY{X: x, Y: y})
		}
		return within
	}
	for i, l := range v.all() {
		if l.Predicted == nil {
			continue
		}
		to := plotter.XY{X: a.x[i], Y: *l.Predicted}
		if n := len(xys); n > 0 { // straight in the figures, and so bent where the distances are those of logarithms
			const steps = 64
			from := xys[n-1]
			for step := 1; step < steps; step++ {
				at := float64(step) / steps
				if !add(from.X+at*(to.X-from.X), from.Y+at*(to.Y-from.Y)) {
					break
				}
			}
		}
		if !add(to.X, to.Y) {
			break
		}
	}
	broken(p, xys, chart.Grey)
	p.AddLegend("predicted, L ÷ W₁", chart.Grey)
}

func broken(p *chart.Panel, xys plotter.XYs, colour color.Color) {
	l, err := plotter.NewLine(xys)
	if err != nil || len(xys) < 2 {
		return
	}
	l.Color, l.Width, l.Dashes = colour, 1.2, []vg.Length{5, 4}
	p.Plot.Add(l)
}

// drawLaw draws the fitted law between the lowest and the highest level.
func (v *View) drawLaw(p *chart.Panel, a axis, top float64) {
	law := v.fitted()
	if law == nil || !a.numbers {
		return
	}
	const steps = 200
	from, to := slices.Min(a.x), slices.Max(a.x)
	var xys plotter.XYs
	for i := range steps + 1 {
		n := from + (to-from)*float64(i)/steps
		if a.doubling {
			n = from * math.Pow(to/from, float64(i)/steps)
		}
		y := law.Lambda.Value * n / (1 + law.Sigma.Value*(n-1) + law.Kappa.Value*n*(n-1))
		if y < 0 || !(y <= top) {
			continue // of a document that makes no sense
		}
		xys = append(xys, plotter.XY{X: n, Y: y})
	}
	if len(xys) > 1 {
		p.Line(xys, chart.Orange, nil)
		p.AddLegend("scaling law", chart.Orange)
	}
}
