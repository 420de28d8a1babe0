package sweep

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// name is a level as a person calls it: "clients 8", or "clients 8, policy prefetch".
func (a *analysis) name(v *level) string {
	var list []string
	for i, value := range v.Values {
		if i < len(a.axes) {
			value = a.axes[i].Setting + " " + units.Clean(value)
		}
		list = append(list, value)
	}
	if name := strings.Join(list, ", "); name != "" {
		return name
	}
	return "the only level"
}

// amount is a throughput with its unit.
func (a *analysis) amount(v float64) string { return figure.Unit(a.Figure.Unit).Text(v) }

// recommended is the best setting and why, in a sentence.
func (a *analysis) recommended() string {
	if a.Best == nil {
		if a.Peak == nil {
			return ""
		}
		return "None of these: at the best figure, that of " + a.name(&a.levels[*a.Peak]) + ", " +
			failure(&a.levels[*a.Peak]) + ", and the others are no better."
	}
	v := &a.levels[*a.Best]
	what := units.Capital(a.name(v)) + ": " + a.amount(*v.Throughput)
	if !a.ranked() {
		return what + a.second(v)
	}
	beyond := a.levels[*a.Best:] // the best itself does not fail
	switch a.Ending {
	case setdoc.EndsRising:
		return what + a.rising(*a.Best)
	case setdoc.EndsInFailure:
		for i := range beyond {
			if beyond[i].fails() {
				return what + a.asGoodAs() + ". At " + a.name(&beyond[i]) + " " + failure(&beyond[i]) + "."
			}
		}
	case setdoc.EndsInDecline:
		last := lastUsable(beyond)
		return fmt.Sprintf("%s. With more it falls: %s at %s, %s less than at %s.", what, a.amount(*last.Throughput),
			a.name(last), units.Percent3(1 - *last.Throughput / *a.levels[*a.Peak].Throughput), a.name(&a.levels[*a.Peak]))
	}
	last := lastUsable(beyond)
	if *last.Throughput < asGood**v.Throughput { // much less, in runs that differ as much
		return fmt.Sprintf("%s, as much as any level has. With more there is %s at %s, which the runs do not tell apart "+
			"from it.", what, a.amount(*last.Throughput), a.name(last))
	}
	return fmt.Sprintf("%s, as much as any level has. With more it stays at that: %s at %s.", what,
		a.amount(*last.Throughput), a.name(last))
}

// asGoodAs says of the largest size that goes as well as any what is the most, where that is less to do; else "".
func (a *analysis) asGoodAs() string {
	if !a.sized() || *a.Peak >= *a.Best {
		return ""
	}
	peak := &a.levels[*a.Peak]
	return ", as good as " + a.amount(*peak.Throughput) + " at " + a.name(peak)
}

// lastUsable is the highest level that can be held against others; nil: none.
func lastUsable(levels []level) (last *level) {
	for i := range levels {
		if levels[i].usable {
			last = &levels[i]
		}
	}
	return last
}

// rising ends the sentence of a best level beyond which nothing was measured, or nothing that can be used.
func (a *analysis) rising(best int) string {
	before := lastUsable(a.levels[:best])
	more := a.asGoodAs()
	if before != nil && more == "" {
		by, word := *a.levels[best].Throughput / *before.Throughput - 1, "more"
		if by < 0 { // that one fails
			by, word = -by, "less"
		}
		more = fmt.Sprintf(", %s %s than at %s", units.Percent3(by), word, a.name(before))
	}
	if beyond := len(a.levels) - best - 1; beyond > 0 {
		return more + fmt.Sprintf(". Nobody knows what comes beyond it: the runs of the %s above it are invalid.",
			units.Count(int64(beyond), "level", "levels"))
	}
	if a.sized() {
		return more + ". It is the largest that was measured: more may go as well."
	}
	return more + ". It is the highest level that was measured: the best may lie beyond it."
}

// failure says what fails at a level, and mostly why.
func failure(v *level) string {
	why := ""
	if len(v.Causes) > 0 {
		why = ", mostly by " + units.Clean(v.Causes[0].Cause)
	}
	switch {
	case v.Lost > 0:
		return fmt.Sprintf("%d of %d runs measured nothing", v.Lost, v.Runs)
	case v.connectsFail():
		return units.Percent3(float64(v.NotOpened)/(float64(v.Opened)+float64(v.NotOpened))) +
			" of the tries to connect fail" + why
	case v.lags && v.FailedShare <= maxFailed:
		return "only " + units.PerSecond(*v.Throughput) + "/s of the " + units.PerSecond(*v.OfferedPerS) +
			"/s that were offered get through"
	}
	return units.Percent3(v.FailedShare) + " of the operations do not end ok" + why
}

// second ends the sentence of the best of named settings, or of a grid, with the next one.
func (a *analysis) second(best *level) string {
	var next *level
	for i := range a.levels {
		v := &a.levels[i]
		if v.usable && !v.fails() && v.Level != best.Level && (next == nil || a.better(v, next)) {
			next = v
		}
	}
	switch {
	case next == nil:
		return ", the only level that can be used."
	case a.noise.freedom > 0 && !a.noise.apart(best, next, len(a.levels)-1):
		return fmt.Sprintf(", the best; %s has %s, which the repeats do not tell apart from it.", a.name(next),
			a.amount(*next.Throughput))
	case a.timed():
		return fmt.Sprintf(", %s less than %s, the next.", units.Percent3(1 - *best.Throughput / *next.Throughput),
			a.name(next))
	}
	more := *best.Throughput / *next.Throughput - 1
	return fmt.Sprintf(", %s more than %s, the next.", units.Percent3(more), a.name(next))
}

// doubts are what should be known before the result is used.
func (a *analysis) doubts() (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	a.doubtRuns(say)
	a.doubtLevels(say)
	if a.ranked() && a.axes[0].Concurrency && a.open() {
		say("The load was offered at a rate, so that %s is but a limit: nothing is predicted by Little's law.",
			a.axes[0].Setting)
	}
	if b := a.Base; b != nil && !b.Single {
		lacks, level, hint := "was not measured", "the lowest level", " Add a level of 1."
		if b.Level > 0 {
			lacks, level, hint = "was not measured, or too much of it failed", "the lowest level that does not fail", ""
		}
		say("One client with one operation under way %s: the prediction is by %s, %s, and the efficiency is that against "+
			"it.%s", lacks, a.name(&a.levels[b.Level]), level, hint)
	}
	if failing := a.failing(); failing != "" && a.Scaling.Lambda != nil {
		say("The scaling law is fitted without %s, where too much fails to measure it.", failing)
	}
	a.doubtBase(say)
	if a.Best != nil && a.better(&a.levels[*a.Peak], &a.levels[*a.Best]) && a.levels[*a.Peak].fails() {
		v := &a.levels[*a.Peak]
		say("The best figure is that of %s, where %s.", a.name(v), failure(v))
	}
	return list
}

// tooEfficient is the efficiency above which the base of the prediction is in doubt.
const tooEfficient = 1.03

// doubtBase tells of a level that does better than the prediction by more than runs are expected to differ.
func (a *analysis) doubtBase(say func(string, ...any)) {
	most := -1
	for i := range a.levels {
		if e := a.levels[i].Efficiency; a.levels[i].usable && e != nil && *e > tooEfficient &&
			(most < 0 || *e > *a.levels[most].Efficiency) {
			most = i
		}
	}
	if most < 0 || a.Base == nil {
		return
	}
	base := &a.levels[a.Base.Level]
	known := "measured once"
	if len(base.Interval) == 2 {
		known = "known to ± " + units.Percent3((base.Interval[1]-*base.Throughput) / *base.Throughput)
	}
	say("The efficiency of %s is %s: either clients help each other, or W₁, which comes from %s and is %s, is too "+
		"long, and every efficiency too high. Measure that level again, longer or more often.", a.name(&a.levels[most]),
		units.Percent3(*a.levels[most].Efficiency), a.name(base), known)
}

// doubtRuns tells of runs that are missing, not repeated or not to be believed.
func (a *analysis) doubtRuns(say func(string, ...any)) {
	planned := a.Repeats
	for _, x := range a.axes {
		planned *= len(x.Values)
	}
	if missing := planned - len(a.Rows); missing > 0 {
		say("%d of %d runs are missing.", missing, planned)
	}
	if a.noise.freedom == 0 {
		say("No level was measured twice: nobody can tell by how much runs differ, and what less than %s of a difference "+
			"means. Repeat each level, three times or more.", units.Percent3(1-withoutRepeats))
	}
	for i := range a.levels {
		v := &a.levels[i]
		if bad := len(v.rows) - len(v.used); bad > 0 {
			say("%s: %d of %d runs are invalid and in no mean: %s", units.Capital(a.name(v)), bad, len(v.rows),
				reason(v.rows, rundoc.Invalid))
		} else if v.Validity == string(rundoc.Invalid) {
			say("%s: no run is valid, so that it is held against no other level: %s", units.Capital(a.name(v)),
				reason(v.rows, rundoc.Invalid))
		}
	}
}

// doubtLevels tells of suspect levels: each that counts for the answer with the first reason, the others by name.
func (a *analysis) doubtLevels(say func(string, ...any)) {
	var others []string
	for i := range a.levels {
		v := &a.levels[i]
		switch {
		case v.Validity != string(rundoc.Suspect):
		case a.Best != nil && *a.Best == i || a.Peak != nil && *a.Peak == i || a.Base != nil && a.Base.Level == i:
			say("%s is suspect: %s", units.Capital(a.name(v)), reason(v.rows, rundoc.Suspect))
		default:
			others = append(others, a.name(v))
		}
	}
	if len(others) > 0 {
		say("Other levels are suspect, as the verdicts of their runs say: %s.", strings.Join(others, "; "))
	}
}

// reason is the first that a run of this verdict gives.
func reason(rows []setdoc.Row, validity rundoc.Validity) string {
	for _, r := range rows {
		if r.Validity == string(validity) && len(r.Reasons) > 0 {
			return units.Clean(r.Reasons[0])
		}
	}
	return "its verdict gives no reason."
}
