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

// spanMarks draws stretches in rows.
type spanMarks struct{ all []graph.Span }

// Plot draws them.
func (s *spanMarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	rows := map[string]int{}
	for i, row := range rowsOf(s.all) {
		rows[row] = i
	}
	label := textStyle(9, ink, draw.XLeft, false)
	for i := range s.all {
		span := &s.all[i]
		if !(span.To >= span.From) || !(span.To >= p.X.Min) || !(span.From <= p.X.Max) {
			continue
		}
		top := p.Y.Max - float64(rows[span.Row])
		from := vg.Point{X: x(max(span.From, p.X.Min)), Y: y(top - 0.85)}
		to := vg.Point{X: x(min(span.To, p.X.Max)), Y: y(top - 0.15)}
		to.X = max(to.X, from.X+0.6)
		c.FillPolygon(faded(lookOf(span.Role).colour, 150), box(from, to))
		text := units.Clean(span.Text)
		if height := to.Y - from.Y; height < 9 {
			continue
		}
		at, width := vg.Point{X: from.X + 3, Y: (from.Y+to.Y)/2 - 4}, label.Width(text)+6
		if width > to.X-from.X {
			at.X = to.X + 3 // beside it, where nothing else is
		}
		if at.X+width <= c.Max.X && (at.X < to.X || !s.anyAt(span.Row, to.X, at.X+width, x)) {
			c.FillText(label, at, text)
		}
	}
}

// anyAt reports whether a row has something in a stretch of the picture.
func (s *spanMarks) anyAt(row string, from, to vg.Length, x func(float64) vg.Length) bool {
	for i := range s.all {
		if span := &s.all[i]; span.Row == row && x(span.To) > from+1 && x(span.From) < to {
			return true
		}
	}
	return false
}

// spanLegend names the parts of spans by their colours.
func spanLegend(spans []graph.Span) (legend []entry) {
	seen := map[string]bool{}
	for i := range spans {
		if part := spans[i].Part; part != "" && !seen[part] {
			seen[part] = true
			legend = append(legend, entry{name: part, colour: faded(lookOf(spans[i].Role).colour, 150), wide: true})
		}
	}
	return legend
}

// shades is how many colours a heat map has. They stand for how often on a scale of logarithms: what came once is seen
// beside what came a million times.
const shades = 10

// heatMark draws how often values came.
type heatMark struct{ h *graph.Heat }

// Plot draws it. Neighbours of one shade in a row are one box.
func (m *heatMark) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	highest := highestCount(m.h)
	at := func(i, j int) int {
		if i >= len(m.h.Counts) || j >= len(m.h.Counts[i]) {
			return 0
		}
		return shadeOf(m.h.Counts[i][j], highest)
	}
	for j := range len(m.h.Y) - 1 {
		for i := 0; i < len(m.h.X)-1; {
			shade, to := at(i, j), i
			for to < len(m.h.X)-1 && at(to, j) == shade {
				to++
			}
			if shade > 0 {
				cell := box(vg.Point{X: x(m.h.X[i]), Y: y(max(m.h.Y[j], p.Y.Min))}, vg.Point{X: x(m.h.X[to]), Y: y(m.h.Y[j+1])})
				c.FillPolygon(shadeColour(shade), c.ClipPolygonXY(cell))
			}
			i = to
		}
	}
}

func highestCount(h *graph.Heat) (highest int64) {
	for _, column := range h.Counts {
		for _, n := range column {
			highest = max(highest, n)
		}
	}
	return highest
}

// shadeOf is 1 to shades; 0 of none.
func shadeOf(n, highest int64) int {
	if n <= 0 {
		return 0
	}
	return 1 + int(math.Log1p(float64(n-1))/math.Log1p(float64(max(1, highest-1)))*(shades-1)+1e-9)
}

// shadeColour goes from a pale blue to ink.
func shadeColour(shade int) color.RGBA {
	t := float64(shade-1) / (shades - 1)
	mix := func(pale, dark float64) uint8 { return uint8(pale + (dark-pale)*t) }
	return color.RGBA{R: mix(205, 0), G: mix(228, 40), B: mix(243, 80), A: 255}
}

// heatLegend says what the palest and the darkest shade mean.
func heatLegend(h *graph.Heat) []entry {
	highest := highestCount(h)
	if highest < 1 {
		return nil
	}
	return []entry{
		{name: "1", colour: shadeColour(1), wide: true},
		{name: units.Number(highest) + " " + h.Of, colour: shadeColour(shades), wide: true},
	}
}
