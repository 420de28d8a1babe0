package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
)

// bandMarks are stretches over the whole height, drawn below all else.
type bandMarks struct{ all []graph.Band }

func bandColour(r graph.Role) color.Color {
	if r == graph.Own || r == "" {
		return gapColour
	}
	return faded(lookOf(r).colour, 60)
}

// Plot draws them.
func (b *bandMarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for _, band := range b.all {
		if !(band.To > p.X.Min) || !(band.From < p.X.Max) || !(band.To >= band.From) {
			continue
		}
		from, to := x(max(band.From, p.X.Min)), x(min(band.To, p.X.Max))
		if wider := (minBand - (to - from)) / 2; wider > 0 {
			from, to = from-wider, to+wider
		}
		from, to = max(from, c.Min.X), min(to, c.Max.X)
		c.FillPolygon(bandColour(band.Role), box(vg.Point{X: from, Y: c.Min.Y}, vg.Point{X: to, Y: c.Max.Y}))
	}
}

// ruleMarks are lines across, with their names.
type ruleMarks struct{ all []graph.Rule }

// Plot draws them. A rule that is off the scale is named at the edge that is nearer to it.
func (r *ruleMarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	names := ruleNames{c: c}
	for _, rule := range r.all {
		style := draw.LineStyle{Color: lookOf(rule.Role).colour, Width: 1.2, Dashes: []vg.Length{6, 3}}
		name := units.Shorten(units.Clean(rule.Name), 60)
		switch {
		case math.IsNaN(rule.At):
		case rule.Vertical && (rule.At < p.X.Min || rule.At > p.X.Max):
		case rule.Vertical:
			at := x(rule.At)
			c.StrokeLine2(style, at, c.Min.Y, at, c.Max.Y)
			names.write(vg.Point{X: at - 3, Y: c.Max.Y - 11}, name)
		case rule.At > p.Y.Max:
			names.write(vg.Point{X: c.Max.X - 3, Y: c.Max.Y - 11}, name+", above")
		case rule.At < p.Y.Min:
			names.write(vg.Point{X: c.Max.X - 3, Y: c.Min.Y + 2}, name+", below")
		default:
			at := y(rule.At)
			c.StrokeLine2(style, c.Min.X, at, c.Max.X, at)
			if at+11 > c.Max.Y {
				at -= 13
			}
			names.write(vg.Point{X: c.Max.X - 3, Y: at + 2}, name)
		}
	}
}

// ruleNames are names that have been written, so that none stands on another.
type ruleNames struct {
	c     draw.Canvas
	boxes []vg.Rectangle
}

// write writes a name that ends at a place, or further left.
func (n *ruleNames) write(at vg.Point, name string) {
	const height = 10
	label := textStyle(9, ink, draw.XRight, false)
	width := label.Width(name)
	at.X = max(at.X, n.c.Min.X+width)
	for range n.boxes { // each may push it further
		for _, b := range n.boxes {
			if at.X-width < b.Max.X && at.X > b.Min.X && at.Y < b.Max.Y && at.Y+height > b.Min.Y {
				at.X = b.Min.X - 8
			}
		}
	}
	if at.X-width < n.c.Min.X {
		return
	}
	n.boxes = append(n.boxes, vg.Rectangle{
		Min: vg.Point{X: at.X - width, Y: at.Y}, Max: vg.Point{X: at.X, Y: at.Y + height},
	})
	n.c.FillText(label, at, name)
}
