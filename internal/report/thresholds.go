package report

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// goals is the report of a run with thresholds. It adds a line to the answer, and a section.
type goals struct {
	Shown
	threshold.Reading
	others  bool   // operations were unsent or unfinished
	aborted string // the threshold that ended the run, or ""
	invalid bool
}

// withGoals adds the run's thresholds to a report, if there are any. They are evaluated again.
func withGoals(v *View, shown Shown) Shown {
	if len(v.Run.Thresholds) == 0 && v.Run.Aborted == "" {
		return shown
	}
	others := v.Total.Unsent+v.Total.Unfinished > 0
	return &goals{shown, threshold.Reread(v.Run, v.kind.Known(v.Run.Workload)), others,
		v.Run.Aborted, v.Run.Verdict.Validity == rundoc.Invalid}
}

// Answer inserts the thresholds before the verdict.
func (g *goals) Answer() []Fact {
	facts := g.Shown.Answer()
	at := slices.IndexFunc(facts, func(f Fact) bool { return f.Key == keyVerdict })
	return slices.Insert(facts, max(0, at), g.fact())
}

func (g *goals) fact() Fact {
	f := Fact{Key: keyGoals, Value: threshold.Answer(g.All, g.aborted), Strong: true, Tone: Good}
	for i := range g.All {
		switch threshold.In(&g.All[i], g.aborted) {
		case threshold.Missed, threshold.Then:
			f.Tone = Bad
		case threshold.Untold:
			f.Tone = max(f.Tone, Doubtful)
		}
	}
	if g.invalid {
		f.Value, f.Tone = f.Value+" · the run is INVALID", max(f.Tone, Doubtful)
	}
	if g.Edited != "" {
		f.Tone, f.Points = Bad, []string{g.Edited}
	}
	return f
}

// Sections inserts the section of the thresholds first.
func (g *goals) Sections() []Section { return append([]Section{g.section()}, g.Shown.Sections()...) }

func (g *goals) section() Section {
	value := func(t rundoc.Threshold) string {
		v, _, _ := threshold.Values(&t)
		return orDash(v)
	}
	free := func(t rundoc.Threshold) string {
		_, _, v := threshold.Values(&t)
		return orDash(v)
	}
	columns := []Column[rundoc.Threshold]{
		Left("threshold", func(t rundoc.Threshold) string { return units.Shorten(units.Clean(t.Expr), 60) }),
		Right("value", value),
	}
	if slices.ContainsFunc(g.All, func(t rundoc.Threshold) bool { return free(t) != units.Dash }) {
		columns = append(columns, Right("corrected", free))
	}
	columns = append(columns, Right("limit", func(t rundoc.Threshold) string {
		_, limit, _ := threshold.Values(&t)
		return limit
	}), Left("", func(t rundoc.Threshold) string { return resultWords(&t, g.aborted) }))
	s := Section{Title: "Thresholds", Tables: []Table{TableOf(g.All, columns...)}}
	return g.explained(s)
}

// explained adds notes to the section: why thresholds cannot be evaluated, and what "failed" counts.
func (g *goals) explained(s Section) Section {
	for i := range g.All {
		if t := &g.All[i]; threshold.Of(t) == threshold.Untold {
			s.Notes = append(s.Notes, threshold.Sentence(t)+".")
		}
	}
	counts := func(t rundoc.Threshold) bool {
		spec, err := figure.Parse(threshold.FigureOf(t.Expr), figure.Known{})
		return err == nil && spec.Name() == "failed"
	}
	if g.others && slices.ContainsFunc(g.All, counts) {
		s.Notes = append(s.Notes, "failed: all scheduled operations that did not end ok, including unsent and unfinished "+
			"ones.")
	}
	if len(g.Foreign) > 0 {
		s.Notes = append(s.Notes, "Unknown to this version of Plimsoll, shown as stored: "+units.FirstOf(g.Foreign, 5)+".")
	}
	if g.Edited != "" {
		s.Notes = append(s.Notes, g.Edited)
	}
	return s
}

// resultWords returns the result of a threshold in a run that the threshold aborted ended.
func resultWords(t *rundoc.Threshold, aborted string) string {
	switch threshold.In(t, aborted) {
	case threshold.Met:
		return "met"
	case threshold.Missed:
		return "MISSED"
	case threshold.Then:
		return "MISSED, ended the run"
	}
	return "cannot be evaluated"
}

func orDash(s string) string {
	if s == "" {
		return units.Dash
	}
	return s
}

// awaited is the report of a run with --until. It adds a line to the answer.
type awaited struct {
	Shown
	fact Fact
}

func withUntil(v *View, shown Shown) Shown {
	if v.Run.Until == nil {
		return shown
	}
	return &awaited{shown, untilFact(v.Run.Until, v.WindowNS)}
}

// Answer inserts the result of --until first.
func (a *awaited) Answer() []Fact { return append([]Fact{a.fact}, a.Shown.Answer()...) }

// untilFact returns the metric that --until waited for with its interval, or why it did not get precise enough.
func untilFact(u *rundoc.Until, window int64) Fact {
	f := Fact{Key: "Until", Strong: true, Tone: Good}
	name, precision := units.Clean(u.Figure), units.Percent(u.Within)
	if u.Value != nil && u.Low != nil && u.High != nil {
		text := figure.Unit(u.Unit).Text
		f.Value = name + " " + text(*u.Value) + " (95% CI " + text(*u.Low) + units.Dash + text(*u.High) + ")"
		f.Points = append(f.Points, "The interval allows for repeated checks, and is valid within this run. Use --repeat "+
			"to include the differences between runs.")
	}
	switch {
	case !u.Known:
		why := name + " did not reach the precision of " + precision + ": " + units.Clean(u.Why)
		if u.TakesNS > 0 {
			why += "; it needs a window of about " + units.Length(u.TakesNS) + " (--until-most)"
		}
		f.Tone = Doubtful
		if f.Value == "" {
			f.Value = why
		} else {
			f.Points = append([]string{why}, f.Points...)
		}
	case f.Value == "":
		f.Value = name + " reached the precision of " + precision
	default:
		f.Value += ", precision " + precision + " reached"
	}
	if u.MostNS > 0 {
		f.Points = append(f.Points, "window "+units.Length(window)+" of at most "+units.Length(u.MostNS)+" (--until-most)")
	}
	if u.WarmupNS > 0 {
		word := "steady after "
		if u.WarmupNotSteady {
			word = "not steady; stopped after "
		}
		f.Points = append(f.Points, "warm-up "+word+units.Length(u.WarmupNS))
	}
	return f
}
