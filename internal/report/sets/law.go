package sets

import (
	"fmt"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/setdoc"
)

// fitted is the law where it has parameters, or nil.
func (v *View) fitted() *setdoc.Scaling {
	l := v.sweep.Scaling
	if l == nil || l.Refused != "" || l.Lambda == nil || l.Sigma == nil || l.Kappa == nil {
		return nil
	}
	return l
}

// lawAnswer is the scaling law in a line. That a setting which says nothing of how much goes on at once has none is
// no answer: who asks finds it below.
func (v *View) lawAnswer() report.Fact {
	f := report.Fact{Key: "Scaling law"}
	l := v.fitted()
	switch {
	case l != nil && l.Peak != nil:
		f.Value = fmt.Sprintf("contention σ %s, coherency κ %s; its peak is at %s", estimate(l.Sigma, units.Digits3),
			estimate(l.Kappa, units.Digits3), estimate(l.Peak, units.Digits3))
	case l != nil:
		f.Value = fmt.Sprintf("contention σ %s, coherency κ %s; no peak is told", estimate(l.Sigma, units.Digits3),
			estimate(l.Kappa, units.Digits3))
	case v.sweep.Scaling != nil && v.sweep.Scaling.Refused != "" && len(v.sweep.Vary) == 1 && v.sweep.Vary[0].Concurrency:
		f.Value = "none: " + units.Clean(v.sweep.Scaling.Refused)
	}
	return f
}

// estimate is a parameter and its interval.
func estimate(e *setdoc.Estimate, show func(float64) string) string {
	return fmt.Sprintf("%s (%s to %s)", show(e.Value), show(e.Low), show(e.High))
}

// law is the Universal Scalability Law with its intervals, or why there is none.
func (v *View) law() report.Section {
	if v.sweep.Scaling == nil {
		return report.Section{}
	}
	s := report.Section{Title: "Scaling law"}
	l := v.fitted()
	if l == nil {
		s.Intro = []string{"No parameters: " + units.Clean(v.sweep.Scaling.Refused) + "."}
		return s
	}
	s.Intro = []string{"The Universal Scalability Law: X(N) = λN ÷ (1 + σ(N − 1) + κN(N − 1)), fitted to the " +
		"throughput of each run."}
	type row struct {
		name    string
		of      *setdoc.Estimate
		show    func(float64) string
		meaning string
	}
	rows := []row{
		{"λ", l.Lambda, func(x float64) string { return figureText(v.sweep.Figure, x) }, "throughput of one alone"},
		{"σ", l.Sigma, units.Digits3, "contention: the share that one does while the others wait"},
		{"κ", l.Kappa, units.Digits3, "coherency: what each pair costs to agree"},
	}
	if l.Peak != nil {
		rows = append(rows, row{"peak", l.Peak, units.Digits3, "setting of the highest throughput by the law"})
	}
	s.Tables = []report.Table{report.TableOf(rows,
		report.Left("", func(r row) string { return r.name }),
		report.Right("value", func(r row) string { return r.show(r.of.Value) }),
		report.Right("95% from", func(r row) string { return r.show(r.of.Low) }),
		report.Right("to", func(r row) string { return r.show(r.of.High) }),
		report.Left("", func(r row) string { return r.meaning }),
	)}
	if l.NoPeak != "" {
		s.Notes = append(s.Notes, "No peak is told: "+units.Clean(l.NoPeak)+".")
	}
	if l.LackOfFit != nil {
		s.Notes = append(s.Notes, fmt.Sprintf("That the levels follow the law was tested against the "+
			"differences between runs "+
			"at one setting: p = %s; below 0.01 there would be no parameters.", units.Digits3(*l.LackOfFit)))
	} else {
		s.Notes = append(s.Notes, "Whether the levels follow the law could not be tested: that takes several "+
			"runs at a setting.")
	}
	if l.Spread > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("The runs lie %s about the law (standard deviation).",
			units.Percent3(l.Spread)))
	}
	return s
}
