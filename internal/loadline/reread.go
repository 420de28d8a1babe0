package loadline

import (
	"fmt"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// stray is the share of the probes that met the SLO which may have a graver verdict than the set has: of many short
// ones some are suspect wherever a machine does anything else.
const stray = 0.2

// Verdict returns the worst verdict that more than a fifth of the probes that met the SLO have. Failed probes are meant
// to be beyond what the target can do, and forgotten ones describe an earlier state of it. If no probe met the SLO, all
// count. A search that did not reach its end is at best suspect, with the cause as its first reason.
func Verdict(set *setdoc.Set) rundoc.Verdict {
	v := verdictOfProbes(set)
	if l := set.Loadline; l != nil && l.Why != "" && v.Validity != "" && !ended(l) {
		v.Reasons = slices.Insert(v.Reasons, 0, l.Why)
		if v.Validity != rundoc.Invalid {
			v.Validity = rundoc.Suspect
		}
	}
	return v
}

// ended reports whether the search found what it was asked for: a load line that is precise enough, or that there is
// none between the lowest and the highest load.
func ended(l *setdoc.Loadline) bool {
	return l.Ending == setdoc.LineFound || l.Ending == setdoc.LineBelow || l.Ending == setdoc.LineAbove
}

func verdictOfProbes(set *setdoc.Set) rundoc.Verdict {
	met := map[string]bool{}
	if set.Loadline != nil {
		for _, p := range Counted(set.Loadline) {
			if p.Result == setdoc.ProbeMet {
				met[p.Member] = true
			}
		}
	}
	what, all, count := "probes", 0, map[rundoc.Validity]int{}
	if len(met) > 0 {
		what = "probes that met the SLO"
	}
	for i := range set.Members {
		if m := &set.Members[i]; m.Verdict.Validity != "" && (len(met) == 0 || met[m.ID]) {
			all++
			count[m.Verdict.Validity]++
		}
	}
	v, graver := rundoc.Verdict{}, 0
	for _, validity := range []rundoc.Validity{rundoc.Invalid, rundoc.Suspect, rundoc.Seen, rundoc.Valid} {
		n := count[validity]
		if graver += n; n > 0 && validity != rundoc.Valid {
			v.Reasons = append(v.Reasons, fmt.Sprintf("%d of %d %s %s %s.", n, all, what, are(n), validity))
		}
		if v.Validity == "" && float64(graver) > stray*float64(all) {
			v.Validity = validity
		}
	}
	return v
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// exact is by how much figures may differ that follow by a formula, in their last digits on another kind of processor.
const exact = 1e-6

// Reread says where a set that was read has a verdict that is not that of its probes, where its load line does not
// follow from them, and where these are not of its members; nil where all is as it has to be. Sentences are not
// compared, and neither is a load line that was found by other rules.
func Reread(set *setdoc.Set) []string {
	l := set.Loadline
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if set.Kind != setdoc.KindLoadline {
		say("its kind is %.40q, but it contains a load line", set.Kind)
	}
	members := map[string]bool{}
	for i := range set.Members {
		members[set.Members[i].ID] = true
	}
	for i := range l.Probes {
		if p := &l.Probes[i]; !members[p.Member] || p.Member == "" {
			say("probe %d belongs to a run that is not in the set", i+1)
		}
	}
	if l.Rules != Rules {
		return wrong
	}
	if made := Verdict(set); set.Verdict.Validity != made.Validity {
		say("the verdict is %.40q, but its probes give %.40q", set.Verdict.Validity, made.Validity)
	}
	again := Analyze(l)
	for _, c := range []struct {
		what string
		same bool
	}{
		{"the load line", near(l.Load, again.Load)},
		{"its interval", slices.EqualFunc(l.Range, again.Range, alike)},
		{"its spread", near(l.Spread, again.Spread)},
		{"the ending of the search", l.Ending == again.Ending},
		{"the drift", slices.Equal(l.Drift, again.Drift)},
		{"the list of limits", slices.Equal(l.Limits, again.Limits)},
	} {
		if !c.same {
			say("%s does not follow from the probes", c.what)
		}
	}
	return wrong
}

func near(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return alike(*a, *b)
}

func alike(a, b float64) bool { return math.Abs(a-b) <= exact*max(math.Abs(a), math.Abs(b)) }

// RereadMember says where what a set has of one of its probes is not what the document of that run says; nil where all
// is. known are the figures of its kind.
func RereadMember(set *setdoc.Set, m *setdoc.Member, run *rundoc.Run, known figure.Known) []string {
	switch {
	case run.ID != m.ID:
		return []string{fmt.Sprintf("%.80s is the document of another run, %.80q", m.Path, run.ID)}
	case run.Verdict.Validity != m.Verdict.Validity:
		return []string{fmt.Sprintf("%.80s is %.40s in its own document, but %.40s in the set", m.ID,
			run.Verdict.Validity, m.Verdict.Validity)}
	}
	l := set.Loadline
	i := slices.IndexFunc(l.Probes, func(p setdoc.Probe) bool { return p.Member == m.ID })
	goals, err := Goals(l.SLO, known)
	if i < 0 || l.Rules != Rules || err != nil { // it was cut short, or is of another program
		return nil
	}
	had, made := &l.Probes[i], ProbeOf(run, goals, l.Probes[i].Load)
	values := func(a, b setdoc.Known) bool { return near(a.Value, b.Value) }
	if had.Result != made.Result || had.Own != made.Own || !slices.Equal(had.Missed, made.Missed) ||
		!slices.EqualFunc(had.Values, made.Values, values) || !near(had.Rate, made.Rate) ||
		!near(had.SlotsUsed, made.SlotsUsed) || had.LengthNS != made.LengthNS {
		return []string{fmt.Sprintf("probe %d does not match the document of its run, %.80s", i+1, m.ID)}
	}
	return nil
}

// Goals are the goals of an SLO, read again.
func Goals(slo []setdoc.Goal, known figure.Known) ([]threshold.Threshold, error) {
	var goals []threshold.Threshold
	for _, g := range slo {
		goal, err := threshold.Parse(g.Expr, known)
		if err != nil {
			return nil, fmt.Errorf("%.80q: %w", units.Clean(g.Expr), err)
		}
		goals = append(goals, goal)
	}
	return goals, nil
}
