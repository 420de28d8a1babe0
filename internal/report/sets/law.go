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
		f.Value = fmt.Sprintf("contention σ %s, coherency κ %s, peak at %s", estimate(l.Sigma, units.Digits3),
			estimate(l.Kappa, units.Digits3), estimate(l.Peak, units.Digits3))
	case l != nil:
		f.Value = fmt.Sprintf("contention σ %s, coherency κ %s, no peak", estimate(l.Sigma, units.Digits3),
			estimate(l.Kappa, units.Digits3))
	case v.sweep.Scaling != nil && v.sweep.Scaling.Refused != "" && len(v.sweep.Vary) == 1 && v.sweep.Vary[0].Concurrency:
		f.Value = "not fitted: " + units.Clean(v.sweep.Scaling.Refused)
	}
	return f
}

// estimate is a parameter and its interval.
func estimate(e *setdoc.Estimate, show func(float64) string) string {
	return fmt.Sprintf("%s (95%% CI %s)", show(e.Value), spanOf(show(e.Value), show(e.Low), show(e.High)))
}

// law is the Universal Scalability Law with its intervals, or why there is none.
func (v *View) law() report.Section {
	if v.sweep.Scaling == nil {
		return report.Section{}
	}
	s := report.Section{Title: "Scaling law"}
	l := v.fitted()
	if l == nil {
		s.Intro = []string{"Not fitted: " + units.Clean(v.sweep.Scaling.Refused) + "."}
		return s
	}
	s.Intro = []string{"Universal Scalability Law: X(N) = λN ÷ (1 + σ(N − 1) + κN(N − 1)), fitted to the throughput " +
		"of every run."}
	type row struct {
		name    string
		of      *setdoc.Estimate
		show    func(float64) string
		meaning string
	}
	rows := []row{
		{"λ", l.Lambda, func(x float64) string { return figureText(v.sweep.Figure, x) }, "throughput of a single client"},
		{"σ", l.Sigma, units.Digits3, "contention: share of the work that is serialized"},
		{"κ", l.Kappa, units.Digits3, "coherency: cost of coordination between each pair"},
	}
	if l.Peak != nil {
		rows = append(rows, row{"peak", l.Peak, units.Digits3, "setting with the highest fitted throughput"})
	}
	s.Tables = []report.Table{report.TableOf(rows,
		report.Left("", func(r row) string { return r.name }),
		report.Right("value", func(r row) string { return r.show(r.of.Value) }),
		report.Right("95% CI", func(r row) string {
			return spanOf(r.show(r.of.Value), r.show(r.of.Low), r.show(r.of.High))
		}),
		report.Left("", func(r row) string { return r.meaning }),
	)}
	if l.NoPeak != "" {
		s.Notes = append(s.Notes, "No peak: "+units.Clean(l.NoPeak)+".")
	}
	if l.LackOfFit != nil {
		s.Notes = append(s.Notes, fmt.Sprintf("Lack-of-fit test against the variation between runs: p = %s. The law is not "+
			"fitted if p is below 0.01.", units.Digits3(*l.LackOfFit)))
	} else {
		s.Notes = append(s.Notes, "No lack-of-fit test: it needs several runs per setting (--repeat).")
	}
	if l.Spread > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("Standard deviation of the runs around the law: %s.",
			units.Percent3(l.Spread)))
	}
	return s
}
