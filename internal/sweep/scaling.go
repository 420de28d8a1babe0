package sweep

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/setdoc"
)

// scale fits the scaling law to the single runs, or says why there is none.
func (a *analysis) scale() {
	a.Scaling = &setdoc.Scaling{Refused: a.noLaw()}
	if a.Scaling.Refused != "" {
		return
	}
	var points []stats.Point
	for i := range a.levels {
		v := &a.levels[i]
		if !v.measuresLaw() {
			continue
		}
		for _, x := range v.throughputs() {
			points = append(points, stats.Point{Load: v.Load, Throughput: x})
		}
	}
	s := stats.FitScaling(points)
	a.Scaling.Refused, a.Scaling.LackOfFit, a.Scaling.Spread = s.Refused, s.LackOfFit, s.Spread
	if failing := a.failing(); failing != "" && s.Refused != "" {
		a.Scaling.Refused += " (without " + failing + ", where too many operations fail)"
	}
	if s.Refused != "" {
		return
	}
	of := func(e stats.Estimate) *setdoc.Estimate {
		return &setdoc.Estimate{Value: e.Value, Low: e.Low, High: e.High}
	}
	a.Scaling.Lambda, a.Scaling.Sigma, a.Scaling.Kappa = of(s.Lambda), of(s.Sigma), of(s.Kappa)
	if a.Scaling.NoPeak = s.NoPeak; s.NoPeak == "" {
		a.Scaling.Peak = of(s.Peak)
	}
}

// measuresLaw reports whether the runs of a level are points of the law: what gets through where others are turned away
// is no throughput of as many as that.
func (v *level) measuresLaw() bool { return v.usable && !v.fails() }

// failing are the levels that are left out for that, by name.
func (a *analysis) failing() string {
	var names []string
	for i := range a.levels {
		if v := &a.levels[i]; v.usable && v.fails() {
			names = append(names, a.name(v))
		}
	}
	return strings.Join(names, "; ")
}

// noLaw says why this sweep can have no law, whatever its figures are; "": it can.
func (a *analysis) noLaw() string {
	switch {
	case a.timed():
		return "the law needs a throughput, and " + units.Clean(a.Figure.Name) + " is a time"
	case len(a.axes) != 1:
		return fmt.Sprintf("the law needs a single setting, and this sweep varies %d", len(a.axes))
	case !a.numeric():
		return "the law needs numbers, and the values of " + a.axes[0].Setting + " are names"
	case !a.axes[0].Concurrency:
		return "the law needs a concurrency, which " + a.axes[0].Setting + " is not"
	case a.open():
		return "the load has a fixed rate, so " + a.axes[0].Setting + " does not control the concurrency"
	}
	for i := range a.levels {
		if v := &a.levels[i]; v.Throughput == nil {
			return "no operation succeeded with " + a.name(v)
		}
	}
	return ""
}
