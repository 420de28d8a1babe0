package chart

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/plimsoll/plimsoll/internal/units"
)

// The colours can be told apart by people who see red and green alike (the palette of Okabe
// and Ito, 2008).
var (
	Ink    = color.RGBA{R: 30, G: 30, B: 30, A: 255}
	Grey   = color.RGBA{R: 100, G: 100, B: 100, A: 255}
	faint  = color.RGBA{R: 225, G: 225, B: 225, A: 255}
	Blue   = color.RGBA{R: 0, G: 114, B: 178, A: 255}
	Pale   = color.NRGBA{R: 0, G: 114, B: 178, A: 38} // the grid shows through
	Orange = color.RGBA{R: 213, G: 94, B: 0, A: 255}
	Purple = color.RGBA{R: 150, G: 40, B: 110, A: 255}
	Sky    = color.RGBA{R: 86, G: 180, B: 233, A: 255}
	Green  = color.RGBA{R: 0, G: 140, B: 105, A: 255}
	Amber  = color.RGBA{R: 200, G: 140, B: 0, A: 255}
	Brown  = color.RGBA{R: 120, G: 85, B: 60, A: 255}
)

// Headroom keeps the highest value off the upper edge.
const Headroom = 1.04

// Panel is a plot with the title and legend that are drawn above it.
type Panel struct {
	Plot   *plot.Plot
	Title  string
	Legend []Entry
	Alone  bool   // a legend of one entry is shown, too
	Empty  string // shown instead of lines

	gaps *bands
}

// Entry is one of a legend.
type Entry struct {
	Name   string
	Colour color.Color
	Wide   bool // what it names is an area, not a line
	Dashes []vg.Length
	Shape  draw.GlyphDrawer // what it names are dots
}

// NewPanel makes a plot whose horizontal axis is a window of so many seconds.
func NewPanel(title string, end float64) Panel { return NewPanelOver(title, 0, end, timeTicks(end)) }

// NewPanelOver makes a plot whose horizontal axis is something else than time.
func NewPanelOver(title string, from, to float64, ticks []plot.Tick) Panel {
	p := plot.New()
	p.X.Min, p.X.Max = from, to
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding = 0
		a.Color = Grey
		a.Tick.Color = Grey
		a.Tick.Length = 4
		a.Tick.Label = Style(10, Ink, a.Tick.Label.XAlign, false)
	}
	p.X.Tick.Label.YAlign = draw.YTop
	p.Y.Tick.Label.YAlign = draw.YCenter
	gaps := &bands{}
	p.Add(gaps) // first, and so below the grid and the lines
	return Panel{Plot: p, Title: title, gaps: gaps}
}

// NameTime writes below the panel that its horizontal axis is time, which the last one of a chart does.
func (p *Panel) NameTime() { p.NameAxis("time since the start of the window") }

// NameAxis writes below the panel what its horizontal axis is.
func (p *Panel) NameAxis(name string) {
	p.Plot.X.Label.Text = name
	p.Plot.X.Label.TextStyle = Style(10, Grey, draw.XCenter, false)
	p.Plot.X.Label.Padding = 3
}

// Vertical sets the range and the ticks of the vertical axis and draws the grid.
func (p *Panel) Vertical(lowest, highest float64, ticks []plot.Tick) {
	p.Plot.Y.Min, p.Plot.Y.Max = lowest, highest
	p.Plot.Y.Tick.Marker = plot.ConstantTicks(ticks)
	grid := plotter.NewGrid()
	grid.Horizontal = draw.LineStyle{Color: faint, Width: 0.75}
	grid.Vertical = grid.Horizontal
	p.Plot.Add(grid)
}

// AddLegend names a colour.
func (p *Panel) AddLegend(name string, c color.Color) {
	p.Legend = append(p.Legend, Entry{Name: name, Colour: c})
}

// Throughput is the panel of operations ended each second, drawn as steps: a bin's height is
// its rate, and its area its count.
func (c *Course) Throughput(short string) Panel {
	p := NewPanel(fmt.Sprintf("Throughput, %s/s (%s)", short, c.per()), c.end)
	rate := func(n int64, b bin) float64 { return float64(n) / (b.to - b.from) }
	highest := 0.0
	for _, b := range c.bins {
		highest = max(highest, rate(b.ok, b), rate(b.failed, b))
	}
	p.Vertical(LinearTicks(highest*Headroom, units.Digits))
	p.steps(c, Blue, Pale, func(b bin) float64 { return rate(b.ok, b) })
	p.AddLegend("ok", Blue)
	if c.anyFailed() {
		p.steps(c, Purple, nil, func(b bin) float64 { return rate(b.failed, b) })
		p.AddLegend("failed", Purple)
	}
	return p
}

func (p *Panel) steps(c *Course, line, fill color.Color, height func(bin) float64) {
	var xys plotter.XYs
	for _, b := range c.bins {
		y := height(b)
		xys = append(xys, plotter.XY{X: b.from, Y: y}, plotter.XY{X: b.to, Y: y})
	}
	p.Line(xys, line, fill)
}

// Line adds a line; its points are finite, which is all that the library would object to.
func (p *Panel) Line(xys plotter.XYs, c, fill color.Color) {
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
	p.Plot.Add(l)
}

// Response is the panel of response time percentiles. Its scale is logarithmic if they span
// more than a decade. Where too few ended there is no percentile, and the lines have a gap; one that no second
// supports has no line, and no name in the legend.
func (c *Course) Response() Panel {
	lowest, highest := math.Inf(1), 0.0
	var p50, p99 bool
	for _, b := range c.bins {
		for _, ns := range []int64{b.p50, b.p99} {
			if ns > 0 {
				lowest, highest = min(lowest, float64(ns)), max(highest, float64(ns))
			}
		}
		p50, p99 = p50 || b.p50 > 0, p99 || b.p99 > 0
	}
	p := NewPanel("", c.end)
	if highest == 0 {
		p.Title = "Response time"
		p.Empty = "no second had enough responses for a percentile"
		p.Vertical(0, 1, nil)
		return p
	}
	scale := ""
	if highest/lowest > 10 {
		p.Vertical(LogTicks(lowest, highest))
		p.Plot.Y.Scale = plot.LogScale{}
		scale = ", logarithmic scale"
	} else {
		p.Vertical(LinearTicks(highest*Headroom, TickDuration))
	}
	p.Title = "Response time, percentiles of every second" + scale
	if c.width > 1 {
		p.Title = fmt.Sprintf("Response time, percentiles of the slowest second in %d%s", c.width, scale)
	}
	p.segments(c, Orange, func(b bin) int64 { return b.p99 })
	p.segments(c, Blue, func(b bin) int64 { return b.p50 })
	if p50 {
		p.AddLegend("p50", Blue)
	}
	if p99 {
		p.AddLegend("p99", Orange)
	}
	p.Alone = true
	return p
}

// maxDots is up to how many bins each has a dot of its own on the line.
const maxDots = 60

// segments draws a line through the bins' middles, with a gap where the value is missing.
func (p *Panel) segments(c *Course, colour color.Color, value func(bin) int64) {
	var xys, dots plotter.XYs
	flush := func() {
		if len(xys) > 1 {
			p.Line(xys, colour, nil)
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
		p.Plot.Add(s)
	}
}

// Cumulative is the panel of the count so far.
func (c *Course) Cumulative(many string) Panel {
	p := NewPanel(units.Capital(many)+" so far", c.end)
	p.NameTime()
	var ok, failed plotter.XYs
	var sumOK, sumFailed int64
	ok, failed = append(ok, plotter.XY{}), append(failed, plotter.XY{})
	for _, b := range c.bins {
		sumOK += b.ok
		sumFailed += b.failed
		ok = append(ok, plotter.XY{X: b.to, Y: float64(sumOK)})
		failed = append(failed, plotter.XY{X: b.to, Y: float64(sumFailed)})
	}
	p.Vertical(LinearTicks(float64(max(sumOK, sumFailed))*Headroom, units.Digits))
	p.Line(ok, Blue, Pale)
	p.AddLegend("ok", Blue)
	if sumFailed > 0 {
		p.Line(failed, Purple, nil)
		p.AddLegend("failed", Purple)
	}
	return p
}
