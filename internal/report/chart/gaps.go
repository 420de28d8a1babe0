package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/plimsoll/plimsoll/rundoc"
)

// MinGapNS is how long the generator must have stood still for it to be marked, ns. What a chart shows
// of a second is not changed by less.
const MinGapNS = 50_000_000

// gapColour lets the grid through; in the legend the same grey stands on white.
var gapColour = color.NRGBA{R: 60, G: 60, B: 60, A: 70}

// minBand is how wide a gap is drawn at least, in points: an hour's chart must show one of a second.
const minBand = vg.Length(2)

// band is a time in which the generator did not run, in seconds since the start of the window.
type band struct{ from, to float64 }

// bands are drawn below all that is added to a panel's plot after them.
type bands struct{ list []band }

// Plot draws the bands over the whole height of the panel.
func (b *bands) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for _, g := range b.list {
		from, to := x(max(g.from, p.X.Min)), x(min(g.to, p.X.Max))
		if wider := (minBand - (to - from)) / 2; wider > 0 {
			from, to = from-wider, to+wider
		}
		from, to = max(from, c.Min.X), min(to, c.Max.X)
		c.FillPolygon(gapColour, []vg.Point{
			{X: from, Y: c.Min.Y}, {X: to, Y: c.Min.Y}, {X: to, Y: c.Max.Y}, {X: from, Y: c.Max.Y},
		})
	}
}

// MarkGaps marks on all panels when the generator did not run, and says so in the legend of the first.
func MarkGaps(panels []Panel, gaps []rundoc.Gap) {
	var list []band
	for _, g := range gaps {
		from, to := float64(g.AtNS)/1e9, (float64(g.AtNS)+float64(g.NS))/1e9
		if g.NS >= MinGapNS && len(panels) > 0 && to > 0 && from < panels[0].Plot.X.Max {
			list = append(list, band{from, to})
		}
	}
	if len(list) == 0 {
		return
	}
	for i := range panels {
		panels[i].gaps.list = list
	}
	first := &panels[0]
	first.Legend = append(first.Legend, Entry{Name: "the generator did not run", Colour: gapColour, Wide: true})
}
