package sets

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/contrast"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// contrastView is a set that was made to compare two sides.
type contrastView struct {
	*View
	of *setdoc.Comparison
}

type contrasted = *setdoc.Contrast

func (v contrastView) rows() []contrasted {
	list := make([]contrasted, len(v.of.Rows))
	for i := range list {
		list[i] = &v.of.Rows[i]
	}
	return list
}

func (v contrastView) title() string {
	parts := []string{"Plimsoll compare", units.Clean(v.of.Workload)}
	if a, b := v.target(0), v.target(1); a != "" && a == b {
		parts = append(parts, a)
	}
	return strings.Join(parts, " · ")
}

func (v contrastView) target(side int) string { return units.Clean(v.of.Sides[side].Target) }

// Subtitle says how it was made.
func (v contrastView) Subtitle() string {
	parts := []string{units.Count(int64(len(v.of.Launches)), "launch", "launches") + " of both sides", v.wayText()}
	if v.Set.Interrupted {
		parts = append(parts, "interrupted")
	}
	return strings.Join(append(parts, units.UTC(v.Set.Started)), " · ")
}

func (v contrastView) wayText() string {
	switch v.of.Way {
	case setdoc.BySlices:
		return "in alternating slices"
	case setdoc.ByRuns:
		return "one whole run after the other"
	case setdoc.AtOnce:
		return "both at the same time"
	}
	return units.Clean(v.of.Way)
}

// Lead returns the table of the rows.
func (v contrastView) Lead(most int) report.Table {
	return report.First(v.rows(), max(most, 3),
		report.Left("", v.figureName).More(),
		report.Right("change", changeOf),
		report.Left("", briefly),
		report.Right("95% CI", intervalOf),
		report.Right("A", func(r contrasted) string { return v.value(r, r.A) }),
		report.Right("B", func(r contrasted) string { return v.value(r, r.B) }),
		report.Right("smallest detectable", smallestOf))
}

// Answer is what was found, and of what.
func (v contrastView) Answer() []report.Fact {
	var facts []report.Fact
	for side := range v.of.Sides {
		facts = append(facts, report.Fact{Key: "AB"[side : side+1], Value: units.Clean(v.of.Sides[side].Name)})
	}
	return append(facts, v.launches(), v.missed(), v.made(), v.verdict(), v.doubts())
}

func (v contrastView) launches() report.Fact {
	f := report.Fact{Key: "Launches"}
	made, good := len(v.of.Launches), counted(v.of)
	parts := []string{fmt.Sprintf("%s of %s used", units.Number(int64(v.of.Judged)), units.Number(int64(made)))}
	if limit := units.Percent3(v.of.BusyLimit) + " of the CPUs"; v.of.Dropped > 0 {
		parts = append(parts, units.Number(int64(v.of.Dropped))+" dropped because other programs used more than "+limit)
	} else if v.of.BusyLimit >= 1 {
		parts = append(parts, "none dropped")
	} else if v.of.BusyLimit > 0 {
		parts = append(parts, "none dropped")
	}
	if lost := made - good - v.of.Dropped; lost > 0 {
		parts = append(parts, units.Number(int64(lost))+" discarded because of errors")
	}
	f.Value = strings.Join(parts, " · ")
	if v.of.Decided != "" {
		f.Points = []string{units.Clean(v.of.Decided)}
	}
	return f
}

// interleaving describes how the sides alternated, and how much their ratio varies from one round to the next.
func (v contrastView) interleaving() string {
	var parts []string
	var least, most int64
	var slicesOf int
	for i := range v.of.Launches {
		l := &v.of.Launches[i]
		if l.SliceNS > 0 {
			least = min(cmp.Or(least, l.SliceNS), l.SliceNS)
		}
		most, slicesOf = max(most, l.SliceNS), max(slicesOf, l.Slices)
	}
	switch {
	case most == 0:
		parts = append(parts, v.wayText())
	case least == most:
		parts = append(parts, fmt.Sprintf("slices of %s, up to %s per side and launch", units.Length(most),
			units.Number(int64(slicesOf))))
	default:
		parts = append(parts, fmt.Sprintf("slices of %s to %s, up to %s per side and launch", units.Length(least),
			units.Length(most), units.Number(int64(slicesOf))))
	}
	if r := v.of.Rounds; r != nil && r.Count > 0 {
		parts = append(parts, fmt.Sprintf("standard deviation of the ratio over %s: %s", units.Length(r.LengthNS),
			units.Percent(r.Stddev)))
	}
	parts = append(parts, "random order (--seed "+strconv.FormatUint(v.of.Seed, 10)+")")
	return "Alternation: " + strings.Join(parts, "; ") + "."
}

// queuesAreCut reports whether a queue ends with its slice: the schedule pauses while a slice drains.
func (v contrastView) queuesAreCut() bool {
	side := rundoc.Run{Plan: v.of.Sides[0].Plan}
	return v.of.Way == setdoc.BySlices && side.OpenModel()
}

// doubts returns the notes, after the reasons why metrics have no result.
func (v contrastView) doubts() report.Fact {
	f := report.Fact{Key: "Note"}
	if v.of.Rules != contrast.Rules {
		f.Points = append(f.Points, fmt.Sprintf("Analyzed by another version of Plimsoll (rules %d, this version has "+
			"%d): shown as saved, without checking it against the launches.", v.of.Rules, contrast.Rules))
	}
	names, reasons := map[string][]string{}, []string(nil)
	for _, r := range v.rows() {
		why := units.Clean(r.Absent)
		if r.Outcome != setdoc.Unknown || why == "" || r.Absent == setdoc.NoneOnEither || counted(v.of) < contrast.Least {
			continue
		}
		if names[why] == nil {
			reasons = append(reasons, why)
		}
		names[why] = append(names[why], v.figureName(r))
	}
	for _, why := range reasons {
		f.Points = append(f.Points, strings.Join(names[why], ", ")+": "+why)
	}
	if v.queuesAreCut() {
		f.Points = append(f.Points, "Each slice starts without a queue, so a queue that grows for longer than a slice is "+
			"not "+
			"detected. Use --interleave runs to detect it.")
	}
	for _, d := range v.of.Doubts {
		f.Points = append(f.Points, units.Clean(d))
	}
	return f
}

// Sections are the parts after the answer.
func (v contrastView) Sections() []report.Section {
	return []report.Section{v.tests(), v.unlike(), v.launchTable(), v.errors(), v.thresholds(), v.sides(), v.files()}
}

// tests lists the results of the statistical tests.
func (v contrastView) tests() report.Section {
	s := report.Section{Title: "Statistical tests", Tables: []report.Table{report.TableOf(v.rows(),
		report.Left("metric", v.figureName),
		report.Right("launches", func(r contrasted) string { return units.Number(int64(r.Launches)) }),
		report.Right("p (trimmed t)", func(r contrasted) string { return probability(r.P) }),
		report.Right("p (Holm)", func(r contrasted) string { return probability(r.Adjusted) }),
		report.Right("p (sign flip)", func(r contrasted) string { return probability(r.SignFlip) }),
		report.Left("outcome", outcomeOf),
		report.Left("", func(r contrasted) string {
			if r.Absent == setdoc.NoneOnEither || counted(v.of) < contrast.Least { // which the answer says
				return ""
			}
			return units.Clean(r.Absent)
		}))}}
	if len(v.of.Looks) > 0 && len(v.of.Looks) == len(v.of.Alphas) {
		var looks []string
		for i, n := range v.of.Looks {
			looks = append(looks, fmt.Sprintf("%s launches (%s)", units.Number(int64(n)),
				strconv.FormatFloat(v.of.Alphas[i], 'g', 3, 64)))
		}
		s.Notes = append(s.Notes, "Interim analyses after "+strings.Join(looks,
			", ")+"; in parentheses the significance level for all "+
			"metrics together.")
	}
	s.Notes = append(s.Notes, v.interleaving(), "Smallest detectable: the smallest change found with a probability of "+
		"90%. A and B: geometric means without the most extreme fifth of the launches at each end. 95% CI: confidence "+
		"interval of the change, valid for all metrics together.")
	return s
}

func probability(p *float64) string {
	switch {
	case p == nil:
		return units.Dash
	case *p < 0.0005:
		return "< 0.0005"
	}
	return strconv.FormatFloat(*p, 'f', 3, 64)
}

// unlike lists the settings in which the sides differ.
func (v contrastView) unlike() report.Section {
	type row = report.Difference
	return report.Section{Title: "Different settings", Tables: []report.Table{report.TableOf(
		report.Differences(v.of.Sides[0].Plan, v.of.Sides[1].Plan, "output"),
		report.Left("setting", func(d row) string { return d.Name }),
		report.Left("A", func(d row) string { return orDash(d.A) }),
		report.Left("B", func(d row) string { return orDash(d.B) }))}}
}

// launchTable lists the launches with the first metrics.
func (v contrastView) launchTable() report.Section {
	type launch struct {
		*setdoc.Launch
		at int
	}
	list := make([]launch, len(v.of.Launches))
	var slicedAny, known bool
	for i := range list {
		list[i] = launch{&v.of.Launches[i], i + 1}
		slicedAny, known = slicedAny || list[i].SliceNS > 0, known || list[i].Others != nil
	}
	columns := []report.Column[launch]{
		report.Right("", func(l launch) string { return strconv.Itoa(l.at) }),
		report.Left("first", func(l launch) string { return "AB"[l.First : l.First+1] }),
	}
	for i := range min(2, len(v.of.Figures)) {
		for side := range 2 {
			columns = append(columns, report.Right(units.Clean(v.of.Figures[i].Name)+" "+"AB"[side:side+1],
				func(l launch) string {
					if i >= len(l.Values[side]) || l.Values[side][i].Value == nil {
						return units.Dash
					}
					return shortly(v.of.Figures[i].Figure, *l.Values[side][i].Value)
				}))
		}
	}
	if slicedAny {
		columns = append(columns, report.Right("slice", func(l launch) string { return units.Length(l.SliceNS) }))
	}
	if known {
		columns = append(columns, report.Right("other CPU", func(l launch) string { return share(l.Others) }))
	}
	columns = append(columns, report.Left("", func(l launch) string {
		switch {
		case l.Lost != "":
			return "discarded: " + units.Shorten(units.Clean(l.Lost), 60)
		case l.Dropped:
			return "dropped"
		}
		return ""
	}))
	s := report.Section{Title: "Launches", Tables: []report.Table{report.TableOf(list, columns...)}}
	if v.Name != "" && slices.ContainsFunc(v.members(), func(m member) bool { return m.Path != "" }) {
		s.Notes = []string{"'plimsoll report " + units.ShellWord(v.Name) + "/N' shows run N; each launch has two runs."}
	}
	return s
}

// sides lists the commands, and the plan of A.
func (v contrastView) sides() report.Section {
	s := report.PlanOf(v.of.Sides[0].Plan, report.PlanShape{})
	s.Title = "Plan of A"
	var t report.Pairs
	for side := range v.of.Sides {
		if command := units.Clean(v.of.Sides[side].Command); command != "" {
			t.Add("AB"[side:side+1], command)
		}
	}
	if table := t.Table(); !table.Empty() {
		s.Tables = append([]report.Table{table}, s.Tables...)
	}
	return s
}

func (v contrastView) figureName(r contrasted) string {
	return units.Clean(v.of.Figures[r.Figure].Name)
}

// value is a figure of a side.
func (v contrastView) value(r contrasted, x *float64) string {
	if x == nil || math.IsNaN(*x) {
		return units.Dash
	}
	return shortly(v.of.Figures[r.Figure].Figure, *x)
}

// shortly is a figure with no more of its unit than tells it from others.
func shortly(f setdoc.Figure, x float64) string {
	switch figure.Unit(f.Unit) {
	case figure.Share:
		return units.Percent3(x)
	case figure.PerSecond:
		return units.PerSecond(x) + "/s"
	}
	return figureText(f, x)
}

// changeOf formats the change from A to B: "+7.2%".
func changeOf(r contrasted) string {
	if r.Ratio == nil {
		return units.Dash
	}
	return changeTo(*r.Ratio)
}

// changeTo is a ratio as a change: "+7.2%", "×22.3".
func changeTo(ratio float64) string {
	const times, most, least = 10, 1000, 0.001
	switch {
	case !(ratio > 0):
		return units.Dash
	case ratio > most:
		return "> ×1,000"
	case ratio < least:
		return "< −99.9%"
	case ratio >= times:
		return "×" + strconv.FormatFloat(ratio, 'g', 3, 64)
	}
	return signed(ratio - 1)
}

// intervalOf formats the interval of the change: "+4.1% to +10.6%". It is omitted if there are too few launches for a
// test.
func intervalOf(r contrasted) string {
	if r.Low == nil || r.High == nil || r.Launches < contrast.Least {
		return units.Dash
	}
	low, high := changeTo(*r.Low), changeTo(*r.High)
	if low == high {
		return low
	}
	return low + " to " + high
}

func outcomeOf(r contrasted) string {
	switch {
	case r.Outcome == "":
		return units.Dash
	case r.Absent == setdoc.NoneOnEither:
		return "zero on both sides"
	case r.Outcome == setdoc.NoneShown:
		return "not significant"
	case r.Outcome == setdoc.NotJudged:
		return "not tested"
	case r.Outcome == setdoc.Unknown:
		return "no result"
	}
	return units.Clean(r.Outcome)
}

// briefly is the outcome, for a table with little room.
func briefly(r contrasted) string {
	if r.Absent == setdoc.NoneOnEither {
		return "both zero"
	}
	return outcomeOf(r)
}

// smallestOf formats the smallest detectable change.
func smallestOf(r contrasted) string {
	if r.Smallest == nil || r.Outcome != setdoc.NoneShown {
		return units.Dash
	}
	return units.Percent(*r.Smallest)
}

// contrastCSV are the columns of the rows of a comparison.
func contrastCSV(v contrastView) []report.Column[contrasted] {
	figure := func(head string, text func(*setdoc.Compared) string) report.Column[contrasted] {
		return report.Left(head, func(r contrasted) string { return text(&v.of.Figures[r.Figure]) })
	}
	number := func(head string, x func(contrasted) *float64) report.Column[contrasted] {
		return report.Left(head, func(r contrasted) string { return csvNumber(x(r)) })
	}
	return []report.Column[contrasted]{
		figure("figure", func(f *setdoc.Compared) string { return f.Name }),
		figure("unit", func(f *setdoc.Compared) string { return f.Unit }),
		figure("less_is_better", func(f *setdoc.Compared) string { return strconv.FormatBool(f.Less) }),
		report.Left("launches", func(r contrasted) string { return strconv.Itoa(r.Launches) }),
		number("a", func(r contrasted) *float64 { return r.A }), number("b", func(r contrasted) *float64 { return r.B }),
		number("ratio", func(r contrasted) *float64 { return r.Ratio }),
		number("ratio_low", func(r contrasted) *float64 { return r.Low }),
		number("ratio_high", func(r contrasted) *float64 { return r.High }),
		number("p", func(r contrasted) *float64 { return r.P }),
		number("holm_p", func(r contrasted) *float64 { return r.Adjusted }),
		number("sign_flip_p", func(r contrasted) *float64 { return r.SignFlip }),
		number("smallest", func(r contrasted) *float64 { return r.Smallest }),
		report.Left("outcome", func(r contrasted) string { return r.Outcome }),
		report.Left("absent", func(r contrasted) string { return r.Absent }),
	}
}

// next is the command to try next.
func (v contrastView) next() string {
	if v.Name == "" || v.hasChart() || len(v.of.Rows) == 0 {
		return ""
	}
	return "plimsoll report " + units.ShellWord(v.Name) + " --format markdown"
}
