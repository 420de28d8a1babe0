package report

import (
	"fmt"
	"io"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/report/course"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Chart draws the course of a run over the time since the start of the window: throughput,
// response time and what was in flight, or what the kind shows instead. A document without a time
// series is an error.
func Chart(w io.Writer, run *rundoc.Run, kind Kind, format chart.Format) error {
	v, shown := show(run, kind, Options{})
	d := shown.Drawing()
	if len(d.Graphs) == 0 {
		return fault.New(fault.RunFailed, "the run document has no time series, so there is nothing to draw")
	}
	return chart.Draw(w, v.chartHead(shown.Subtitle(), d.Line), d.Graphs, format)
}

// chartHead is what stands above the panels, the verdict before the answer.
func (v *View) chartHead(subtitle, line string) chart.Head {
	h := chart.Head{Title: v.Title(), Subtitle: subtitle, Answer: line, Verdict: ValidityWord(v.Verdict.Validity)}
	switch v.Verdict.Validity {
	case rundoc.Invalid:
		h.Role = graph.Failed
	case rundoc.Suspect:
		h.Role = graph.Unknown
	default:
		h.Role = graph.Met
	}
	if len(v.Verdict.Reasons) > 0 {
		h.Why = v.Verdict.Reasons[0]
		if more := len(v.Verdict.Reasons) - 1; more > 0 {
			h.Why += fmt.Sprintf(" (and %d more)", more)
		}
	}
	return h
}

// Drawing shows throughput, response time, what failed and what was in flight.
func (v *View) Drawing() Drawing {
	return Drawing{
		Line:   v.ThroughputAnswer() + "  ·  " + v.responseLine(),
		Graphs: Choose(v.Graphs(), course.Throughput, course.ResponseTime, course.Failures, course.InFlight),
	}
}

// Choose are the panels of these names, as far as there are such, in the order of the names.
func Choose(all []graph.Panel, names ...string) (chosen []graph.Panel) {
	for _, name := range names {
		for i := range all {
			if all[i].Name == name {
				chosen = append(chosen, all[i])
			}
		}
	}
	return chosen
}

// Graphs are the panels of a run that any kind may have.
func (v *View) Graphs() []graph.Panel {
	return course.Panels(v.Source())
}

// Source is what panels over time are made of.
func (v *View) Source() course.Source {
	return course.Source{
		Run: v.Run, Total: &v.Total, WindowNS: v.WindowNS, Short: v.Words.Short, Many: v.Words.Many, Open: v.Open,
		Mixed: v.kind.Mixed,
	}
}

// responseLine is the response time where there is room for one line, and the verdict is to stand behind it: where
// the generator delay matters, only p50, p99 with its corrected value, and the maximum are shown.
func (v *View) responseLine() string {
	r := &v.Total.ResponseTime
	free := freeOf(r, func(s *rundoc.Summary) *int64 { return s.P99NS })
	if !parted(r.P99NS, free) {
		raw := *r
		raw.Free = nil
		return v.responseWords(&raw)
	}
	return "p50 " + units.Optional(r.P50NS) + " · p99 " + units.Duration(*r.P99NS) + " (" + units.Duration(*free) +
		" corrected) · max " + units.Duration(r.MaxNS)
}
