package times

import (
	"cmp"
	"maps"
	"slices"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// OfOperations are the stages of operations that ended ok: of each on average, and of the one with the most of them how
// much the stages vary. many is what operations are called. None where the document has no stages.
func OfOperations(run *rundoc.Run, many string) []graph.Panel {
	const mostRows = 30
	var all []*rundoc.Operation
	for i := range run.Operations {
		if s := run.Operations[i].Stages; s != nil && s.Wait.Count > 0 {
			all = append(all, &run.Operations[i])
		}
	}
	if len(all) == 0 {
		return nil
	}
	mean := graph.Panel{Name: "stages", Title: "Mean time of " + many + " by stage",
		X: graph.Axis{Name: "time since the attempt started on its connection", Unit: graph.Nanoseconds},
		Intro: "Send: until the request is handed to the network. Wait: until the first byte of the response. Body: until " +
			"its end. Only ok " + many + ", without connecting."}
	for _, o := range all[:min(len(all), mostRows)] {
		mean.Spans = append(mean.Spans, Chain(name(o), Part{"send", "1", float64(o.Stages.Send.MeanNS)},
			Part{"wait", graph.Neutral, float64(o.Stages.Wait.MeanNS)}, Part{"body", "2",
				float64(o.Stages.Body.MeanNS)})...)
	}
	most := slices.MaxFunc(all, func(a, b *rundoc.Operation) int {
		return cmp.Compare(a.Stages.Wait.Count,
			b.Stages.Wait.Count)
	})
	s := most.Stages
	vary := graph.Panel{Name: "stages-spread", Title: "Stages of " + name(most) + ": median to p99",
		Intro: "Each stage starts at the median of the previous one."}
	if len(all) > 1 {
		vary.Intro = "The most frequent of " + units.Number(int64(len(all))) + " kinds of " + many + ". " + vary.Intro
	}
	return append([]graph.Panel{mean}, Waterfall(vary, Stage{Name: "send", Of: &s.Send},
		Stage{Name: "wait", Of: &s.Wait, From: "send"},
		Stage{Name: "body", Of: &s.Body, From: "wait"})...)
}

// name is an operation by its name and its labels.
func name(o *rundoc.Operation) string {
	text := o.Name
	for _, key := range slices.Sorted(maps.Keys(o.Labels)) {
		text += " " + o.Labels[key]
	}
	return units.Clean(text)
}
