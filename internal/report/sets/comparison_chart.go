package sets

import (
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/plimsoll/plimsoll/internal/contrast"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/setdoc"
)

// chart draws the change of each figure with its interval.
func (v contrastView) chart(w io.Writer, format chart.Format) error {
	d := v.Drawing()
	if len(d.Panels) == 0 {
		return fault.New(fault.RunFailed, "no figure of this comparison has an interval, so there is nothing to draw")
	}
	return chart.Draw(w, chart.Head{Title: v.title(), Subtitle: v.Subtitle(), Answer: d.Line}, d.Panels, format)
}

// Drawing has the figures from top to bottom, each with its change and the interval of that.
func (v contrastView) Drawing() report.Drawing {
	var drawn []contrasted
	reach := 0.0 // of the axis, on either side of no change, on a scale of logarithms
	for _, r := range v.rows() {
		if r.Launches < contrast.Least || r.Ratio == nil || r.Low == nil || r.High == nil {
			continue
		}
		if !(*r.Low > 0) || !(*r.Ratio > 0) || !(*r.High > 0) || math.IsInf(*r.High, 0) {
			continue
		}
		drawn = append(drawn, r)
		reach = max(reach, math.Abs(math.Log(*r.Low)), math.Abs(math.Log(*r.High)))
	}
	if len(drawn) == 0 {
		return report.Drawing{}
	}
	const least, most, room = 0.01, 12, 1.08
	reach = min(max(least, reach*room), most)
	p := chart.NewPanelOver("B to A, with the interval of each figure", -reach, reach, changeTicks(reach))
	var names []plot.Tick
	for i, r := range drawn {
		names = append(names, plot.Tick{Value: float64(len(drawn) - i), Label: units.Shorten(v.figureName(r), 18)})
	}
	height := float64(len(drawn)) + 0.5
	p.Vertical(0.5, height, names)
	p.Line(plotter.XYs{{X: 0, Y: 0.5}, {X: 0, Y: height}}, chart.Grey, nil)
	for i, r := range drawn {
		y, colour := float64(len(drawn)-i), chart.Grey
		switch r.Outcome {
		case setdoc.Worse:
			colour = chart.Orange
		case setdoc.Better:
			colour = chart.Blue
		}
		at := func(ratio float64) float64 { return max(-reach, min(reach, math.Log(ratio))) }
		p.Line(plotter.XYs{{X: at(*r.Low), Y: y}, {X: at(*r.High), Y: y}}, colour, nil)
		dots(&p, plotter.XYs{{X: at(*r.Ratio), Y: y}}, colour, 3.5)
	}
	p.AddLegend("worse", chart.Orange)
	p.AddLegend("better", chart.Blue)
	p.AddLegend("no difference shown", chart.Grey)
	p.NameAxis("change from A to B")
	return report.Drawing{Line: v.result().Value, Panels: []chart.Panel{p}}
}

// changeTicks are changes that people think in, as far as an axis of logarithms reaches: each is there up and down.
func changeTicks(reach float64) []plot.Tick {
	steps := []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 3, 9, 99, 999, 9999, 99999}
	ticks := []plot.Tick{{Value: 0, Label: "0 %"}}
	const sparse = 0.22 // of the reach, so that labels do not stand on each other
	last := 0.0
	for _, change := range steps {
		at := math.Log1p(change)
		if at > reach || at < sparse*reach || at-last < sparse*reach {
			continue
		}
		last = at
		ticks = append(ticks, plot.Tick{Value: at, Label: signed(change)},
			plot.Tick{Value: -at, Label: signed(1/(1+change) - 1)})
	}
	return ticks
}
