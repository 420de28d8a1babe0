package sets

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/sweep"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Answer returns the first part of the report: the best setting of a sweep and what limits it, and for any set whether
// its runs succeeded and can be trusted.
func (v *View) Answer() []report.Fact {
	var facts []report.Fact
	if v.isSweep() {
		facts = []report.Fact{
			v.best(), v.highest(), v.efficiency(), v.responseTime(), v.ending(), v.lawAnswer(), v.recommended(),
		}
	}
	return append(facts, v.missed(), v.failures(), v.made(), v.verdict(), v.notes())
}

func (v *View) best() report.Fact {
	f := report.Fact{Key: "Best", Strong: true}
	best := v.level(v.sweep.Best)
	if best == nil {
		f.Value = units.Dash + " (no usable setting: see the verdict and the notes)"
		if v.sweep.Peak == nil {
			f.Value = units.Dash + " (no run produced a result)"
		}
		return f
	}
	f.Value = v.name(best.Values) + ": " + v.with(best)
	if v.sweep.Peak != nil && *v.sweep.Peak == *v.sweep.Best && len(v.sweep.Levels) > 1 && v.numeric() {
		f.Value += ", the " + strings.ToLower(v.extreme())
	}
	return f
}

// extreme is what the peak is: of throughputs the highest, and of times the lowest.
func (v *View) extreme() string {
	if v.sweep.Figure.Unit == string(figure.Time) {
		return "Lowest"
	}
	return "Highest"
}

// highest is the level of the highest throughput, or of the lowest time, where that is not the best one.
func (v *View) highest() report.Fact {
	peak := v.level(v.sweep.Peak)
	if peak == nil || v.sweep.Best != nil && *v.sweep.Best == *v.sweep.Peak {
		return report.Fact{}
	}
	f := report.Fact{Key: v.extreme(), Value: v.name(peak.Values) + ": " + v.with(peak)}
	switch why := sweep.Failure(v.sweep, *v.sweep.Peak); {
	case why != "":
		f.Points = []string{"not chosen as best: " + why}
	case v.sweep.Best != nil:
		f.Points = []string{"not significantly different from the best, or within 3% of it"}
	}
	return f
}

// efficiency is what the best level reaches of what its clients would if none waited for another.
func (v *View) efficiency() report.Fact {
	best := v.level(v.sweep.Best)
	if best == nil || best.Efficiency == nil || best.Predicted == nil || v.sweep.Base == nil {
		return report.Fact{}
	}
	f := report.Fact{Key: "Efficiency", Strong: true, Value: fmt.Sprintf("%s of the predicted %s", share(best.Efficiency),
		v.figure(best.Predicted))}
	f.Points = []string{"Prediction: L ÷ W₁, with L concurrent operations and " + v.w1() + "."}
	if lost := mostMissing(best.Missing, 2); lost != "" {
		f.Points = append(f.Points, "lost "+units.Percent(1-*best.Efficiency)+": "+lost+elsewhere(best, 2))
	}
	return f
}

// w1 is the time of a single operation, and where it was measured.
func (v *View) w1() string {
	base := v.sweep.Base
	at := v.level(&base.Level)
	if base.Single {
		return fmt.Sprintf("W₁ = %s, the client time per operation with one client", units.Duration(whole(base.W1)))
	}
	return fmt.Sprintf("W₁ = %s, the client time per operation at %s, the lowest setting measured",
		units.Duration(whole(base.W1)),
		v.name(at.Values))
}

// mostMissing are the largest parts of what is missing.
func mostMissing(all []setdoc.MissingShare, most int) string {
	var parts []string
	for _, m := range largest(all, most) {
		parts = append(parts, units.Clean(m.State)+" "+units.Percent(m.Share))
	}
	return strings.Join(parts, ", ")
}

// elsewhere is what the states that are not named took together, which may be less than nothing.
func elsewhere(l *setdoc.Level, named int) string {
	rest := 1 - *l.Efficiency
	for _, m := range largest(l.Missing, named) {
		rest -= m.Share
	}
	const least = 0.0005
	switch {
	case rest >= least:
		return ", other states " + units.Percent(rest)
	case rest <= -least:
		return ", minus " + units.Percent(-rest) + " in other states"
	}
	return ""
}

// largest are the parts that are worth a word, the largest first.
func largest(all []setdoc.MissingShare, most int) []setdoc.MissingShare {
	const least = 0.0005 // is shown as 0.05%
	list := slices.DeleteFunc(slices.Clone(all), func(m setdoc.MissingShare) bool { return m.Share < least })
	slices.SortStableFunc(list, func(a, b setdoc.MissingShare) int { return cmp.Compare(b.Share, a.Share) })
	return list[:min(most, len(list))]
}

func (v *View) responseTime() report.Fact {
	best := v.level(v.sweep.Best)
	if best == nil || best.ResponseP50NS == nil && best.ResponseP99NS == nil {
		return report.Fact{}
	}
	return report.Fact{Key: "Response time", Value: fmt.Sprintf("p50 %s · p99 %s at the best setting",
		units.Optional(best.ResponseP50NS), units.Optional(best.ResponseP99NS))}
}

// ending says what comes beyond the best setting, and from where on things fail.
func (v *View) ending() report.Fact {
	f := report.Fact{Key: "Higher values", Value: v.endingText()}
	if fails := v.level(v.sweep.FailsFrom); fails != nil {
		f.Tone = report.Bad
		f.Points = []string{"failures start at " + v.name(fails.Values) + ": " + failuresOf(fails)}
	}
	return f
}

func (v *View) endingText() string {
	switch ending := v.sweep.Ending; ending {
	case "":
		return ""
	case setdoc.EndsRising:
		if l := v.sweep.Levels; v.sweep.Best != nil && *v.sweep.Best < len(l)-1 {
			return "unknown: the runs above the best setting are invalid"
		}
		return "not measured: the best setting is the highest one; try higher values"
	case setdoc.EndsOnPlateau:
		return "no better (plateau)"
	case setdoc.EndsInDecline:
		return "worse (decline)"
	case setdoc.EndsInFailure:
		return "failures"
	}
	return units.Clean(v.sweep.Ending)
}

// failuresOf is what failed at a level and why.
func failuresOf(l *setdoc.Level) string {
	var parts []string
	if l.FailedShare > 0 {
		parts = append(parts, units.Percent(l.FailedShare)+" of operations failed")
	}
	if causes := causesOf(l.Causes, 3); causes != "" {
		parts = append(parts, causes)
	}
	if l.NotOpened > 0 {
		parts = append(parts, units.Count(l.NotOpened, "connection", "connections")+" not opened")
	}
	return strings.Join(parts, " · ")
}

// causesOf are the first of the causes with their counts.
func causesOf(list []setdoc.CauseCount, most int) string {
	var parts []string
	for _, c := range list {
		parts = append(parts, report.Cause(c.Cause)+" "+units.Number(c.Count))
	}
	return units.FirstOf(parts, most)
}

func (v *View) recommended() report.Fact {
	return report.Fact{Key: "Recommended", Value: units.Clean(v.sweep.Recommended), Strong: true}
}

// missed says how many runs missed which of their thresholds.
func (v *View) missed() report.Fact {
	list := v.goals()
	if len(list) == 0 {
		return report.Fact{}
	}
	f := report.Fact{Key: "Thresholds", Value: "all met", Tone: report.Good}
	missed := 0
	for _, g := range list {
		if n := len(g.missed); n > 0 {
			missed++
			f.Points = append(f.Points, fmt.Sprintf("%s: missed in %s of %s: %s", g.expr, units.Number(int64(n)),
				units.Count(int64(g.runs), "run", "runs"), units.FirstOf(g.missed, 3)))
		}
	}
	if missed > 0 {
		f.Value, f.Tone, f.Strong = fmt.Sprintf("%d of %d missed", missed, len(list)), report.Bad, true
	}
	return f
}

// goal is a threshold, and which of the runs that had it did not meet it.
type goal struct {
	expr   string
	runs   int
	missed []string
}

func (v *View) goals() []goal {
	var list []goal
	for i := range v.Set.Members {
		m := &v.Set.Members[i]
		for _, t := range m.Thresholds {
			expr := units.Clean(t.Expr)
			at := slices.IndexFunc(list, func(g goal) bool { return g.expr == expr })
			if at < 0 {
				at, list = len(list), append(list, goal{expr: expr})
			}
			list[at].runs++
			if !t.Met {
				list[at].missed = append(list[at].missed, units.Clean(m.Name))
			}
		}
	}
	return list
}

// failures are those of all runs.
func (v *View) failures() report.Fact {
	f := report.Fact{Key: report.KeyErrors}
	if !v.isSweep() {
		return f
	}
	var scheduled, ok, retries, reconnects int64
	for i := range v.sweep.Levels {
		l := &v.sweep.Levels[i]
		scheduled, ok, retries, reconnects = scheduled+l.Scheduled, ok+l.OK, retries+l.Retries,
			reconnects+l.Reconnects
	}
	switch {
	case scheduled <= 0:
		f.Value = units.Dash
	case scheduled-ok+retries+reconnects <= 0:
		f.Value = "none and no retries in " + units.Count(scheduled, "operation", "operations")
	default:
		f.Value = fmt.Sprintf("%s of %s failed · %s · %s", units.Share(float64(scheduled-ok), float64(scheduled)),
			units.Count(scheduled, "operation", "operations"), units.Count(retries, "retry", "retries"),
			units.Count(reconnects, "reconnect", "reconnects"))
		if scheduled > ok {
			f.Tone = report.Bad
		}
	}
	return f
}

// made says that a set has fewer runs than planned, or that some did not end well.
func (v *View) made() report.Fact {
	f := report.Fact{Key: "Runs"}
	bad := 0
	for i := range v.Set.Members {
		if v.Set.Members[i].Exit != 0 {
			bad++
		}
	}
	var parts []string
	if n := len(v.Set.Members); n < v.Set.Planned {
		parts = append(parts, fmt.Sprintf("%s of %s planned", units.Number(int64(n)),
			units.Number(int64(v.Set.Planned))))
	}
	if bad > 0 {
		parts = append(parts, fmt.Sprintf("%s ended with an error", units.Number(int64(bad))))
		f.Tone = report.Bad
	}
	if len(parts) == 0 && !v.isSweep() && len(v.Set.Members) > 0 {
		parts = []string{"all " + units.Number(int64(len(v.Set.Members))) + " succeeded"}
	}
	f.Value = strings.Join(parts, " · ")
	return f
}

// verdict is the gravest of the runs'.
func (v *View) verdict() report.Fact {
	f := report.Fact{Key: "Verdict", Strong: true,
		Value: strings.ToUpper(units.Clean(string(v.Set.Verdict.Validity)))}
	switch v.Set.Verdict.Validity {
	case rundoc.Valid:
		f.Tone = report.Good
		f.Value += ": no problem detected in any run"
	case rundoc.Seen:
		f.Tone = report.Doubtful
		f.Value = "VALID (limited checks): no problem detected, but some checks were not possible"
	case rundoc.Suspect:
		f.Tone = report.Doubtful
		f.Value += ": use these results with care"
	case rundoc.Invalid:
		f.Tone = report.Bad
		f.Value += ": do not use these results"
	case "":
		f.Value = units.Dash
	}
	if len(v.Broken) > 0 {
		f.Tone = report.Bad
		f.Value = "EDITED: the document was changed after the run; do not use it"
	}
	for _, reason := range slices.Concat(v.Broken, v.Set.Verdict.Reasons) {
		f.Points = append(f.Points, units.Clean(reason))
	}
	return f
}

// notes are the doubts of a sweep.
func (v *View) notes() report.Fact {
	f := report.Fact{Key: "Note"}
	if v.Set.Sweep != nil && v.sweep.Rules != sweep.Rules {
		f.Points = append(f.Points, fmt.Sprintf("Analyzed by another version of Plimsoll (rules %d, this version has "+
			"%d): shown as saved, without checking it against the runs.", v.sweep.Rules, sweep.Rules))
	}
	for _, d := range v.sweep.Doubts {
		f.Points = append(f.Points, units.Clean(d))
	}
	return f
}

// launched reports the median of a metric over repeated runs, with its interval, and whether it is as precise as
// requested.
func (v *View) launched() report.Fact {
	l := v.Set.Launches
	text := figure.Unit(l.Figure.Unit).Text
	f := report.Fact{Key: "Result", Strong: true}
	name := units.Clean(l.Figure.Name)
	known := 0
	for _, value := range l.Values {
		if value.Value != nil {
			known++
		}
	}
	switch {
	case l.Median == nil:
		f.Value = name + " has no result: " + units.Clean(l.Why)
	default:
		f.Value = "median " + name + " over " + units.Count(int64(known), "run", "runs") + ": " + text(*l.Median)
		if len(l.Range) == 2 {
			f.Value += " (95% CI " + spanOf(text(*l.Median), text(l.Range[0]), text(l.Range[1])) + ")"
		} else {
			f.Points = append(f.Points, "No confidence interval: "+units.Clean(l.Why)+".")
		}
	}
	if l.Within > 0 {
		within := units.Percent(l.Within)
		if f.Tone = report.Good; l.Known {
			f.Points = []string{"Known to within " + within + ", as requested."}
		} else {
			f.Tone, f.Points = report.Doubtful, []string{"Not known to within " + within + ": " + units.Clean(l.Why) + "."}
		}
	}
	return f
}
