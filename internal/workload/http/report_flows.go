package http

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/course"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/report/times"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Answer adds where the time of requests went, and what became of the flows.
func (v *shown) Answer() []report.Fact {
	facts := v.View.Answer()
	failures := slices.IndexFunc(facts, func(f report.Fact) bool { return f.Key == report.KeyErrors })
	facts[failures].Points = append(facts[failures].Points, v.foundPoints()...)
	at := 1 + slices.IndexFunc(facts, func(f report.Fact) bool { return f.Key == "Response time" })
	return slices.Insert(facts, at, v.timeWent(), v.flowsAnswer())
}

// timeWent is the mean time of a request that ended ok, in the parts that its stages have.
func (v *shown) timeWent() report.Fact {
	var sums [3]float64
	var n int64
	for i := range v.Run.Operations {
		if s := v.Run.Operations[i].Stages; s != nil {
			for j, of := range []*rundoc.Summary{&s.Send, &s.Wait, &s.Body} {
				sums[j] += float64(of.MeanNS) * float64(of.Count)
			}
			n += s.Wait.Count
		}
	}
	all := sums[0] + sums[1] + sums[2]
	if n == 0 || all <= 0 {
		return report.Fact{}
	}
	mean := func(i int) string { return units.Duration(int64(sums[i]/float64(n) + 0.5)) }
	return report.Fact{Key: "Stages", Value: fmt.Sprintf("send %s · wait %s · body %s (mean)",
		mean(0), mean(1), mean(2))}
}

// flowsAnswer says how many of the flows were completed, at which request most of the others failed, and how long they
// took.
func (v *shown) flowsAnswer() report.Fact {
	flows := v.Run.Flows
	if len(flows) == 0 {
		return report.Fact{}
	}
	f := report.FlowTotals(v.Run)
	value := fmt.Sprintf("%s completed · %s failed", units.Number(f.Completed), units.Number(f.Failed))
	if len(f.FailedAt) > 0 {
		most := f.FailedAt[0]
		count := units.Number(most.Count)
		if most.Count == f.Failed {
			count = "all"
		}
		value += fmt.Sprintf(", %s at %s", count, units.Clean(most.Operation))
	}
	if f.Cut > 0 {
		value += fmt.Sprintf(" · %s cut off by the end of the run", units.Number(f.Cut))
	}
	if len(flows) == 1 && flows[0].ResponseTime.Count > 0 {
		value += " · " + report.Spread(&flows[0].ResponseTime)
	}
	return report.Fact{Key: "Flows", Value: value}
}

// flows is the table of the flows: what became of them, where they failed, and how long they took.
func (v *shown) flows() report.Section {
	type flow = *rundoc.FlowFigures
	var all []flow
	for i := range v.Run.Flows {
		all = append(all, &v.Run.Flows[i])
	}
	count := func(of func(flow) int64) func(flow) string {
		return func(f flow) string { return units.Number(of(f)) }
	}
	s := report.Section{Title: "Flows", Tables: []report.Table{report.TableOf(all, slices.Concat([]report.Column[flow]{
		report.Left("flow", func(f flow) string { return units.Clean(f.Name) }),
		report.Right("started", count(func(f flow) int64 { return f.Started })),
		report.Right("completed", count(func(f flow) int64 { return f.Completed })),
		report.Right("failed", count(func(f flow) int64 { return f.Failed })),
		report.Right("cut", count(func(f flow) int64 { return f.Cut })),
	}, report.PercentileColumnsWithin(report.Narrow, func(f flow) *rundoc.Summary { return &f.ResponseTime }),
		[]report.Column[flow]{
			report.Right("max", func(f flow) string { return units.Nonzero(f.ResponseTime.MaxNS) }),
		})...)}}
	if len(all) == 0 {
		return s
	}
	for _, f := range all {
		if len(f.FailedAt) > 0 {
			s.Notes = append(s.Notes, fmt.Sprintf("%s failed at %s.", units.Clean(f.Name), failedAt(f.FailedAt)))
		}
	}
	s.Notes = append(s.Notes, "Time of a flow: from its intended start to its last response, including pauses. A flow "+
		"cut off by the end of the run counts with at least its duration so far.")
	return s
}

// failedAt are the requests at which flows ended, those with the most first.
func failedAt(list []rundoc.FlowFailure) string {
	sorted := slices.SortedStableFunc(slices.Values(list), func(a, b rundoc.FlowFailure) int {
		return cmp.Compare(b.Count, a.Count)
	})
	var parts []string
	for _, f := range sorted {
		parts = append(parts, fmt.Sprintf("%s (%s)", units.Clean(f.Operation), units.Number(f.Count)))
	}
	return strings.Join(parts, ", ")
}

// Graphs are those of every run, with the stages of requests and the flows behind its times.
func (v *shown) Graphs() []graph.Panel {
	return times.Behind(v.View.Graphs(), []string{course.Throughput, course.Distribution, course.ByOperation,
		course.HeatMap},
		append(times.OfOperations(v.Run, v.Words.Many), v.flowPanels()...)...)
}

// flowPanels are how long flows took, and at which request those ended that failed.
func (v *shown) flowPanels() []graph.Panel {
	if len(v.Run.Flows) == 0 {
		return nil
	}
	const most = 8 // lines that can be told apart
	var lines []times.Line
	var failed []flowFailure
	for i := range v.Run.Flows {
		f := &v.Run.Flows[i]
		if f.ResponseTime.Count > 0 && len(lines) < most {
			lines = append(lines, times.Line{Name: units.Clean(f.Name), Role: graph.Role(strconv.Itoa(i + 1)),
				Of: &f.ResponseTime})
		}
		for _, at := range f.FailedAt {
			failed = append(failed, flowFailure{units.Clean(f.Name), units.Clean(at.Operation), at.Count})
		}
	}
	all := []graph.Panel{times.Distribution(graph.Panel{Name: "flows", Title: "Flow duration",
		Intro: "From the intended start of a flow to its last response, including pauses. The value at 99% is the time " +
			"within which 99% of the flows completed."}, lines...)}
	return append(all, failedFlows(failed)...)
}

// flowFailure counts the flows of a name that ended at a request.
type flowFailure struct {
	flow, at string
	n        int64
}

// failedFlows are the requests at which flows failed, those with the most first.
func failedFlows(list []flowFailure) []graph.Panel {
	if len(list) == 0 {
		return nil
	}
	const most = 20
	slices.SortStableFunc(list, func(a, b flowFailure) int { return cmp.Compare(b.n, a.n) })
	p := graph.Panel{Name: "flows-failed", Title: "Failed flows by failed request",
		X: graph.Axis{Name: "flows"}}
	for _, f := range list[:min(len(list), most)] {
		p.Spans = append(p.Spans, graph.Span{Row: f.flow + ": " + f.at, Part: "failed", Role: graph.Failed,
			To:   float64(f.n),
			Text: units.Count(f.n, "flow", "flows")})
	}
	return []graph.Panel{p}
}
