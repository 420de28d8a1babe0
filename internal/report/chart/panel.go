package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The colours can be told apart by people who see red and green alike (the palette of Okabe
// and Ito, 2008).
var (
	ink    = color.RGBA{R: 30, G: 30, B: 30, A: 255}
	grey   = color.RGBA{R: 100, G: 100, B: 100, A: 255}
	faint  = color.RGBA{R: 225, G: 225, B: 225, A: 255}
	blue   = color.RGBA{R: 0, G: 114, B: 178, A: 255}
	orange = color.RGBA{R: 213, G: 94, B: 0, A: 255}
	purple = color.RGBA{R: 150, G: 40, B: 110, A: 255}
	sky    = color.RGBA{R: 86, G: 180, B: 233, A: 255}
	green  = color.RGBA{R: 0, G: 140, B: 105, A: 255}
	amber  = color.RGBA{R: 200, G: 140, B: 0, A: 255}
	brown  = color.RGBA{R: 120, G: 85, B: 60, A: 255}
)

// headroom keeps the highest value off the upper edge.
const headroom = 1.04

// gapColour lets the grid through; in the legend the same grey stands on white.
var gapColour = color.NRGBA{R: 60, G: 60, B: 60, A: 70}

// minBand is how wide a band is drawn at least, in points: an hour's chart must show one of a second.
const minBand = vg.Length(2)

// panel is a plot with the title and legend that are drawn above it.
type panel struct {
	plot   *plot.Plot
	title  string
	legend []entry
	empty  string // shown instead of lines
}

// entry is one of a legend.
type entry struct {
	name   string
	colour color.Color
	wide   bool // what it names is an area, not a line
	dashes []vg.Length
	shape  draw.GlyphDrawer // what it names are dots
}

// newPanel makes a plot over an axis.
func newPanel(title string, from, to float64, ticks []plot.Tick) panel {
	p := plot.New()
	p.X.Min, p.X.Max = from, to
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding = 0
		a.Color = grey
		a.Tick.Color = grey
		a.Tick.Length = 4
		a.Tick.Label = textStyle(10, ink, a.Tick.Label.XAlign, false)
	}
	p.X.Tick.Label.YAlign = draw.YTop
	p.Y.Tick.Label.YAlign = draw.YCenter
	return panel{plot: p, title: title}
}

// NameAxis writes below the panel what its horizontal axis is.
func (p *panel) nameAxis(name string) {
	p.plot.X.Label.Text = name
	p.plot.X.Label.TextStyle = textStyle(10, grey, draw.XCenter, false)
	p.plot.X.Label.Padding = 3
}

// Vertical sets the range and the ticks of the vertical axis and draws the grid.
func (p *panel) vertical(lowest, highest float64, ticks []plot.Tick) {
	p.plot.Y.Min, p.plot.Y.Max = lowest, highest
	p.plot.Y.Tick.Marker = plot.ConstantTicks(ticks)
	grid := plotter.NewGrid()
	grid.Horizontal = draw.LineStyle{Color: faint, Width: 0.75}
	grid.Vertical = grid.Horizontal
	p.plot.Add(grid)
}
