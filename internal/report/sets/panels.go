package sets

import (
	"cmp"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Graphs are the panels of a sweep over its settings, or of the members of another set one beside the other.
func (v *View) Graphs() []graph.Panel {
	switch {
	case !v.isSweep():
		return v.memberPanels()
	case len(v.sweep.Vary) == 2:
		return v.gridPanels()
	}
	measured := slices.ContainsFunc(v.all(), func(l level) bool { return l.Throughput != nil })
	if !measured {
		return nil
	}
	p := v.places()
	panels := []graph.Panel{v.scaling(p)}
	if v.scales() {
		panels = append(panels, v.efficiencyOver(p))
	}
	panels = append(panels, v.timesOver(p), v.failedOver(p), v.ledgerOver(), v.runOrder())
	return slices.DeleteFunc(panels, func(p graph.Panel) bool { return p.Name == "" })
}

// places are where the levels of a sweep stand: where their numbers are, or one beside the other.
type places struct {
	axis    graph.Axis
	x       []float64 // of each level
	numbers bool      // the distances mean something, so that lines between the levels do
}

// farthest is where a level stands at most: beyond it nothing could be told apart.
const farthest = 1e15

func (v *View) places() places {
	p := places{axis: graph.Axis{Name: v.settings()}, numbers: len(v.sweep.Vary) == 1 && v.numeric()}
	for i, l := range v.all() {
		if !p.numbers || l.Load <= 0 || l.Load > farthest {
			return v.named()
		}
		p.x = append(p.x, v.sweep.Levels[i].Load)
		p.axis.Ticks = append(p.axis.Ticks, graph.Tick{At: l.Load, Name: units.Shorten(short(l.Values), 12)})
	}
	if len(p.x) == 0 { // cut short before it had one
		return v.named()
	}
	slices.SortFunc(p.axis.Ticks, func(a, b graph.Tick) int { return cmp.Compare(a.At, b.At) })
	lowest, highest := slices.Min(p.x), slices.Max(p.x)
	if crowded(p.x) {
		p.axis.Scale, p.axis.From, p.axis.To = graph.Log, lowest/edge, highest*edge
		return p
	}
	p.axis.To = highest * 1.04
	return p
}

// edge is how far a logarithmic axis goes beyond its levels.
const edge = 1.12

// crowded reports whether levels would stand on each other if their distances were their differences, as those of
// 1, 2, 4 … 64 do.
func crowded(x []float64) bool {
	const least = 0.04 // of the whole
	sorted := slices.Compact(slices.Sorted(slices.Values(x)))
	if slices.Max(sorted)/sorted[0] < 8 {
		return false
	}
	for i := 1; i < len(sorted); i++ {
		if sorted[i]-sorted[i-1] < least*slices.Max(sorted) {
			return true
		}
	}
	return false
}

// named puts the levels one beside the other.
func (v *View) named() places {
	p := places{axis: graph.Axis{Name: v.settings(), From: 0.5, To: float64(len(v.sweep.Levels)) + 0.5}}
	for i, l := range v.all() {
		at := float64(i + 1)
		p.x = append(p.x, at)
		p.axis.Ticks = append(p.axis.Ticks, graph.Tick{At: at, Name: units.Shorten(short(l.Values), 24)})
	}
	return p
}

// axisOf is the axis of a figure, and by what its values are multiplied there.
func axisOf(f setdoc.Figure) (axis graph.Axis, times float64) {
	switch unit := figure.Unit(f.Unit); unit {
	case figure.BytesPerSec:
		return graph.Axis{Word: "MB/s"}, 1e-6
	case figure.Time:
		return graph.Axis{Unit: graph.Nanoseconds}, 1
	case figure.Bytes:
		return graph.Axis{Unit: graph.Bytes}, 1
	case figure.Share:
		return graph.Axis{Unit: graph.Share}, 1
	}
	return graph.Axis{Word: unitOf(f)}, 1
}

// titled is a title with the unit of the figure.
func titled(title string, f setdoc.Figure) string {
	if unit := unitOf(f); unit != "" {
		return title + ", " + unit
	}
	return title
}

func orNaN(x *float64, times float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x * times
}

func nanosOr(ns *int64) float64 {
	if ns == nil || *ns <= 0 {
		return math.NaN()
	}
	return float64(*ns)
}
