package report

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// The colours can be told apart by people who see red and green alike (the palette of Okabe
// and Ito, 2008).
var (
	ink    = color.RGBA{R: 30, G: 30, B: 30, A: 255}
	grey   = color.RGBA{R: 100, G: 100, B: 100, A: 255}
	faint  = color.RGBA{R: 225, G: 225, B: 225, A: 255}
	blue   = color.RGBA{R: 0, G: 114, B: 178, A: 255}
	pale   = color.NRGBA{R: 0, G: 114, B: 178, A: 38} // the grid shows through
	orange = color.RGBA{R: 213, G: 94, B: 0, A: 255}
	purple = color.RGBA{R: 150, G: 40, B: 110, A: 255}
)

// headroom keeps the highest value off the upper edge.
const headroom = 1.04

// panel is a plot with the title and legend that are drawn above it.
type panel struct {
	plot   *plot.Plot
	title  string
	legend []entry
	alone  bool   // a legend of one entry is shown, too
	empty  string // shown instead of lines
}

type entry struct {
	name   string
	colour color.Color
}

// newPanel makes a plot whose horizontal axis is the window.
func (c *course) newPanel(title string) panel {
	p := plot.New()
	p.X.Min, p.X.Max = 0, c.end
	p.X.Tick.Marker = plot.ConstantTicks(timeTicks(c.end))
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding = 0
		a.Color = grey
		a.Tick.Color = grey
		a.Tick.Length = 4
		a.Tick.Label = style(10, ink, a.Tick.Label.XAlign, false)
	}
	p.X.Tick.Label.YAlign = draw.YTop
	p.Y.Tick.Label.YAlign = draw.YCenter
	return panel{plot: p, title: title}
}

// vertical sets the range and the ticks of the vertical axis and draws the grid.
func (p *panel) vertical(lowest, highest float64, ticks []plot.Tick) {
	p.plot.Y.Min, p.plot.Y.Max = lowest, highest
	p.plot.Y.Tick.Marker = plot.ConstantTicks(ticks)
	grid := plotter.NewGrid()
	grid.Horizontal = draw.LineStyle{Color: faint, Width: 0.75}
	grid.Vertical = grid.Horizontal
	p.plot.Add(grid)
}

func (p *panel) addLegend(name string, c color.Color) { p.legend = append(p.legend, entry{name, c}) }

// throughput is the panel of operations ended each second, drawn as steps: a bin's height is
// its rate, and its area its count.
func (c *course) throughput(v *view) panel {
	p := c.newPanel(fmt.Sprintf("Throughput, %s/s (%s)", v.words.short, c.per()))
	rate := func(n int64, b bin) float64 { return float64(n) / (b.to - b.from) }
	highest := 0.0
	for _, b := range c.bins {
		highest = max(highest, rate(b.ok, b), rate(b.failed, b))
	}
	p.vertical(linearTicks(highest*headroom, digits))
	p.steps(c, blue, pale, func(b bin) float64 { return rate(b.ok, b) })
	p.addLegend("ok", blue)
	if c.anyFailed() {
		p.steps(c, purple, nil, func(b bin) float64 { return rate(b.failed, b) })
		p.addLegend("failed", purple)
	}
	return p
}

func (p *panel) steps(c *course, line, fill color.Color, height func(bin) float64) {
	var xys plotter.XYs
	for _, b := range c.bins {
		y := height(b)
		xys = append(xys, plotter.XY{X: b.from, Y: y}, plotter.XY{X: b.to, Y: y})
	}
	p.line(xys, line, fill)
}

// line adds a line; its points are finite, which is all that the library would object to.
func (p *panel) line(xys plotter.XYs, c, fill color.Color) {
	l, err := plotter.NewLine(xys)
	if err != nil {
		return
	}
	l.Color, l.Width = c, 1.5
	if len(xys) > 1000 {
		l.Width = 1
	}
	if fill != nil {
		l.FillColor = fill
	}
	p.plot.Add(l)
}

// response is the panel of response time percentiles. Its scale is logarithmic if they span
// more than a decade. Where nothing ended there is no percentile, and the lines have a gap.
func (c *course) response() panel {
	lowest, highest := math.Inf(1), 0.0
	for _, b := range c.bins {
		for _, ns := range []int64{b.p50, b.p99} {
			if ns > 0 {
				lowest, highest = min(lowest, float64(ns)), max(highest, float64(ns))
			}
		}
	}
	p := c.newPanel("")
	if highest == 0 {
		p.title = "Response time"
		p.empty = "nothing had a response"
		p.vertical(0, 1, nil)
		return p
	}
	scale := ""
	if highest/lowest > 10 {
		p.vertical(logTicks(lowest, highest))
		p.plot.Y.Scale = plot.LogScale{}
		scale = ", logarithmic scale"
	} else {
		p.vertical(linearTicks(highest*headroom, tickDuration))
	}
	p.title = "Response time, percentiles of every second" + scale
	if c.width > 1 {
		p.title = fmt.Sprintf("Response time, percentiles of the slowest second in %d%s", c.width, scale)
	}
	p.segments(c, orange, func(b bin) int64 { return b.p99 })
	p.segments(c, blue, func(b bin) int64 { return b.p50 })
	p.addLegend("p50", blue)
	p.addLegend("p99", orange)
	return p
}

// maxDots is up to how many bins each has a dot of its own on the line.
const maxDots = 60

// segments draws a line through the bins' middles, with a gap where the value is missing.
func (p *panel) segments(c *course, colour color.Color, value func(bin) int64) {
	var xys, dots plotter.XYs
	flush := func() {
		if len(xys) > 1 {
			p.line(xys, colour, nil)
		}
		if len(xys) == 1 || len(c.bins) <= maxDots {
			dots = append(dots, xys...)
		}
		xys = nil
	}
	for _, b := range c.bins {
		ns := value(b)
		if ns <= 0 {
			flush()
			continue
		}
		xys = append(xys, plotter.XY{X: (b.from + b.to) / 2, Y: float64(ns)})
	}
	flush()
	if s, err := plotter.NewScatter(dots); err == nil && len(dots) > 0 {
		s.GlyphStyle = draw.GlyphStyle{Color: colour, Radius: 2.2, Shape: draw.CircleGlyph{}}
		p.plot.Add(s)
	}
}

// cumulative is the panel of the count so far.
func (c *course) cumulative(v *view) panel {
	p := c.newPanel(capital(v.words.many) + " so far")
	p.plot.X.Label.Text = "time since the start of the window"
	p.plot.X.Label.TextStyle = style(10, grey, draw.XCenter, false)
	p.plot.X.Label.Padding = 3
	var ok, failed plotter.XYs
	var sumOK, sumFailed int64
	ok, failed = append(ok, plotter.XY{}), append(failed, plotter.XY{})
	for _, b := range c.bins {
		sumOK += b.ok
		sumFailed += b.failed
		ok = append(ok, plotter.XY{X: b.to, Y: float64(sumOK)})
		failed = append(failed, plotter.XY{X: b.to, Y: float64(sumFailed)})
	}
	p.vertical(linearTicks(float64(max(sumOK, sumFailed))*headroom, digits))
	p.line(ok, blue, pale)
	p.addLegend("ok", blue)
	if sumFailed > 0 {
		p.line(failed, purple, nil)
		p.addLegend("failed", purple)
	}
	return p
}
