package sets

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/course"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// MostOverlaid is how many runs can be told apart in a chart.
const MostOverlaid = 12

// Overlay is the report of several runs over each other, which describes them and tests nothing. They have to be runs
// of this kind of traffic: what the times of another kind are of is something else.
func Overlay(sides []Side, kind report.Kind) (report.Page, error) {
	if len(sides) > MostOverlaid {
		return report.Page{}, fault.New(fault.Usage, "%d runs are too many for one chart, the maximum is %d",
			len(sides), MostOverlaid).Hint("name fewer runs")
	}
	for _, s := range sides {
		if s.Run == nil {
			return report.Page{}, fault.New(fault.Usage, "%s is %s: only single runs can be overlaid", s.Name,
				s.what()).Hint("name its runs, such as %s/1, or write the page of the set alone", s.Name)
		}
		if name, other := sides[0].Run.Workload, s.Run.Workload; name != other {
			return report.Page{}, fault.New(fault.Usage, "%s is a run of %.40q and %s a run of %.40q: only runs of one kind "+
				"can be "+
				"overlaid", sides[0].Name, name, s.Name, other).
				Hint("name runs of the same kind")
		}
	}
	o := &overlay{kind: kind, names: overlaidNames(sides)}
	for i, s := range sides {
		o.views = append(o.views, report.NewView(s.Run, kind, report.Options{}))
		for _, why := range s.Broken {
			o.unlike = append(o.unlike, o.names[i]+" was edited: "+units.Clean(why))
		}
	}
	o.compare()
	title := fmt.Sprintf("Plimsoll · %s of %s", units.Count(int64(len(sides)), "run", "runs"),
		units.Clean(sides[0].Run.Workload))
	return report.Page{Shown: o, Title: title}, nil
}

// overlay is what several runs have over each other.
type overlay struct {
	kind   report.Kind
	names  []string // of the runs, which no two of them share
	views  []*report.View
	unlike []string
}

// overlaidNames are numbers, which are those of the colours, and what the user calls each run: its label, or its id.
func overlaidNames(sides []Side) (names []string) {
	const most = 32
	for i, s := range sides {
		name := s.Run.ID
		if len(s.Run.Labels) > 0 {
			name = s.Run.Labels[0]
		}
		names = append(names, fmt.Sprintf("%d · %s", i+1, units.Shorten(orDash(units.Clean(name)), most)))
	}
	return names
}

// compare notes what differs and makes the runs hard to compare.
func (o *overlay) compare() {
	first := o.views[0].Run
	for _, f := range []struct {
		what string
		of   func(*rundoc.Run) string
	}{
		{"load model", model}, {"clients", clients}, {"window", window}, {"target", targetOf},
		{"machine", func(r *rundoc.Run) string { return hostText(&r.Host) }},
		{"Plimsoll version", func(r *rundoc.Run) string { return units.Clean(r.Tool.Version) }},
	} {
		var values []string
		for _, v := range o.views {
			values = append(values, orDash(f.of(v.Run)))
		}
		if len(slices.Compact(slices.Clone(values))) > 1 {
			o.unlike = append(o.unlike, f.what+": "+strings.Join(values, ", "))
		}
	}
	var settings []string
	for _, v := range o.views {
		for _, d := range report.Differences(first.Plan, v.Run.Plan, "clients", "duration_ns", "url", "seed", "output",
			"warmup_clients") {
			if !slices.Contains(settings, d.Name) {
				settings = append(settings, d.Name)
			}
		}
	}
	if len(settings) > 0 {
		o.unlike = append(o.unlike, "settings: "+units.FirstOf(settings, 8))
	}
	for i, v := range o.views {
		if v.Run.Interrupted {
			o.unlike = append(o.unlike, o.names[i]+" was interrupted")
		}
		if v.Verdict.Validity == rundoc.Invalid {
			o.unlike = append(o.unlike, o.names[i]+" is INVALID: do not use its results. "+
				units.Clean(strings.Join(v.Verdict.Reasons[:min(1, len(v.Verdict.Reasons))], "")))
		}
	}
}

// Subtitle says what this is, and what it is not.
func (o *overlay) Subtitle() string { return describes }

// Lead is the answers of all runs beside each other.
func (o *overlay) Lead(int) report.Table {
	type row struct {
		name string
		v    *report.View
		t    total
	}
	var rows []row
	for i, v := range o.views {
		rows = append(rows, row{o.names[i], v, totalOf(v.Run)})
	}
	text := func(of func(*total) *float64, show func(float64) string) func(row) string {
		return func(r row) string {
			if v := of(&r.t); v != nil {
				return show(*v)
			}
			return units.Dash
		}
	}
	ns := func(t float64) string { return units.Duration(whole(t)) }
	columns := []report.Column[row]{
		report.Left("run", func(r row) string { return r.name }),
		report.Left("verdict", func(r row) string { return units.Clean(string(r.v.Verdict.Validity)) }),
		report.Left("load", func(r row) string { return load(r.v.Run) }),
	}
	some := func(of func(*total) *float64) bool {
		return slices.ContainsFunc(rows, func(r row) bool { return of(&r.t) != nil })
	}
	for _, name := range o.kind.Headline {
		if spec, err := figure.Parse(name, o.kind.Known(o.views[0].Run.Workload)); err == nil && spec.Own() {
			columns = append(columns, report.Right(units.Clean(name), func(r row) string {
				value := spec.Of(r.v.Run)
				if value.Why != "" {
					return units.Dash
				}
				return spec.Unit().Text(value.Raw)
			}))
		}
	}
	if rate := func(t *total) *float64 { return t.rate }; some(rate) {
		columns = append(columns, report.Right("throughput", text(rate, func(r float64) string {
			return units.PerSecond(r) + " " + o.views[0].Words.Short + "/s"
		})))
	}
	for i, name := range percentileNames() {
		if time := func(t *total) *float64 { return t.times[i] }; some(time) {
			columns = append(columns, report.Right(name, text(time, ns)))
		}
	}
	columns = append(columns, report.Right("not ok", func(r row) string {
		return units.Share(r.t.scheduled-r.t.ok, r.t.scheduled)
	}))
	if own := func(t *total) *float64 { return t.own }; some(own) {
		columns = append(columns, report.Right("generator delay p99", text(own, ns)))
	}
	return report.TableOf(rows, columns...)
}

// Answer says in what the runs are unlike.
func (o *overlay) Answer() []report.Fact {
	if len(o.unlike) == 0 {
		return []report.Fact{{Key: "Differences", Value: "none that make the comparison unfair"}}
	}
	return []report.Fact{{Key: "Differences", Points: o.unlike, Tone: report.Doubtful}}
}

// oneText is a fact with its points, each a sentence, in one.
func oneText(f report.Fact) string {
	if f.Value == "" || len(f.Points) == 0 {
		return cmp.Or(f.Value, strings.Join(f.Points, " "))
	}
	return f.Value + ". " + strings.Join(f.Points, " ")
}

// Sections are the runs, each with its own answer.
func (o *overlay) Sections() (all []report.Section) {
	for i, v := range o.views {
		page := report.PageOf(v.Run, o.kind, report.Options{})
		s := report.Section{Title: "Run " + o.names[i], Intro: []string{page.Title + " · " + page.Subtitle()}}
		var answer report.Pairs
		for _, f := range append([]report.Fact{page.Before}, page.Answer()...) {
			if text := oneText(f); text != "" {
				answer.Add(f.Key, text)
			}
		}
		s.Tables = []report.Table{answer.Table()}
		if id := units.Clean(v.Run.ID); id != "" {
			s.Notes = []string{"Full report: plimsoll report " + units.ShellWord(id) + " --full"}
		}
		all = append(all, s)
	}
	return all
}

// Drawing is the first few panels.
func (o *overlay) Drawing() report.Drawing {
	return report.Drawing{Line: cmp.Or(strings.Join(o.names, "  ·  "), units.Dash), Graphs: report.Choose(o.Graphs(),
		course.Throughput, course.ResponseTime+"-p99", course.Distribution)}
}

// Graphs are the panels, each with all runs.
func (o *overlay) Graphs() []graph.Panel {
	var all []course.Named
	for i, v := range o.views {
		all = append(all, course.Named{Name: o.names[i], Source: v.Source()})
	}
	return course.Overlay(all)
}
