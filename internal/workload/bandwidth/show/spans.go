package show

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

const (
	mostSpans  = 4000 // that are drawn: more closes cannot be told apart
	mostShades = 200  // stretches with a bar behind them
	mostClips  = 40   // stretches of transfers that are drawn apart: of more, each is a sliver as high as its neighbours
)

// clip cuts stretches to the spans in which the transfer was on, so that nothing is drawn where it
// was not. Their rates are of those spans already.
func clip(list []pace, spans []span) []pace {
	if len(spans) == 0 || len(spans) > mostClips {
		return list
	}
	var cut []pace
	for _, p := range list {
		for _, s := range spans {
			part := p
			part.from, part.to = max(p.from, s.from), min(p.to, s.to)
			if part.from < part.to {
				cut = append(cut, part)
			}
		}
	}
	return cut
}

// spanOf is the time of an operation in seconds.
func spanOf(b rundoc.Block) span {
	return span{float64(b.StartNS) / 1e9, float64(b.StartNS+b.DurationNS) / 1e9}
}

// union is what operations cover together, in order and disjoint: streams close at the same time.
func union(list []rundoc.Block) []span {
	spans := make([]span, len(list))
	for i, b := range list {
		spans[i] = spanOf(b)
	}
	return disjoint(spans)
}

// drawSpans draws each operation as a line from its start to its end, at the height of its
// duration, over a faint bar that covers the time in the whole panel. others are what is drawn
// as points.
func drawSpans(p *chart.Panel, list, others []rundoc.Block, colour color.Color) {
	bottom, top := p.Plot.Y.Min, p.Plot.Y.Max
	if shades := union(list); len(shades) <= mostShades {
		for _, s := range shades {
			area, err := plotter.NewPolygon(plotter.XYs{{X: s.from, Y: bottom}, {X: s.from, Y: top}, {X: s.to, Y: top},
				{X: s.to, Y: bottom}})
			if err != nil {
				continue
			}
			area.Color, area.Width = color.NRGBA{R: 0, G: 70, B: 110, A: 22}, 0
			p.Plot.Add(area)
		}
	}
	for _, b := range list[:min(len(list), mostSpans)] {
		s, y := spanOf(b), float64(b.DurationNS)
		if l, err := plotter.NewLine(plotter.XYs{{X: s.from, Y: y}, {X: s.to, Y: y}}); err == nil {
			l.Color, l.Width = colour, 2.5
			p.Plot.Add(l)
		}
	}
	for _, l := range spanLabels(p, list, others) {
		drawLabel(p, l, chart.Style(10, colour, l.align, false))
	}
}

// box is a part of a panel, 0 to 1 on each axis.
type box struct{ left, right, bottom, top float64 }

func (b box) overlaps(o box) bool {
	return b.left < o.right && o.left < b.right && b.bottom < o.top && o.bottom < b.top
}

// spanLabel is what stands at a span: how long it took.
type spanLabel struct {
	at    plotter.XY
	words string
	align text.XAlignment
	below bool
}

// mostLabels is how many spans may each have a label.
const mostLabels = 12

// spanLabels says of each span how long it took, if there is room for that at every one of them;
// else of the longest alone, wherever that is: a label at some, or on each other, says less.
func spanLabels(p *chart.Panel, list, others []rundoc.Block) []spanLabel {
	if len(list) <= mostLabels {
		if labels, ok := labelEach(p, list, others); ok {
			return labels
		}
	}
	longest := slices.MaxFunc(list, func(a, b rundoc.Block) int { return cmp.Compare(a.DurationNS, b.DurationNS) })
	label, _ := labelOf(p, longest, "longest close ", 0.13, nil)
	return []spanLabel{label}
}

// labelEach places a label for each span; ok is false if there is no room for one of them.
func labelEach(p *chart.Panel, list, others []rundoc.Block) (labels []spanLabel, ok bool) {
	const dot = 0.008 // of a point, in each direction
	var taken []box
	for _, b := range list {
		taken = append(taken, boxOf(p, b))
	}
	for _, b := range others[:min(len(others), mostSpans)] {
		x, y := float64(b.StartNS)/1e9/p.Plot.X.Max, heightOf(p, float64(b.DurationNS))
		taken = append(taken, box{x - dot/2, x + dot/2, y - dot, y + dot})
	}
	for _, b := range list {
		label, place := labelOf(p, b, "close ", 0.085, taken)
		if place == nil {
			return nil, false
		}
		taken = append(taken, *place)
		labels = append(labels, label)
	}
	return labels, true
}

// boxOf is where a span is drawn.
func boxOf(p *chart.Panel, b rundoc.Block) box {
	s, h := spanOf(b), heightOf(p, float64(b.DurationNS))
	return box{s.from / p.Plot.X.Max, s.to / p.Plot.X.Max, h - 0.005, h + 0.005}
}

// labelOf is a label above the end of a span, or below it; place is nil if something is taken
// there. It begins with the span where there is no room before its end.
func labelOf(p *chart.Panel, b rundoc.Block, before string, wide float64, taken []box) (label spanLabel, place *box) {
	const high = 0.07
	own, s := boxOf(p, b), spanOf(b)
	label = spanLabel{plotter.XY{X: s.to, Y: float64(b.DurationNS)}, before + units.Duration(b.DurationNS),
		draw.XRight, own.top+high > 1}
	left := own.right - wide
	if left < 0 {
		label.align, left, label.at.X = draw.XLeft, own.left, s.from
	}
	for _, below := range []bool{false, true} {
		at := box{left, left + wide, own.top + 0.002, own.top + high}
		if below {
			at.bottom, at.top = own.bottom-high, own.bottom-0.002
		}
		if at.bottom >= 0 && at.top <= 1 && !slices.ContainsFunc(taken, at.overlaps) {
			label.below = below
			return label, &at
		}
	}
	return label, nil
}

func drawLabel(p *chart.Panel, l spanLabel, look text.Style) {
	labels, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{l.at}, Labels: []string{l.words}})
	if err != nil {
		return
	}
	labels.Offset = vg.Point{Y: 4}
	if l.below {
		look.YAlign = draw.YTop
		labels.Offset = vg.Point{Y: -4}
	}
	labels.TextStyle[0] = look
	p.Plot.Add(labels)
}
