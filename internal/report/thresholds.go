package report

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// goals is the report of a run that had to reach something: with a line in its answer, and a section.
type goals struct {
	Shown
	threshold.Reading
	others  bool   // operations were unsent or unfinished
	aborted string // the one that ended the run, or ""
	invalid bool
}

// withGoals is a report with what became of the run's thresholds, if it had any. They are judged again.
func withGoals(v *View, shown Shown) Shown {
	if len(v.Run.Thresholds) == 0 && v.Run.Aborted == "" {
		return shown
	}
	others := v.Total.Unsent+v.Total.Unfinished > 0
	return &goals{shown, threshold.Reread(v.Run, v.kind.Known(v.Run.Workload)), others,
		v.Run.Aborted, v.Run.Verdict.Validity == rundoc.Invalid}
}

// Answer has the thresholds before the verdict: whether that is to be believed comes last.
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
		f.Value, f.Tone = f.Value+" · in a run that cannot be trusted", max(f.Tone, Doubtful)
	}
	if g.Edited != "" {
		f.Tone, f.Points = Bad, []string{g.Edited}
	}
	return f
}

// Sections have the one of the thresholds first.
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
		columns = append(columns, Right("free", free))
	}
	columns = append(columns, Right("limit", func(t rundoc.Threshold) string {
		_, limit, _ := threshold.Values(&t)
		return limit
	}), Left("", func(t rundoc.Threshold) string { return resultWords(&t, g.aborted) }))
	s := Section{Title: "Thresholds", Tables: []Table{TableOf(g.All, columns...)}}
	return g.explained(s)
}

// explained is the section with why what cannot be told cannot, and what must be known of the others.
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
		s.Notes = append(s.Notes, "failed: everything that was scheduled and did not end ok, unsent and unfinished "+
			"operations among it.")
	}
	if len(g.Foreign) > 0 {
		s.Notes = append(s.Notes, "This program cannot read and shows as it stands in the document: "+
			units.FirstOf(g.Foreign, 5)+".")
	}
	if g.Edited != "" {
		s.Notes = append(s.Notes, g.Edited)
	}
	return s
}

// resultWords are what became of a goal of a run that the goal aborted ended.
func resultWords(t *rundoc.Threshold, aborted string) string {
	switch threshold.In(t, aborted) {
	case threshold.Met:
		return "met"
	case threshold.Missed:
		return "MISSED"
	case threshold.Then:
		return "MISSED then, which ended the run"
	}
	return "cannot be told"
}

func orDash(s string) string {
	if s == "" {
		return units.Dash
	}
	return s
}

// awaited is the report of a run that went on until a figure was known: with that before all else.
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

// Answer has what was asked for first.
func (a *awaited) Answer() []Fact { return append([]Fact{a.fact}, a.Shown.Answer()...) }

// untilFact is the figure that a run went on for, with its interval, or why it is not known.
func untilFact(u *rundoc.Until, window int64) Fact {
	f := Fact{Key: "Until", Strong: true, Tone: Good}
	name, asked := units.Clean(u.Figure), "±"+units.Percent(u.Within)
	switch {
	case !u.Known:
		f.Value, f.Tone = name+" is not known to "+asked+": "+units.Clean(u.Why), Doubtful
		if u.TakesNS > 0 {
			f.Points = append(f.Points, "It would take a window of about "+units.Length(u.TakesNS)+".")
		}
	case u.Value != nil:
		f.Value = name + " is known to " + asked
	}
	if u.Value != nil && u.Low != nil && u.High != nil {
		text := figure.Unit(u.Unit).Text
		f.Points = append(f.Points, name+" is "+text(*u.Value)+", and 95% of such intervals hold what it would come to: "+
			text(*u.Low)+" to "+text(*u.High)+", within this run; wider than one of a run that nobody looks at until it is "+
			"narrow. Another run differs by more: see --launches.")
	}
	if u.MostNS > 0 {
		f.Points = append(f.Points, "The window was "+units.Length(window)+", of at most "+units.Length(u.MostNS)+
			" (--until-most).")
	}
	if u.WarmupNS > 0 {
		word := "steady after "
		if u.WarmupNotSteady {
			word = "not steady, and ended after "
		}
		f.Points = append(f.Points, "The warm-up was "+word+units.Length(u.WarmupNS)+".")
	}
	return f
}
