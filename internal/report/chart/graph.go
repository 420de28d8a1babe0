package chart

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/plimsoll/plimsoll/internal/report/graph"
)

// ofGraphs turns charts as data into panels of a file, one below the other. What they are over is written below the
// last of those that have the same axis, which leaves the others more room.
func ofGraphs(all []graph.Panel) []panel {
	room := (float64(chartHeight-headHeight) / float64(len(all))) - float64(stripHeight)
	var panels []panel
	named := map[string]bool{} // bands, in the legend of a panel above
	for i := range all {
		p := ofGraph(&all[i], room)
		if i+1 < len(all) && sameAxis(&all[i], &all[i+1]) {
			p.plot.X.Tick.Marker = plot.ConstantTicks(withoutLabels(
				p.plot.X.Tick.Marker.Ticks(p.plot.X.Min, p.plot.X.Max)))
			p.plot.X.Tick.Label.Font.Size = 0.1
		} else {
			p.nameAxis(all[i].X.Name)
		}
		for _, b := range all[i].Bands {
			if !named[b.Name] {
				named[b.Name] = true
				p.legend = append(p.legend, entry{name: b.Name, colour: bandColour(b.Role), wide: true})
			}
		}
		panels = append(panels, p)
	}
	return panels
}

// sameAxis reports whether two panels can share what is written below them.
func sameAxis(a, b *graph.Panel) bool {
	x, y := a.X, b.X
	if x.From == x.To {
		return false // as far as the values of each go
	}
	return x.Name == y.Name && x.Unit == y.Unit && x.Scale == y.Scale && x.From == y.From && x.To == y.To &&
		slices.Equal(x.Ticks, y.Ticks)
}

// withoutLabels are ticks that take no room. They have no name, but are not without one: the grid is of those that
// have one.
func withoutLabels(ticks []plot.Tick) []plot.Tick {
	bare := slices.Clone(ticks)
	for i := range bare {
		if bare[i].Label != "" {
			bare[i].Label = " "
		}
	}
	return bare
}

// ofGraph turns one into a panel that is about so many points high.
func ofGraph(g *graph.Panel, room float64) panel {
	x, y := extentsOf(g)
	empty := g.Empty
	if empty == "" && !y.any && len(g.Spans) == 0 {
		empty = "nothing to draw"
	}
	if y.any {
		empty = "" // it is drawn, whatever is said
	}
	xs, ys := axisOf(g.X, x, float64(chartWidth-80)/60), axisOf(g.Y, y, room/15)
	if len(g.Spans) > 0 {
		ys = rowAxis(g.Spans)
	}
	p := newPanel(g.Title, xs.from, xs.to, xs.ticks)
	p.empty = empty
	p.plot.X.Scale = xs.scale
	p.plot.Add(&bandMarks{g.Bands})
	if empty != "" {
		p.vertical(0, 1, nil)
		return p
	}
	p.vertical(ys.from, ys.to, ys.ticks)
	p.plot.Y.Scale = ys.scale
	if g.Heat != nil {
		p.plot.Add(&heatMark{g.Heat})
		p.legend = append(p.legend, heatLegend(g.Heat)...)
	}
	p.plot.Add(&spanMarks{g.Spans})
	p.legend = append(p.legend, spanLegend(g.Spans)...)
	below := stack{}
	for i := range g.Series {
		s := &g.Series[i]
		m := &seriesMark{s: s}
		if s.Style == graph.Bars {
			m.below = below.put(s)
		}
		p.plot.Add(m)
		if s.Name != "" && anyKnown(s.Y) && !p.named(s) {
			p.legend = append(p.legend, entryOf(s))
		}
	}
	p.plot.Add(&ruleMarks{g.Rules})
	return p
}

// named reports whether the legend has an entry that looks and is called as that of a series.
func (p *panel) named(s *graph.Series) bool {
	e := entryOf(s)
	return slices.ContainsFunc(p.legend, func(other entry) bool {
		return other.name == e.name && other.colour == e.colour
	})
}

// entryOf is a series in a legend.
func entryOf(s *graph.Series) entry {
	look := lookOf(s.Role)
	e := entry{name: s.Name, colour: look.colour, wide: s.Style == graph.Bars, dashes: dashesOf(s)}
	if s.Style == graph.Dots {
		e.shape = look.shape
	}
	return e
}

// extent is how far values go.
type extent struct {
	low, high float64
	least     float64 // above 0, for a logarithmic axis
	any       bool
}

func newExtent() extent { return extent{low: math.Inf(1), high: math.Inf(-1), least: math.Inf(1)} }

func (e *extent) see(values ...float64) {
	for _, v := range values {
		if math.IsNaN(v) || math.Abs(v) > most {
			continue
		}
		e.any = true
		e.low, e.high = min(e.low, v), max(e.high, v)
		if v > 1/most {
			e.least = min(e.least, v)
		}
	}
}

// most bounds what is drawn: a figure beyond it is of a document that makes no sense.
const most = 1e100

// extentsOf are those of all that a panel draws.
func extentsOf(g *graph.Panel) (x, y extent) {
	x, y = newExtent(), newExtent()
	below := stack{}
	for i := range g.Series {
		s := &g.Series[i]
		x.see(s.X...)
		x.see(s.To...)
		y.see(s.Low...)
		y.see(s.High...)
		if s.Style != graph.Bars {
			y.see(s.Y...)
			continue
		}
		for j, under := range below.put(s) {
			y.see(under + s.Y[j])
		}
	}
	for i := range g.Spans {
		x.see(g.Spans[i].From, g.Spans[i].To)
	}
	if h := g.Heat; h != nil {
		x.see(h.X...)
		y.see(h.Y...)
	}
	seeRules(g, &x, &y)
	return x, y
}

// seeRules makes room for the rules, but for those that would press flat what is there.
func seeRules(g *graph.Panel, x, y *extent) {
	const far = 3
	for _, r := range g.Rules {
		e, axis := y, g.Y
		if r.Vertical {
			e, axis = x, g.X
		}
		if !e.any || axis.Scale == graph.Log && r.At > 0 || r.At <= far*e.high && r.At >= e.low-far*(e.high-e.low) {
			e.see(r.At)
		}
	}
}

// stack is how high the bars stand already, by where they begin.
type stack map[float64]float64

// put is what each bar of a series stands on, and puts them there.
func (s stack) put(series *graph.Series) []float64 {
	below := make([]float64, len(series.Y))
	for i, h := range series.Y {
		if i >= len(series.X) {
			break
		}
		if below[i] = s[series.X[i]]; h > 0 && h < most {
			s[series.X[i]] += h
		}
	}
	return below
}

func anyKnown(values []float64) bool {
	return slices.ContainsFunc(values, func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) })
}

// look is how a role is drawn. Colours do not tell everybody: lines of many are dashed, and dots have shapes.
type look struct {
	colour color.RGBA
	shape  draw.GlyphDrawer
}

func lookOf(r graph.Role) look {
	circle := draw.CircleGlyph{}
	switch r {
	case graph.OK, graph.P50, graph.Met:
		return look{blue, circle}
	case graph.Failed:
		return look{purple, crossGlyph{}}
	case graph.P99:
		return look{orange, circle}
	case graph.P90:
		return look{sky, circle}
	case graph.P999:
		return look{brown, circle}
	case graph.Fitted:
		return look{purple, circle}
	case graph.Unknown:
		return look{ink, draw.RingGlyph{}}
	case graph.Own:
		return look{amber, draw.TriangleGlyph{}}
	case graph.Offered, graph.Most:
		return look{ink, circle}
	}
	if n := number(r); n > 0 {
		palette := []color.RGBA{blue, orange, green, purple, sky, amber, brown, ink}
		return look{palette[(n-1)%len(palette)], circle}
	}
	return look{grey, circle}
}

// number is which of several a role is; 0: it is no number.
func number(r graph.Role) int {
	n := 0
	for _, c := range r {
		if c < '0' || c > '9' || n > 1000 {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}
