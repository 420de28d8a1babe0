package report

import (
	"io"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/report/course"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Chart draws the course of a run over the time since the start of the window: throughput,
// response time and the cumulative count, or what the kind shows instead. A document without a time
// series is an error.
func Chart(w io.Writer, run *rundoc.Run, kind Kind, format chart.Format) error {
	v, shown := show(run, kind, Options{})
	d := shown.Drawing()
	if len(d.Panels) == 0 {
		return fault.New(fault.RunFailed, "the run document has no time series, so there is nothing to draw")
	}
	if h := run.Generator.Hiccups; h != nil {
		chart.MarkGaps(d.Panels, h.Longest)
	}
	return chart.Draw(w, chart.Head{Title: v.Title(), Subtitle: shown.Subtitle(), Answer: d.Line}, d.Panels, format)
}

// Drawing shows throughput, response time and the cumulative count.
func (v *View) Drawing() Drawing {
	d := Drawing{Line: v.ThroughputAnswer() + "  ·  " + v.responseLine() + "  ·  " + string(v.Verdict.Validity)}
	c := chart.NewCourse(v.Run.Series, v.WindowNS)
	if !c.Empty() {
		d.Panels = []chart.Panel{c.Throughput(v.Words.Short), c.Response(), c.Cumulative(v.Words.Many)}
	}
	return d
}

// Graphs are the panels of a run that any kind may have.
func (v *View) Graphs() []graph.Panel {
	return course.Panels(course.Source{
		Run: v.Run, WindowNS: v.WindowNS, Short: v.Words.Short, Many: v.Words.Many, Open: v.Open,
	})
}

// responseLine is the response time where there is room for one line, and the verdict is to stand behind it: where
// the generator's own delay matters, that is said of the p99, and what is slower is left out but for the longest.
func (v *View) responseLine() string {
	r := &v.Total.ResponseTime
	free := freeOf(r, func(s *rundoc.Summary) *int64 { return s.P99NS })
	if !parted(r.P99NS, free) {
		raw := *r
		raw.Free = nil
		return v.responseWords(&raw)
	}
	return "p50 " + units.Optional(r.P50NS) + " · p99 " + units.Duration(*r.P99NS) + " (" + units.Duration(*free) +
		" free) · max " + units.Duration(r.MaxNS)
}
