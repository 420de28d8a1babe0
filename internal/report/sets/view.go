package sets

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Source is a set to be shown.
type Source struct {
	Set *setdoc.Set
	// Broken says what of it does not follow from its own figures: it was changed after it was made.
	Broken []string
	Name   string // what commands call it; "": by its id
}

// View is a set with what several sections need of it. Its report is made of its methods.
type View struct {
	Source
	options report.Options
	sweep   *setdoc.Sweep // never nil; one without levels where the set is none
}

// NewView looks at a set.
func NewView(of Source, opt report.Options) *View {
	v := &View{Source: of, options: opt, sweep: of.Set.Sweep}
	if v.sweep == nil {
		v.sweep = &setdoc.Sweep{}
	}
	v.Name = cmp.Or(v.Name, units.Clean(of.Set.ID))
	return v
}

// Page is the report of a set.
func Page(of Source, opt report.Options) report.Page {
	v := NewView(of, opt)
	if of.Set.Loadline != nil {
		line := lineView{v, of.Set.Loadline}
		return report.Page{Shown: line, Title: line.title(), Next: line.next()}
	}
	if of.Set.Comparison != nil {
		c := contrastView{v, of.Set.Comparison}
		return report.Page{Shown: c, Title: c.title(), Before: c.result(), Next: c.next(),
			Folded: "How it was measured and judged"}
	}
	if of.Set.Launches != nil {
		return report.Page{Shown: v, Title: v.title(), Before: v.launched(), Next: v.next()}
	}
	return report.Page{Shown: v, Title: v.title(), Next: v.next()}
}

// isSweep reports whether the set is a sweep: any other is shown as the list of its runs.
func (v *View) isSweep() bool { return v.Set.Sweep != nil }

func (v *View) title() string {
	parts := []string{"Plimsoll " + units.Clean(cmp.Or(v.Set.Kind, "set"))}
	if l := v.Set.Launches; l != nil {
		parts = []string{"Plimsoll repeat", units.Clean(l.Workload)}
	}
	if v.isSweep() {
		if kind := units.Clean(v.sweep.Workload); kind != "" {
			parts = append(parts, kind)
		}
		for _, vary := range v.sweep.Vary {
			parts = append(parts, span(vary))
		}
	}
	if targets := v.targets(); len(targets) > 0 {
		parts = append(parts, units.FirstOf(targets, 2))
	}
	return strings.Join(parts, " · ")
}

// span is a setting with the values that it took.
func span(vary setdoc.Vary) string {
	const few = 4
	values := vary.Values
	text := strings.Join(values, ", ")
	if len(values) > few && vary.Numeric {
		text = values[0] + " … " + values[len(values)-1]
	}
	return units.Clean(vary.Setting + " " + text)
}

// targets are what was measured, each once.
func (v *View) targets() []string {
	return unique(v.Set.Members, func(m *setdoc.Member) string { return units.Clean(m.Target) })
}

// unique are the texts of a list, each once and in order, without empty ones.
func unique[T any](list []T, text func(*T) string) []string {
	var found []string
	seen := map[string]bool{"": true}
	for i := range list {
		if t := text(&list[i]); !seen[t] {
			seen[t] = true
			found = append(found, t)
		}
	}
	return found
}

// Subtitle says how the set was made.
func (v *View) Subtitle() string {
	var parts []string
	if v.isSweep() {
		runs := units.Count(int64(len(v.sweep.Levels)), "setting", "settings")
		switch made := len(v.Set.Members); {
		case made < v.Set.Planned: // cut short: not each setting has its runs
			runs = fmt.Sprintf("%s of %s", units.Number(int64(made)), units.Count(int64(v.Set.Planned), "run", "runs"))
		case v.sweep.Repeats > 1:
			runs += " × " + units.Count(int64(v.sweep.Repeats), "run", "runs")
		}
		parts = append(parts, runs)
	} else {
		parts = append(parts, units.Count(int64(len(v.Set.Members)), "run", "runs"))
	}
	if w := v.window(); w != "" {
		parts = append(parts, w)
	}
	if v.Set.Interrupted {
		parts = append(parts, "interrupted")
	}
	return strings.Join(append(parts, units.UTC(v.Set.Started)), " · ")
}

// window is how long each run measured, where all did for as long, or about that.
func (v *View) window() string {
	var least, most int64
	for i := range v.sweep.Rows {
		if ns := v.sweep.Rows[i].WindowNS; ns > 0 {
			least, most = min(cmp.Or(least, ns), ns), max(most, ns)
		}
	}
	const alike = 1.02
	switch {
	case most == 0:
		return ""
	case float64(most) <= alike*float64(least):
		return "window " + units.Length(most)
	}
	return "windows " + units.Length(least) + " to " + units.Length(most)
}

// next is the command to try next.
func (v *View) next() string {
	if !v.isSweep() || len(v.sweep.Levels) < 2 || v.Name == "" || v.hasChart() {
		return ""
	}
	return "plimsoll report " + units.ShellWord(v.Name) + " --chart sweep.svg"
}

// hasChart reports whether one was drawn just now.
func (v *View) hasChart() bool {
	for _, f := range v.options.Files {
		if f.What == report.ChartFile {
			return true
		}
	}
	return false
}

// Lead is the table of the runs, of a set that is no sweep.
func (v *View) Lead(most int) report.Table {
	if v.isSweep() {
		return report.Table{}
	}
	return v.planTable(most)
}

// Sections are the parts after the answer.
func (v *View) Sections() []report.Section {
	switch {
	case !v.isSweep():
		return []report.Section{v.errors(), v.thresholds(), v.runs(), v.plan(), v.files()}
	case len(v.sweep.Levels) == 0:
		return []report.Section{v.errors(), v.runs(), v.plan(), v.files()}
	}
	return []report.Section{
		v.levels(), v.missing(), v.grid(), v.outcomes(), v.causes(), v.times(), v.clientTime(), v.little(),
		v.seconds(),
		v.law(), v.thresholds(), v.errors(), v.runs(), v.plan(), v.files(),
	}
}
