package sets

import (
	"io"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Chart draws a set: a sweep over its settings, every probe of a load line, the change of each figure of a comparison.
func Chart(w io.Writer, of Source, format chart.Format) error {
	v := NewView(of, report.Options{})
	page := Page(of, report.Options{})
	d := page.Drawing()
	if len(d.Graphs) > 0 {
		return chart.Draw(w, v.chartHead(page, d.Line), d.Graphs, format)
	}
	switch {
	case of.Set.Loadline != nil:
		return fault.New(fault.RunFailed, "no chart: all probes were inconclusive")
	case of.Set.Comparison != nil:
		return fault.New(fault.RunFailed, "no chart: no metric of this comparison has a confidence interval")
	case !v.isSweep() && of.Set.Launches == nil:
		return fault.New(fault.Usage, "a set of the kind %.40q has no chart", of.Set.Kind).
			Hint("name one of its runs: 'plimsoll report %s --chart FILE' draws the first",
				units.ShellWord(v.Name+"/1"))
	}
	return fault.New(fault.RunFailed, "no chart: no run of this %s has a result", v.what())
}

// what a set is in a word.
func (v *View) what() string {
	if v.isSweep() {
		return "sweep"
	}
	return "set"
}

// chartHead is what stands above the panels.
func (v *View) chartHead(page report.Page, line string) chart.Head {
	h := chart.Head{Title: page.Title, Subtitle: page.Subtitle(), Answer: line, Role: graph.Met,
		Verdict: units.Clean(string(v.Set.Verdict.Validity))}
	switch v.Set.Verdict.Validity {
	case rundoc.Invalid:
		h.Role = graph.Failed
	case rundoc.Suspect:
		h.Role = graph.Unknown
	}
	if len(v.Set.Verdict.Reasons) > 0 && h.Role != graph.Met {
		h.Why = v.Set.Verdict.Reasons[0]
	}
	if len(v.Broken) > 0 {
		h.Verdict, h.Role, h.Why = "edited", graph.Failed, v.Broken[0]
	}
	return h
}

// Drawing shows a sweep over its settings, and launches; of a plan file there is none.
func (v *View) Drawing() report.Drawing {
	if v.Set.Launches != nil {
		d := report.Drawing{Line: v.launched().Value}
		if p := v.memberPanels(); len(p) > 0 && p[0].Empty == "" {
			d.Graphs = p[:1]
		}
		return d
	}
	if !v.isSweep() {
		return report.Drawing{}
	}
	line := []string{v.best().Value}
	if e := v.efficiency().Value; e != "" {
		line = append(line, "efficiency "+e)
	}
	return report.Drawing{Line: strings.Join(line, "  ·  "),
		Graphs: report.Choose(v.Graphs(), "scaling", "response-time", "failed")}
}

// Drawing shows every probe: what the SLO's figures were over the load, and the loads in the order of the search.
func (v lineView) Drawing() report.Drawing {
	d := report.Drawing{Line: units.Capital(v.found())}
	const most = 3 // goals: of more, each would be too low
	for _, p := range v.Graphs() {
		if goal := strings.HasPrefix(p.Name, "goal-"); goal && len(d.Graphs) < most || p.Name == "search" {
			d.Graphs = append(d.Graphs, p)
		}
	}
	return d
}

// Drawing has the figures from top to bottom, each with its change and the interval of that.
func (v contrastView) Drawing() report.Drawing {
	return report.Drawing{Line: v.result().Value, Graphs: v.changePanel()}
}
