package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/plimsoll/plimsoll/internal/report/graph"
)

// column is how wide a stretch of the picture is in which a line is drawn by its first, its least, its most and its
// last point alone, in points: nobody can see the others.
const column = vg.Length(0.5)

// seriesMark draws a series.
type seriesMark struct {
	s     *graph.Series
	below []float64 // of bars: what they stand on
}

// Plot draws it.
func (m *seriesMark) Plot(c draw.Canvas, p *plot.Plot) {
	d := drawing{c: c, p: p, s: m.s, look: lookOf(m.s.Role)}
	d.x, d.y = p.Transforms(&c)
	d.intervals()
	switch m.s.Style {
	case graph.Dots:
		d.dots(d.points(), 3)
	case graph.Bars:
		d.bars(m.below)
	case graph.Steps, graph.Edge:
		for _, run := range d.steps() {
			d.line(run, m.s.Style == graph.Steps)
		}
	default:
		d.lines()
	}
}

// drawing is a series on its way to the canvas.
type drawing struct {
	c    draw.Canvas
	p    *plot.Plot
	s    *graph.Series
	look look
	x, y func(float64) vg.Length
}

// at is where a point is; false: nowhere, as one of its values is not known.
func (d *drawing) at(x, y float64) (vg.Point, bool) {
	for _, v := range []float64{x, y} {
		if math.IsNaN(v) || math.Abs(v) > most {
			return vg.Point{}, false
		}
	}
	if _, log := d.p.Y.Scale.(plot.LogScale); log && y <= 0 {
		return vg.Point{}, false
	}
	if _, log := d.p.X.Scale.(plot.LogScale); log && x <= 0 {
		return vg.Point{}, false
	}
	return vg.Point{X: d.x(x), Y: d.y(y)}, true
}

// count is how many points the series has.
func (d *drawing) count() int { return min(len(d.s.X), len(d.s.Y)) }

// end is where step i ends.
func (d *drawing) end(i int) float64 {
	switch {
	case i < len(d.s.To):
		return d.s.To[i]
	case i+1 < len(d.s.X):
		return d.s.X[i+1]
	}
	return d.p.X.Max
}

func (d *drawing) points() (all []vg.Point) {
	for i := range d.count() {
		if at, known := d.at(d.s.X[i], d.s.Y[i]); known {
			all = append(all, at)
		}
	}
	return all
}

// steps are the lines along the tops of steps, each without a gap.
func (d *drawing) steps() (runs [][]vg.Point) {
	var run []vg.Point
	last := math.NaN()
	for i := range d.count() {
		from, known := d.at(d.s.X[i], d.s.Y[i])
		to, ends := d.at(d.end(i), d.s.Y[i])
		if !known || !ends || to.X < from.X {
			last = math.NaN()
			continue
		}
		if d.s.X[i] != last && len(run) > 0 {
			runs, run = append(runs, run), nil
		}
		run, last = append(run, from, to), d.end(i)
	}
	if len(run) > 0 {
		runs = append(runs, run)
	}
	return runs
}

// dotted is up to how many points a line has a dot for each.
const dotted = 60

// lines draws a line with its gaps; a point between two gaps is a dot.
func (d *drawing) lines() {
	var run, alone []vg.Point
	flush := func() {
		if len(run) == 1 || d.count() <= dotted && d.p.X.Scale != plot.Normalizer(tailScale{}) {
			alone = append(alone, run...)
		}
		if len(run) > 1 {
			d.line(run, d.s.Style == graph.Area)
		}
		run = nil
	}
	for i := range d.count() {
		if at, known := d.at(d.s.X[i], d.s.Y[i]); known {
			run = append(run, at)
		} else {
			flush()
		}
	}
	flush()
	d.dots(alone, 2.2)
}

// line draws one without a gap, filled down to the foot of the panel.
func (d *drawing) line(run []vg.Point, filled bool) {
	run = thin(run)
	if filled {
		foot := max(d.c.Min.Y, min(d.y(max(0, d.p.Y.Min)), d.c.Max.Y))
		shape := append([]vg.Point{{X: run[0].X, Y: foot}}, run...)
		shape = append(shape, vg.Point{X: run[len(run)-1].X, Y: foot})
		d.c.FillPolygon(faded(d.look.colour, 38), d.c.ClipPolygonXY(shape))
	}
	style := draw.LineStyle{Color: d.look.colour, Width: 1.5, Dashes: dashesOf(d.s)}
	if len(run) > 1000 {
		style.Width = 1
	}
	d.c.StrokeLines(style, d.c.ClipLinesXY(run)...)
}

// thin leaves out the points that nobody can see.
func thin(run []vg.Point) []vg.Point {
	var out []vg.Point
	for i := 0; i < len(run); {
		j, low, high := i, i, i
		for ; j < len(run) && math.Abs(float64(run[j].X-run[i].X)) < float64(column); j++ {
			if run[j].Y < run[low].Y {
				low = j
			}
			if run[j].Y > run[high].Y {
				high = j
			}
		}
		kept := -1
		for _, k := range []int{i, min(low, high), max(low, high), j - 1} {
			if k > kept {
				out, kept = append(out, run[k]), k
			}
		}
		i = j
	}
	return out
}

// dots draws a glyph at each place, one for all that fall on it.
func (d *drawing) dots(points []vg.Point, radius vg.Length) {
	if len(points) > 1000 {
		radius *= 0.6
	}
	style := draw.GlyphStyle{Color: d.look.colour, Radius: radius, Shape: d.look.shape}
	taken := map[[2]int]bool{}
	for _, at := range points {
		place := [2]int{int(at.X / 0.75), int(at.Y / 0.75)}
		if !taken[place] && d.c.Contains(at) {
			taken[place] = true
			d.c.DrawGlyphNoClip(style, at)
		}
	}
}

// bars stand on those of the series before.
func (d *drawing) bars(below []float64) {
	for i := range d.count() {
		bottom := below[i]
		from, known := d.at(d.s.X[i], bottom)
		to, ends := d.at(d.end(i), bottom+d.s.Y[i])
		if !known || !ends || d.s.Y[i] <= 0 {
			continue
		}
		to.X = max(to.X, from.X+0.4)
		d.c.FillPolygon(faded(d.look.colour, 215), d.c.ClipPolygonXY(box(from, to)))
	}
}

func box(a, b vg.Point) []vg.Point { return []vg.Point{a, {X: b.X, Y: a.Y}, b, {X: a.X, Y: b.Y}} }

// intervals are uprights at single points, and a strip along a line of many.
func (d *drawing) intervals() {
	style := draw.LineStyle{Color: d.look.colour, Width: 1}
	var lows, highs []vg.Point
	strip := d.s.Style != graph.Dots && d.count() > dotted
	flush := func() {
		if len(lows) > 1 {
			for i := len(lows) - 1; i >= 0; i-- {
				highs = append(highs, lows[i])
			}
			d.c.FillPolygon(faded(d.look.colour, 38), d.c.ClipPolygonXY(highs))
		}
		lows, highs = nil, nil
	}
	for i := range min(d.count(), len(d.s.Low), len(d.s.High)) {
		low, known := d.at(d.s.X[i], d.s.Low[i])
		high, ends := d.at(d.s.X[i], d.s.High[i])
		switch {
		case !known || !ends:
			flush()
		case strip:
			lows, highs = append(lows, low), append(highs, high)
		default:
			const cap = 2
			d.c.StrokeLines(style, d.c.ClipLinesXY([]vg.Point{low, high}, []vg.Point{{X: low.X - cap, Y: low.Y},
				{X: low.X + cap, Y: low.Y}}, []vg.Point{{X: high.X - cap, Y: high.Y}, {X: high.X + cap, Y: high.Y}})...)
		}
	}
	flush()
}

// dashesOf are those of a line: what was offered, and the later ones of many.
func dashesOf(s *graph.Series) []vg.Length {
	switch n := number(s.Role); {
	case s.Style == graph.Dots || s.Style == graph.Bars:
	case s.Role == graph.Offered || s.Role == graph.Fitted:
		return []vg.Length{4, 2}
	case n > 8:
		return []vg.Length{5, 2}
	}
	return nil
}

func faded(c color.RGBA, alpha uint8) color.NRGBA {
	return color.NRGBA{R: c.R, G: c.G, B: c.B, A: alpha}
}

// crossGlyph stands out between dots.
type crossGlyph struct{}

// DrawGlyph draws the cross.
func (crossGlyph) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	line := draw.LineStyle{Color: style.Color, Width: 1.4}
	r := style.Radius
	c.StrokeLine2(line, at.X-r, at.Y-r, at.X+r, at.Y+r)
	c.StrokeLine2(line, at.X-r, at.Y+r, at.X+r, at.Y-r)
}
