package junit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/contrast"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// OfSet is the report of a set: a suite of what its runs have in common, and one for each run. broken says what of the
// set does not follow from its own figures.
func OfSet(set *setdoc.Set, broken []string) *Report {
	own := Suite{Name: nameOfSet(set), Started: set.Started, Length: set.Ended.Sub(set.Started)}
	for _, p := range []Property{
		{"id", set.ID}, {"kind", set.Kind}, {"verdict", string(set.Verdict.Validity)}, {"version", set.Tool.Version},
	} {
		if p.Value = units.Clean(p.Value); p.Value != "" {
			own.Properties = append(own.Properties, p)
		}
	}
	if set.Verdict.Validity != "" {
		own.Cases = append(own.Cases, verdictCase(&set.Verdict))
	}
	own.Cases = append(own.Cases, setCases(set)...)
	if len(broken) > 0 {
		c := Case{Name: "document", Result: Errored, Message: "the document cannot be trusted: " + units.Clean(broken[0])}
		own.Cases = append(own.Cases, c)
	}
	r := &Report{Name: "plimsoll"}
	names := map[string]int{own.Name: 1}
	for i := range set.Members {
		s := memberSuite(set, &set.Members[i])
		if names[s.Name]++; names[s.Name] > 1 { // probes of one load, runs of one name
			s.Name += fmt.Sprintf(" (%d)", names[s.Name])
		}
		r.Suites = append(r.Suites, s)
	}
	own.Length -= r.length() // so that sums are right
	others := r.counts()
	n := own.counts()
	others.failed, others.errored = others.failed+n.failed, others.errored+n.errored
	end := ending(caseRun, fault.Code(set.Exit), units.Clean(set.Error), others)
	if fault.Code(set.Exit) == fault.RunFailed && others.errored > 0 {
		end.Result = Passed // what failed is an error already
	}
	own.Cases = slices.Insert(own.Cases, 0, end)
	r.Suites = slices.Insert(r.Suites, 0, own)
	return r
}

// nameOfSet is what a set is called: its kind, and that of its runs.
func nameOfSet(set *setdoc.Set) string {
	name := cmp.Or(units.Clean(set.Kind), "set")
	switch {
	case set.Sweep != nil:
		return name + " " + units.Clean(set.Sweep.Workload)
	case set.Comparison != nil:
		return name + " " + units.Clean(set.Comparison.Workload)
	case set.Loadline != nil:
		return name + " " + units.Clean(set.Loadline.Workload)
	case set.Launches != nil:
		return name + " " + units.Clean(set.Launches.Workload)
	}
	return name
}

// memberSuite is a run of a set, by what the set has of it.
func memberSuite(set *setdoc.Set, m *setdoc.Member) Suite {
	one := made{
		name: cmp.Or(m.Name, m.Workload, "run"), id: m.ID, workload: m.Workload, target: m.Target, tool: set.Tool.Version,
		started: m.Started, exit: fault.Code(m.Exit), said: m.Error, verdict: m.Verdict, goals: m.Thresholds,
		aborted: m.Aborted,
	}
	if set.Loadline != nil {
		i := slices.IndexFunc(set.Loadline.Probes, func(p setdoc.Probe) bool { return p.Member != "" && p.Member == m.ID })
		if i >= 0 {
			one.length = time.Duration(set.Loadline.Probes[i].LengthNS)
		}
	}
	return one.suite(func(name string) string { return uncounted(set, m, name) })
}

// uncounted says why a case of a member may be bad without the set being so; "": it counts.
func uncounted(set *setdoc.Set, m *setdoc.Member, name string) string {
	switch {
	case set.Loadline != nil && name != caseRun:
		return "not counted: probes may fail during a capacity search"
	case set.Comparison != nil && m.Verdict.Validity == rundoc.Invalid && set.Verdict.Validity != rundoc.Invalid &&
		fault.Code(m.Exit) != fault.Interrupted:
		return "not counted: too few runs to invalidate the comparison"
	}
	return ""
}

// setCases are what only this kind of set may have gone wrong in.
func setCases(set *setdoc.Set) []Case {
	switch {
	case set.Comparison != nil:
		return comparedCases(set)
	case set.Loadline != nil:
		return sloCases(set)
	case set.Launches != nil && set.Launches.Within > 0:
		return []Case{launchesCase(set.Launches)}
	}
	return nil
}

// comparedCases are a case for each row, that B is not worse in it; and where that was asked for, one that a change
// could have been seen.
func comparedCases(set *setdoc.Set) (cases []Case) {
	var asked setdoc.AskedOfComparison
	_ = json.Unmarshal(set.Plan, &asked) // a plan of another shape asks for nothing
	c := set.Comparison
	unseen := contrast.Inconclusive(c)
	for i := range c.Rows {
		row := &c.Rows[i]
		if row.Figure < 0 || row.Figure >= len(c.Figures) {
			continue
		}
		name := units.Clean(c.Figures[row.Figure].Name)
		cases = append(cases, rowCase(name, row, &c.Figures[row.Figure], asked.FailIf != ""))
		if asked.Conclusive && row.Outcome != setdoc.NotJudged {
			seen := Case{Name: name + ": a change of " + units.Percent(c.MinEffect) + " could have been seen"}
			if slices.Contains(unseen, i) {
				seen.Result, seen.Message = Errored, "it could not be detected: "+cmp.Or(units.Clean(row.Absent), smallest(row))
			}
			cases = append(cases, seen)
		}
	}
	return cases
}

// smallest is the change of a row that could have been seen.
func smallest(row *setdoc.Contrast) string {
	if row.Smallest == nil {
		return "the smallest detectable change is unknown"
	}
	return units.Percent(*row.Smallest) + " would have been detected"
}

// rowCase is whether B is worse in a figure. counts says that this is to fail.
func rowCase(name string, row *setdoc.Contrast, f *setdoc.Compared, counts bool) Case {
	c := Case{Name: name + ": B is not worse", Lines: []string{rowText(row, f)}}
	switch row.Outcome {
	case setdoc.Worse:
		c.Result, c.Message = Failed, name+" is "+c.Lines[0]
		if !counts {
			c.Result, c.Message = Skipped, "not counted without --fail-if worse: "+c.Message
		}
	case setdoc.Better, setdoc.NoneShown:
	case setdoc.NotJudged:
		c.Result, c.Message = Skipped, "informational only: "+c.Lines[0]
	default:
		c.Result, c.Message = Skipped, "inconclusive: "+cmp.Or(units.Clean(row.Absent), c.Lines[0])
	}
	return c
}

// rowText is a row in a line: both sides, and how far they are apart.
func rowText(row *setdoc.Contrast, f *setdoc.Compared) string {
	unit, text := figure.Unit(f.Unit), units.Clean(row.Outcome)
	if row.A != nil && row.B != nil {
		text += ": A " + unit.Text(*row.A) + ", B " + unit.Text(*row.B)
	}
	if row.Ratio != nil && row.Low != nil && row.High != nil {
		text += fmt.Sprintf(", B ÷ A %.3f (%.3f to %.3f)", *row.Ratio, *row.Low, *row.High)
	}
	return text
}

// sloCases are a case for each goal of the SLO: whether a load was found that meets it.
func sloCases(set *setdoc.Set) (cases []Case) {
	l := set.Loadline
	limits := func(g *setdoc.Goal) bool {
		return slices.ContainsFunc(l.Limits, func(of setdoc.Limit) bool { return of.By == g.Expr })
	}
	none := !slices.ContainsFunc(l.SLO, func(g setdoc.Goal) bool { return limits(&g) })
	for i := range l.SLO {
		g := &l.SLO[i]
		c := Case{Name: units.Clean(g.Expr), Lines: []string{lineText(l)}}
		switch exit := fault.Code(set.Exit); {
		case exit == fault.Missed && (none || limits(g)):
			c.Result, c.Message = Failed, "no load meets it: "+c.Lines[0]
		case exit != fault.OK && exit != fault.Missed:
			c.Result, c.Message = Errored, "cannot be evaluated: "+cmp.Or(units.Clean(set.Error), c.Lines[0])
		}
		cases = append(cases, c)
	}
	return cases
}

// lineText is what the search came to, in a line.
func lineText(l *setdoc.Loadline) string {
	text := units.Clean(l.Ending)
	if l.Load != nil {
		text = fmt.Sprintf("load line %.4g %s", *l.Load, units.Clean(l.Unit))
		if len(l.Range) == 2 {
			text += fmt.Sprintf(" (%.4g to %.4g)", l.Range[0], l.Range[1])
		}
	}
	if l.Why != "" {
		text += ": " + units.Clean(l.Why)
	}
	return text
}

// launchesCase is whether the figure of launches is known as well as was asked for.
func launchesCase(l *setdoc.Launches) Case {
	c := Case{Name: units.Clean(l.Figure.Name) + " is known to ±" + units.Percent(l.Within)}
	if !l.Known {
		c.Result, c.Message = Errored, "not reached: "+units.Clean(l.Why)
	}
	if l.Median != nil {
		unit := figure.Unit(l.Figure.Unit)
		text := "median " + unit.Text(*l.Median)
		if len(l.Range) == 2 {
			text += " (" + unit.Text(l.Range[0]) + " to " + unit.Text(l.Range[1]) + ")"
		}
		c.Lines = []string{text}
	}
	return c
}
