package sweep

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// name returns the name of a level: "clients 8", or "clients 8, policy prefetch".
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
	return "the only setting"
}

// amount formats a throughput with its unit.
func (a *analysis) amount(v float64) string { return figure.Unit(a.Figure.Unit).Text(v) }

// recommended describes the best setting and the reason in a sentence.
func (a *analysis) recommended() string {
	if a.Best == nil {
		if a.Peak == nil {
			return ""
		}
		return "None of these: at the setting with the best result, " + a.name(&a.levels[*a.Peak]) + ", " +
			failure(&a.levels[*a.Peak]) + ", and the other settings are no better."
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
		return fmt.Sprintf("%s. Higher settings are worse: %s at %s, %s less than at %s.", what, a.amount(*last.Throughput),
			a.name(last), units.Percent3(1 - *last.Throughput / *a.levels[*a.Peak].Throughput), a.name(&a.levels[*a.Peak]))
	}
	last := lastUsable(beyond)
	if *last.Throughput < asGood**v.Throughput { // much less, in runs that differ as much
		return fmt.Sprintf("%s, not significantly below the maximum. Higher settings do not differ significantly: %s at %s.",
			what, a.amount(*last.Throughput), a.name(last))
	}
	return fmt.Sprintf("%s, as good as the maximum. Higher settings bring no more: %s at %s.", what,
		a.amount(*last.Throughput), a.name(last))
}

// asGoodAs says of the largest size that goes as well as any what is the most, where that is less to do; else "".
func (a *analysis) asGoodAs() string {
	if !a.sized() || *a.Peak >= *a.Best {
		return ""
	}
	peak := &a.levels[*a.Peak]
	return ", as good as the " + a.amount(*peak.Throughput) + " at " + a.name(peak)
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
		return more + fmt.Sprintf(". Whether a higher setting is better is unknown: the runs at the %s above it are invalid.",
			units.Count(int64(beyond), "setting", "settings"))
	}
	if a.sized() {
		return more + ". It is the largest setting measured: larger ones may work as well."
	}
	return more + ". It is the highest setting measured: a higher one may be better."
}

// failure describes what fails at a level, with the most frequent cause.
func failure(v *level) string {
	why := ""
	if len(v.Causes) > 0 {
		why = ", mostly with " + units.Clean(v.Causes[0].Cause)
	}
	switch {
	case v.Lost > 0:
		return fmt.Sprintf("%d of %d runs produced no result", v.Lost, v.Runs)
	case v.connectsFail():
		return units.Percent3(float64(v.NotOpened)/(float64(v.Opened)+float64(v.NotOpened))) +
			" of the connection attempts failed" + why
	case v.lags && v.FailedShare <= maxFailed:
		return "only " + units.PerSecond(*v.Throughput) + "/s of the offered " + units.PerSecond(*v.OfferedPerS) +
			"/s completed"
	}
	return units.Percent3(v.FailedShare) + " of the operations failed" + why
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
		return ", the only usable setting."
	case a.noise.freedom > 0 && !a.noise.apart(best, next, len(a.levels)-1):
		return fmt.Sprintf(", the best, but not significantly: %s has %s.", a.name(next), a.amount(*next.Throughput))
	case a.timed():
		return fmt.Sprintf(", %s less than the next best, %s.", units.Percent3(1 - *best.Throughput / *next.Throughput),
			a.name(next))
	}
	more := *best.Throughput / *next.Throughput - 1
	return fmt.Sprintf(", %s more than the next best, %s.", units.Percent3(more), a.name(next))
}

// doubts returns what a reader should know before using the result.
func (a *analysis) doubts() (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	a.doubtRuns(say)
	a.doubtLevels(say)
	if a.ranked() && a.axes[0].Concurrency && a.open() {
		say("There is no prediction by Little's law: the load has a fixed rate, so %s is only an upper limit.",
			a.axes[0].Setting)
	}
	if b := a.Base; b != nil && !b.Single {
		lacks, level, hint := "was not measured", "the lowest setting", " Add the value 1."
		if b.Level > 0 {
			lacks, level, hint = "was not measured or failed too often", "the lowest setting that does not fail", ""
		}
		say("A single client with one operation at a time %s: prediction and efficiency are relative to %s, %s.%s", lacks,
			a.name(&a.levels[b.Level]), level, hint)
	}
	if failing := a.failing(); failing != "" && a.Scaling.Lambda != nil {
		say("The scaling law is fitted without %s, where too many operations fail.", failing)
	}
	a.doubtBase(say)
	if a.Best != nil && a.better(&a.levels[*a.Peak], &a.levels[*a.Best]) && a.levels[*a.Peak].fails() {
		v := &a.levels[*a.Peak]
		say("The best result is at %s, where %s.", a.name(v), failure(v))
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
		known = "known to within " + units.Percent3((base.Interval[1]-*base.Throughput) / *base.Throughput)
	}
	say("The efficiency of %s is %s. Either clients help each other (a shared cache, batching), or W₁ (from %s, %s) "+
		"is too "+
		"high and so is every efficiency. Measure that setting longer or more often.", a.name(&a.levels[most]),
		units.Percent3(*a.levels[most].Efficiency), a.name(base), known)
}

// doubtRuns tells of runs that are missing, not repeated or not to be believed.
func (a *analysis) doubtRuns(say func(string, ...any)) {
	planned := a.Repeats
	for _, x := range a.axes {
		planned *= len(x.Values)
	}
	if missing := planned - len(a.Rows); missing > 0 {
		say("%d of %d planned runs are missing.", missing, planned)
	}
	if a.noise.freedom == 0 {
		say("No setting was measured twice, so the variation between runs is unknown: do not trust differences below %s. "+
			"Set --repeat to 3 or more.", units.Percent3(1-withoutRepeats))
	}
	for i := range a.levels {
		v := &a.levels[i]
		if bad := len(v.rows) - len(v.used); bad > 0 {
			say("%s: %d of %d runs are invalid and excluded from the mean: %s", units.Capital(a.name(v)), bad, len(v.rows),
				reason(v.rows, rundoc.Invalid))
		} else if v.Validity == string(rundoc.Invalid) {
			say("%s: every run is invalid, so this setting is not compared with others: %s", units.Capital(a.name(v)),
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
		say("Other suspect settings (see the verdicts of their runs): %s.", strings.Join(others, "; "))
	}
}

// reason is the first that a run of this verdict gives.
func reason(rows []setdoc.Row, validity rundoc.Validity) string {
	for _, r := range rows {
		if r.Validity == string(validity) && len(r.Reasons) > 0 {
			return units.Clean(r.Reasons[0])
		}
	}
	return "the verdict gives no reason."
}
