package sets

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Side is one of two documents that are shown side by side: a run or a set, and its name.
type Side struct {
	Name string
	Run  *rundoc.Run
	Set  *setdoc.Set
	// Broken says what of it does not follow from its own figures.
	Broken []string
}

// Beside is the report of two documents side by side, which describes them and tests nothing. They have to be two
// sweeps or two runs, of this kind of traffic.
func Beside(a, b Side, kind report.Kind) (report.Page, error) {
	switch {
	case a.Run != nil && b.Run != nil:
		return runsBeside(a, b, kind)
	case a.Set != nil && b.Set != nil:
		return sweepsBeside(a, b)
	}
	return report.Page{}, unlike("%s is %s and %s is %s", a.Name, a.what(), b.Name, b.what())
}

func (s Side) what() string {
	switch {
	case s.Run != nil:
		return "one run"
	case s.Set.Sweep != nil:
		return "a sweep"
	case s.Set.Kind == setdoc.KindPlan:
		return "the runs of a plan file"
	}
	return "a set of the kind " + units.Clean(s.Set.Kind)
}

func unlike(format string, args ...any) error {
	return fault.New(fault.Usage, "--side-by-side: "+format, args...).
		Hint("name two sweeps or two runs of the same kind")
}

// pair is a line of a table of two: what it is of, either's, and the difference.
type pair struct{ what, a, b, difference string }

// facing is what two documents have beside each other.
type facing struct {
	names    [2]string
	heads    [2]string   // of their columns: A and B, with their labels
	points   [2][]string // below the names
	title    string
	subtitle string
	before   report.Fact // what failed or was not sent, of either
	unfair   []string    // what differs and makes the comparison unfair
	summary  []pair
	notes    []string // below it
	more     []report.Section
	graphs   []graph.Panel
}

func (f *facing) add(what, a, b, difference string) {
	if a == "" && b == "" || a == units.Dash && b == units.Dash {
		return
	}
	f.summary = append(f.summary, pair{what, orDash(a), orDash(b), difference})
}

// figure adds a figure, and by how much the second differs, as it is shown and as a share.
func (f *facing) figure(what string, a, b *float64, show func(float64) string) {
	text := func(x *float64) string {
		if x == nil {
			return ""
		}
		return show(*x)
	}
	f.add(what, text(a), text(b), difference(a, b, show))
}

// difference is b − a, and its share of a.
func difference(a, b *float64, show func(float64) string) string {
	if a == nil || b == nil {
		return ""
	}
	d := *b - *a
	sign := "+"
	if d < 0 {
		sign = "−"
	}
	text := sign + show(math.Abs(d))
	if d == 0 {
		return "0"
	}
	if *a != 0 {
		text += fmt.Sprintf(" (%s%.0f%%)", sign, math.Abs(100*d / *a))
	}
	return text
}

// points is the difference of two shares, in percentage points.
func points(a, b *float64) string {
	if a == nil || b == nil {
		return ""
	}
	return fmt.Sprintf("%s points", strings.ReplaceAll(fmt.Sprintf("%+.1f", 100*(*b-*a)), "-", "−"))
}

// differs notes what makes the two unlike, where they are.
func (f *facing) differs(what, a, b string) {
	if a != b {
		f.unfair = append(f.unfair, fmt.Sprintf("%s: %s and %s", what, orDash(a), orDash(b)))
	}
}

func (f *facing) page() report.Page {
	return report.Page{Shown: f, Title: f.title, Before: f.before, Open: true}
}

// Subtitle says what this is, and what it is not.
func (f *facing) Subtitle() string { return f.subtitle }

// Lead is no table.
func (f *facing) Lead(int) report.Table { return report.Table{} }

// Drawing is none.
func (f *facing) Drawing() report.Drawing { return report.Drawing{} }

// Graphs are panels that have both.
func (f *facing) Graphs() []graph.Panel { return f.graphs }

// Answer says what the two are, and in what they are unlike.
func (f *facing) Answer() []report.Fact {
	unfair := report.Fact{Key: "Differences", Points: f.unfair, Tone: report.Doubtful}
	if len(f.unfair) == 0 {
		unfair = report.Fact{Key: "Differences", Value: "none that make the comparison unfair"}
	}
	return []report.Fact{
		{Key: f.heads[0], Value: f.names[0], Points: f.points[0]},
		{Key: f.heads[1], Value: f.names[1], Points: f.points[1]}, unfair,
	}
}

// Sections are the tables.
func (f *facing) Sections() []report.Section {
	s := report.Section{Title: "Side by side", Tables: []report.Table{report.TableOf(f.summary,
		report.Left("", func(p pair) string { return p.what }),
		report.Right(f.heads[0], func(p pair) string { return p.a }),
		report.Right(f.heads[1], func(p pair) string { return p.b }),
		report.Right("B − A", func(p pair) string { return p.difference }),
	)}, Notes: f.notes}
	return append([]report.Section{s}, f.more...)
}

// describes is the subtitle of all that is shown side by side.
const describes = "a description, not a test: differences may be due to chance"

// made adds where the two were made, and notes where that or the program differs.
func (f *facing) made(host [2]*rundoc.Host, tool [2]rundoc.Tool) {
	f.differs("machine", hostText(host[0]), hostText(host[1]))
	f.differs("Plimsoll version", units.Clean(tool[0].Version), units.Clean(tool[1].Version))
	for i := range host {
		if text := hostText(host[i]); text != "" {
			f.points[i] = append(f.points[i], "load generator on "+text)
		}
	}
}

// sweepsBeside puts two sweeps beside each other.
func sweepsBeside(a, b Side) (report.Page, error) {
	if a.Set.Sweep == nil || b.Set.Sweep == nil {
		return report.Page{}, unlike("%s is %s and %s is %s: only sweeps and runs can be shown side by side", a.Name,
			a.what(), b.Name, b.what())
	}
	x, y := NewView(Source{a.Set, a.Broken, a.Name}, report.Options{}), NewView(Source{b.Set, b.Broken,
		b.Name}, report.Options{})
	if kind, other := x.sweep.Workload, y.sweep.Workload; kind != other {
		return report.Page{}, unlike("%s is a sweep of %.40q and %s a sweep of %.40q", a.Name, kind, b.Name, other)
	}
	if x.settings() != y.settings() {
		return report.Page{}, unlike("%s varies %s and %s varies %s", a.Name, x.settings(), b.Name, y.settings())
	}
	if x.sweep.Figure.Unit != y.sweep.Figure.Unit || x.sweep.Figure.Name != y.sweep.Figure.Name {
		return report.Page{}, unlike("%s reports %s and %s reports %s", a.Name, units.Clean(x.sweep.Figure.Name),
			b.Name,
			units.Clean(y.sweep.Figure.Name))
	}
	f := &facing{
		names: [2]string{x.title() + " · " + x.Subtitle(), y.title() + " · " + y.Subtitle()},
		heads: heads(a.Set.Labels, b.Set.Labels),
		title: "Plimsoll · two sweeps of " + units.Clean(x.sweep.Workload) + " side by side", subtitle: describes,
	}
	f.edited(a, b)
	f.trusted(a.Set.Verdict, b.Set.Verdict)
	f.same(a.Set, b.Set, a.Set.ID)
	f.differs("window", x.window(), y.window())
	f.differs("runs at each setting", units.Number(int64(x.sweep.Repeats)), units.Number(int64(y.sweep.Repeats)))
	f.settings(a.Set.Plan, b.Set.Plan, x.variedFields()...)
	f.cutShort(a.Set.Interrupted, b.Set.Interrupted)
	f.sweeps(x, y)
	f.made([2]*rundoc.Host{&a.Set.Host, &b.Set.Host},
		[2]rundoc.Tool{a.Set.Tool, b.Set.Tool})
	for i, v := range []*View{x, y} {
		if v.scales() {
			f.notes = append(f.notes, "AB"[i:i+1]+": "+v.w1()+".")
		}
	}
	f.notes = append(f.notes, "Best setting: the lowest one with a throughput as good as the highest. Efficiency: the "+
		"observed share of L ÷ W₁. Not ok: failed, unsent and unfinished operations, as a share of all scheduled ones.")
	f.more = []report.Section{f.levels(x, y)}
	f.graphs = besidePanels(x, y)
	return f.page(), nil
}

// edited says which of the two cannot be believed.
func (f *facing) edited(a, b Side) {
	for i, s := range []Side{a, b} {
		for _, why := range s.Broken {
			f.unfair = append(f.unfair, fmt.Sprintf("%s was edited: %s", "AB"[i:i+1], units.Clean(why)))
		}
	}
}

// heads are A and B, with the first label of either.
func heads(a, b []string) [2]string {
	both := [2]string{"A", "B"}
	const most = 12
	for i, labels := range [][]string{a, b} {
		if len(labels) > 0 {
			both[i] += " " + units.Shorten(units.Clean(labels[0]), most)
		}
	}
	return both
}

// trusted says which of the two should not be used, or with care, and why.
func (f *facing) trusted(a, b rundoc.Verdict) {
	for i, v := range []rundoc.Verdict{a, b} {
		side := "AB"[i : i+1]
		switch v.Validity {
		case rundoc.Invalid:
			side += " is INVALID: do not use its results"
			if len(v.Reasons) > 0 {
				side += ". " + units.Clean(v.Reasons[0])
			}
		case rundoc.Suspect:
			side += " is SUSPECT: use its results with care; see its own report"
		default:
			continue
		}
		f.unfair = append(f.unfair, side)
	}
}

// same says that both names are those of one document.
func (f *facing) same(a, b any, id string) {
	x, err := json.Marshal(a)
	y, _ := json.Marshal(b) // of what has no JSON there is none, which is like no other
	if err == nil && string(x) == string(y) {
		f.unfair = append(f.unfair, "none: both are the same document, "+orDash(units.Clean(id)))
	}
}

// settings notes what else was asked for otherwise. Where a load comes from is told by itself, and what is made of a
// run beside its document changes nothing.
func (f *facing) settings(a, b json.RawMessage, without ...string) {
	const most = 6
	list := report.Differences(a, b, append(without, "url", "seed", "output", "warmup_clients")...)
	for i, d := range list {
		if i == most {
			f.unfair = append(f.unfair, units.Count(int64(len(list)-most), "more setting", "more settings")+
				" (see --section plan of each)")
			break
		}
		f.differs(d.Name, cmp.Or(d.A, "not set"), cmp.Or(d.B, "not set"))
	}
}

// variedFields are the fields of a plan that hold what a sweep varies, or what its summary tells.
func (v *View) variedFields() []string {
	list := []string{"vary", "repeats", "duration_ns"}
	for _, vary := range v.sweep.Vary {
		field := strings.ReplaceAll(vary.Setting, "-", "_")
		list = append(list, field, field+"_ns", field+"_bytes", field+"_per_s", field+"_bytes_per_s")
	}
	return list
}

func (f *facing) cutShort(a, b bool) {
	for i, interrupted := range []bool{a, b} {
		if interrupted {
			f.unfair = append(f.unfair, "AB"[i:i+1]+" was interrupted")
		}
	}
}

// sweeps makes the summary of two sweeps.
func (f *facing) sweeps(x, y *View) {
	a, b := x.level(x.sweep.Best), y.level(y.sweep.Best)
	name := func(v *View, l level) string {
		if l == nil {
			return ""
		}
		return v.name(l.Values)
	}
	load := func(l level) *float64 {
		if l == nil || l.Load <= 0 {
			return nil
		}
		return &l.Load
	}
	rate := func(r float64) string { return amount(x.sweep.Figure, r) }
	in := ""
	if unit := unitOf(x.sweep.Figure); unit != "" {
		in = ", " + unit
	}
	f.add("best setting", name(x, a), name(y, b), difference(load(a), load(b), units.Digits))
	f.figure(figureName(x.sweep.Figure)+" at best"+in, throughputOf(a), throughputOf(b), rate)
	if x.numeric() {
		p, q := x.level(x.sweep.Peak), y.level(y.sweep.Peak)
		f.add("highest at", name(x, p), name(y, q), difference(load(p), load(q), units.Digits))
		f.figure("highest"+in, throughputOf(p), throughputOf(q), rate)
		f.add("efficiency at the highest", share(efficiencyOf(p)), share(efficiencyOf(q)),
			points(efficiencyOf(p), efficiencyOf(q)))
	}
	f.figure("W₁", w1Of(x), w1Of(y), func(ns float64) string { return units.Duration(whole(ns)) })
	f.figure("response time p99 at best", p99Of(a), p99Of(b),
		func(ns float64) string { return units.Duration(whole(ns)) })
	f.add("not ok", notOK(x), notOK(y), "")
	for _, of := range []struct {
		what string
		n    func(level) int64
	}{{"retries", func(l level) int64 { return l.Retries }}, {"reconnects",
		func(l level) int64 { return l.Reconnects }}} {
		f.add(of.what, x.count(of.n), y.count(of.n), "")
	}
	f.add("fails from", name(x, x.level(x.sweep.FailsFrom)), name(y, y.level(y.sweep.FailsFrom)), "")
	f.add("ending", units.Clean(x.sweep.Ending), units.Clean(y.sweep.Ending), "")
	f.add("verdict", units.Clean(string(x.Set.Verdict.Validity)), units.Clean(string(y.Set.Verdict.Validity)), "")
}

func throughputOf(l level) *float64 {
	if l == nil {
		return nil
	}
	return l.Throughput
}

func efficiencyOf(l level) *float64 {
	if l == nil {
		return nil
	}
	return l.Efficiency
}

func p99Of(l level) *float64 {
	if l == nil || l.ResponseP99NS == nil {
		return nil
	}
	return new(float64(*l.ResponseP99NS))
}

func w1Of(v *View) *float64 {
	if v.sweep.Base == nil {
		return nil
	}
	return &v.sweep.Base.W1
}

func notOK(v *View) string {
	var scheduled, ok int64
	for _, l := range v.all() {
		scheduled, ok = scheduled+l.Scheduled, ok+l.OK
	}
	return units.Share(float64(scheduled-ok), float64(scheduled))
}

// count is a count of all levels, and its share of the operations.
func (v *View) count(of func(level) int64) string {
	var n, scheduled int64
	for _, l := range v.all() {
		n, scheduled = n+of(l), scheduled+l.Scheduled
	}
	if n == 0 || scheduled <= 0 {
		return units.Number(n)
	}
	return units.Number(n) + " (" + units.Share(float64(n), float64(scheduled)) + ")"
}

// levels are those of both sweeps, side by side where both have them.
func (f *facing) levels(x, y *View) report.Section {
	type both struct {
		values []string
		a, b   level
	}
	var rows []both
	for _, l := range x.all() {
		rows = append(rows, both{l.Values, l, y.at(l.Values...)})
	}
	for _, l := range y.all() {
		if x.at(l.Values...) == nil {
			rows = append(rows, both{l.Values, nil, l})
		}
	}
	if x.numeric() && len(x.sweep.Vary) == 1 {
		load := func(r both) float64 {
			if r.a != nil {
				return r.a.Load
			}
			return r.b.Load
		}
		slices.SortStableFunc(rows, func(r, s both) int { return cmp.Compare(load(r), load(s)) })
	}
	columns := []report.Column[both]{
		report.Right(x.settings(), func(r both) string { return short(r.values) }),
		report.Right("A, "+x.head(), func(r both) string { return x.cell(throughputOf(r.a)) }),
		report.Right("B, "+y.head(), func(r both) string { return y.cell(throughputOf(r.b)) }),
		report.Right("B − A", func(r both) string {
			return orDash(difference(throughputOf(r.a), throughputOf(r.b),
				func(d float64) string { return amount(x.sweep.Figure, d) }))
		}),
	}
	if x.scales() || y.scales() {
		columns = append(columns,
			report.Right("efficiency A", func(r both) string { return share(efficiencyOf(r.a)) }),
			report.Right("B", func(r both) string { return share(efficiencyOf(r.b)) }))
	}
	return report.Section{Title: "By setting", Tables: []report.Table{report.TableOf(rows, columns...)}}
}
