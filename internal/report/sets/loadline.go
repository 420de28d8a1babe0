package sets

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/loadline"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// lineView is a set that was made in search of a load line.
type lineView struct {
	*View
	line *setdoc.Loadline
}

type probe struct {
	*setdoc.Probe
	at        int  // from 1 on
	invalid   bool // its run is: what it found is not to be used
	forgotten bool // the target has changed since, and the load line does not follow from it
}

func (v lineView) probes() []probe {
	invalid := map[string]bool{}
	for _, m := range v.members() {
		invalid[m.ID] = m.Verdict.Validity == rundoc.Invalid
	}
	list := make([]probe, len(v.line.Probes))
	forgotten := len(list) - len(loadline.Counted(v.line))
	for i := range list {
		p := &v.line.Probes[i]
		list[i] = probe{Probe: p, at: i + 1, invalid: invalid[p.Member], forgotten: i < forgotten}
	}
	return list
}

// counted are the probes that the load line follows from.
func (v lineView) counted() []probe {
	return slices.DeleteFunc(v.probes(), func(p probe) bool { return p.forgotten })
}

// result is what a probe found, and whether that can be used.
func (p probe) result() string {
	text := units.Clean(p.Result)
	if p.Result == setdoc.ProbeTellsNothing {
		text = "inconclusive"
	}
	if p.invalid {
		text += ", INVALID"
	}
	if p.forgotten {
		text += ", ignored"
	}
	return text
}

func (v lineView) title() string {
	parts := []string{"Plimsoll loadline", units.Clean(v.line.Workload), strings.Join(v.slo(), ", "),
		units.FirstOf(v.targets(), 2)}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " · ")
}

func (v lineView) slo() []string {
	var list []string
	for _, goal := range v.line.SLO {
		list = append(list, units.Clean(goal.Expr))
	}
	return list
}

// Subtitle says how the set was made.
func (v lineView) Subtitle() string {
	parts := []string{units.Count(int64(len(v.line.Probes)), "probe", "probes")}
	if lasts := v.lasts(); lasts != "" {
		parts = append(parts, lasts)
	}
	if v.Set.Interrupted {
		parts = append(parts, "interrupted")
	}
	return strings.Join(append(parts, units.UTC(v.Set.Started)), " · ")
}

// lasts is how long the probes lasted.
func (v lineView) lasts() string {
	var least, most int64
	for _, p := range v.line.Probes {
		if ns := p.LengthNS; ns > 0 {
			least, most = min(cmp.Or(least, ns), ns), max(most, ns)
		}
	}
	switch {
	case most == 0:
		return ""
	case units.Length(least) == units.Length(most):
		return units.Length(most)
	}
	return units.Length(least) + " to " + units.Length(most)
}

func (v lineView) amount(load float64) string { return loadline.Amount(v.line, load) }

// plain is a load without its unit.
func (v lineView) plain(load float64) string {
	l := *v.line
	l.Unit = ""
	return loadline.Amount(&l, load)
}

// made says which runs did not end as they should. That probes fail is what a search is made of.
func (v lineView) made() report.Fact {
	bad := 0
	for i := range v.Set.Members {
		if v.Set.Members[i].Exit != 0 {
			bad++
		}
	}
	if bad == 0 {
		return report.Fact{}
	}
	return report.Fact{Key: "Runs", Tone: report.Bad, Value: fmt.Sprintf("%d of %s ended with an error", bad,
		units.Count(int64(len(v.Set.Members)), "run", "runs"))}
}

// verdict is that of the probes on which the load line stands.
func (v lineView) verdict() report.Fact {
	f := v.View.verdict()
	if v.Set.Verdict.Validity == rundoc.Valid && len(v.Broken) == 0 {
		f.Value = "VALID: no problem detected in the probes that met the SLO"
		if len(v.Set.Verdict.Reasons) > 0 {
			f.Value = "VALID: only a few of the probes that met the SLO have problems"
		}
	}
	return f
}

// Lead is no table.
func (v lineView) Lead(int) report.Table { return report.Table{} }

// Answer is the load line and what limits it.
func (v lineView) Answer() []report.Fact {
	return []report.Fact{v.answer(), v.length(), v.limit(), v.counts(), v.made(), v.verdict(), v.doubts()}
}

func (v lineView) answer() report.Fact {
	f := report.Fact{Key: "Result", Strong: true, Value: units.Capital(v.found())}
	switch v.line.Ending {
	case setdoc.LineFound, setdoc.LineAbove:
	case setdoc.LineBelow:
		f.Tone = report.Bad
	default:
		f.Tone = report.Doubtful
	}
	if why := units.Clean(v.line.Why); why != "" && !slices.Contains(v.Set.Verdict.Reasons, v.line.Why) {
		f.Points = append(f.Points, why)
	}
	return f
}

// sloText returns the conditions of the SLO for a sentence: "p99<50ms and failed<0.1%".
func (v lineView) sloText() string {
	list := v.slo()
	if len(list) == 0 {
		return "the SLO"
	}
	last := len(list) - 1
	if last == 0 {
		return list[0]
	}
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

// found is the result in a sentence.
func (v lineView) found() string {
	l := v.line
	switch l.Ending {
	case setdoc.LineBelow:
		return "no load from " + v.amount(l.Lowest) + " up meets " + v.sloText()
	case setdoc.LineAbove:
		return "all loads up to " + v.amount(l.Highest) + " meet " + v.sloText()
	}
	switch {
	case l.Load == nil && len(v.met()) > 0:
		return "no result; the highest load that met " + v.sloText() + " was " + v.amount(slices.Max(v.met()))
	case l.Load == nil && len(v.missed()) > 0:
		return "no result; the lowest load that failed " + v.sloText() + " was " + v.amount(slices.Min(v.missed()))
	case l.Load == nil:
		return "no result"
	}
	text := "the highest load that meets " + v.sloText() + " is " + v.amount(*l.Load)
	if len(l.Range) == 2 {
		text += " (98% CI " + v.plain(l.Range[0]) + "–" + v.plain(l.Range[1]) + ")"
	}
	if l.Ending != setdoc.LineFound {
		text += ", less precise than requested"
	}
	return text
}

// met are the loads that met the SLO in a run whose figures can be used.
func (v lineView) met() (loads []float64) {
	for _, p := range v.counted() {
		if p.Result == setdoc.ProbeMet && !p.invalid {
			loads = append(loads, p.Load)
		}
	}
	return loads
}

// missed are the loads of the probes that failed.
func (v lineView) missed() (loads []float64) {
	for _, p := range v.counted() {
		if p.Result == setdoc.ProbeFailed {
			loads = append(loads, p.Load)
		}
	}
	return loads
}

// length is that of a probe at the load line: another one has another answer.
func (v lineView) length() report.Fact {
	f := report.Fact{Key: "SLO", Value: strings.Join(v.slo(), ", ")}
	at := v.nearest()
	if at == nil {
		return f
	}
	f.Value += ", in probes of " + units.Length(at.LengthNS)
	f.Points = []string{"Longer probes may give a lower result: they see more pauses, and queues have more time to grow."}
	return f
}

// nearest is the probe that is nearest to the load line.
func (v lineView) nearest() *setdoc.Probe {
	var best *setdoc.Probe
	if v.line.Load == nil {
		return nil
	}
	off := func(p *setdoc.Probe) float64 { return max(p.Load / *v.line.Load, *v.line.Load/p.Load) }
	for _, p := range v.counted() {
		if p.LengthNS > 0 && (best == nil || off(p.Probe) < off(best)) {
			best = p.Probe
		}
	}
	return best
}

// limit is what the probes above the load line failed by.
func (v lineView) limit() report.Fact {
	f := report.Fact{Key: "Limited by"}
	failed := len(v.missed())
	var parts []string
	for _, l := range v.line.Limits {
		parts = append(parts, fmt.Sprintf("%s in %d of %s", limitWords(l.By), l.Probes,
			units.Count(int64(failed), "failed probe", "failed probes")))
	}
	if len(parts) > 0 {
		f.Value, f.Points = parts[0], parts[1:]
	}
	for _, text := range []string{units.Clean(loadline.Crowded(v.line)), units.Clean(v.line.Processors)} {
		if text != "" {
			f.Points = append(f.Points, text)
		}
	}
	return f
}

// limitWords says what a probe failed by.
func limitWords(by string) string {
	switch by {
	case setdoc.MissedSending:
		return "operations not sent because all clients were busy"
	case setdoc.MissedQueue:
		return "a growing queue"
	}
	return units.Clean(by)
}

func (v lineView) count(result string) (n int) {
	for i := range v.line.Probes {
		if v.line.Probes[i].Result == result {
			n++
		}
	}
	return n
}

func (v lineView) counts() report.Fact {
	met := units.Number(int64(v.count(setdoc.ProbeMet))) + " met the SLO"
	invalid := 0
	for _, p := range v.probes() {
		if p.Result == setdoc.ProbeMet && p.invalid {
			invalid++
		}
	}
	if invalid > 0 {
		met += fmt.Sprintf(" (%d of them INVALID)", invalid)
	}
	f := report.Fact{Key: "Probes", Value: fmt.Sprintf("%d: %s, %d failed", len(v.line.Probes), met,
		v.count(setdoc.ProbeFailed))}
	if n := v.count(setdoc.ProbeTellsNothing); n > 0 {
		f.Value += fmt.Sprintf(", %d inconclusive", n)
	}
	if n := len(v.line.Probes) - len(v.counted()); n > 0 {
		f.Value += fmt.Sprintf("; the first %d are ignored", n)
	}
	return f
}

// doubts is what should be known before the load line is used.
func (v lineView) doubts() report.Fact {
	f := report.Fact{Key: "Note"}
	if v.line.Rules != loadline.Rules {
		f.Points = append(f.Points, fmt.Sprintf("Analyzed by another version of Plimsoll (rules %d, this version has "+
			"%d): shown as saved, without checking it against the probes.", v.line.Rules, loadline.Rules))
	}
	for _, d := range v.line.Doubts {
		if d != loadline.Crowded(v.line) { // which stands beside what limits
			f.Points = append(f.Points, units.Clean(d))
		}
	}
	return f
}

// Sections are the parts after the answer.
func (v lineView) Sections() []report.Section {
	return []report.Section{v.probeTable(), v.failed(), v.errors(), v.runs(), v.asked(), v.files()}
}

// probeTable has every probe in order.
func (v lineView) probeTable() report.Section {
	columns := []report.Column[probe]{
		report.Right("", func(p probe) string { return strconv.Itoa(p.at) }),
		report.Right(units.Clean(v.line.Unit), func(p probe) string { return v.plain(p.Load) }),
		report.Right("length", func(p probe) string { return units.Length(p.LengthNS) }),
		report.Left("SLO", probe.result),
	}
	for i, goal := range v.line.SLO {
		columns = append(columns, report.Right(units.Clean(goal.Figure), func(p probe) string {
			if i >= len(p.Values) || p.Values[i].Value == nil {
				return units.Dash
			}
			return figure.Unit(goal.Unit).Text(*p.Values[i].Value)
		}))
	}
	columns = append(columns, report.Right("completed, /s", func(p probe) string {
		if p.Rate == nil {
			return units.Dash
		}
		return units.PerSecond(*p.Rate)
	}))
	if v.line.Load != nil && len(v.line.Range) == 2 {
		columns = append(columns, report.Left("", func(p probe) string {
			switch {
			case p.Load < v.line.Range[0]:
				return "below the interval"
			case p.Load > v.line.Range[1]:
				return "above it"
			}
			return ""
		}))
	}
	return report.Section{Title: "Probes in order",
		Tables: []report.Table{report.TableOf(v.probes(), columns...)}}
}

// failed says of each probe that did not meet the SLO why.
func (v lineView) failed() report.Section {
	list := slices.DeleteFunc(v.probes(), func(p probe) bool { return p.Result == setdoc.ProbeMet })
	return report.Section{Title: "Why probes did not meet the SLO", Tables: []report.Table{report.TableOf(list,
		report.Right("", func(p probe) string { return strconv.Itoa(p.at) }),
		report.Right(units.Clean(v.line.Unit), func(p probe) string { return v.plain(p.Load) }),
		report.Left("why", func(p probe) string { return units.Clean(p.Why) }))}}
}

// asked is what was asked for.
func (v lineView) asked() report.Section {
	return report.PlanOf(v.Set.Plan, report.PlanShape{Without: func(parts map[string]any) {
		if first, ok := parts["run"]; ok {
			parts["first probe"] = first
			delete(parts, "run")
		}
	}})
}

// next is the command to try next.
func (v lineView) next() string {
	if len(v.line.Probes) < 2 || v.Name == "" || v.hasChart() {
		return ""
	}
	return "plimsoll report " + units.ShellWord(v.Name) + " --chart loadline.svg"
}

// runs lists the runs of the probes, with their verdicts.
func (v lineView) runs() report.Section {
	s := report.Section{Title: "Runs of the probes"}
	at := map[member]int{}
	for i, m := range v.members() {
		at[m] = i + 1
	}
	s.Tables = []report.Table{report.TableOf(v.members(),
		report.Right("", func(m member) string { return strconv.Itoa(at[m]) }),
		report.Left("run", func(m member) string { return units.Clean(m.Name) }),
		report.Left("verdict", func(m member) string { return orDash(units.Clean(string(m.Verdict.Validity))) }),
		report.Right("exit", func(m member) string { return strconv.Itoa(m.Exit) }),
		report.Left("id", func(m member) string { return units.Clean(m.ID) }))}
	if v.Name != "" {
		s.Notes = []string{"'plimsoll report " + units.ShellWord(v.Name) + "/N' shows run N."}
	}
	return s
}

// probesCSV writes the probes, a row each.
func probesCSV(v lineView) []report.Column[probe] {
	columns := []report.Column[probe]{
		report.Left("probe", func(p probe) string { return strconv.Itoa(p.at) }),
		report.Left(cmp.Or(v.line.Vary, "load"), func(p probe) string { return csvNumber(&p.Load) }),
		report.Left("length_ns", func(p probe) string { return strconv.FormatInt(p.LengthNS, 10) }),
		report.Left("result", func(p probe) string { return p.Result }),
		report.Left("missed", func(p probe) string { return strings.Join(p.Missed, ";") }),
	}
	for i, goal := range v.line.SLO {
		columns = append(columns, report.Left(goal.Figure, func(p probe) string {
			if i >= len(p.Values) {
				return ""
			}
			return csvNumber(p.Values[i].Value)
		}))
	}
	return append(columns,
		report.Left("rate_per_s", func(p probe) string { return csvNumber(p.Rate) }),
		report.Left("response_p99_ns", func(p probe) string { return csvInteger(p.P99NS) }),
		report.Left("id", func(p probe) string { return p.Member }),
		report.Left("why", func(p probe) string { return p.Why }))
}
