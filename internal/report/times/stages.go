package times

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Stage is a part of a time, or the whole of it.
type Stage struct {
	Name string
	Of   *rundoc.Summary
	// From is the stage after which it begins, which must stand before it; "": it begins at 0.
	From string
}

// far is how many times as far as the medians a p99 may go for both to be told apart in one panel.
const far = 8

// Waterfall makes of a panel one with a row for each stage that has a value. It begins where the one before it ends at
// its median, or its mean where it has no median; up to its own median it is dark, and from there to its p99 pale.
// Where the p99 are so far that the medians could not be seen beside them, they are a panel of their own, named with
// "-p99".
func Waterfall(p graph.Panel, stages ...Stage) []graph.Panel {
	p.X = graph.Axis{Name: "time since the start of the first stage (medians)", Unit: graph.Nanoseconds}
	slow := p
	slow.Name, slow.Title = p.Name+"-p99", p.Title+": p99 of each stage"
	slow.Intro = "Each stage on its own, up to its p99. The values do not add up: an operation that is slow in one " +
		"stage need not be slow in another."
	slow.X.Name = "time since the start of the stage"
	end := map[string]float64{}
	middles, slowest := 0.0, 0.0
	for _, s := range stages {
		from := end[s.From]
		end[s.Name] = from
		if s.Of == nil || s.Of.Count == 0 {
			continue
		}
		part, middle := "median", float64(s.Of.MeanNS)
		if ns := s.Of.P50NS; ns != nil {
			middle = float64(*ns)
		} else {
			part = "mean (too few values for a median)"
		}
		end[s.Name] = from + middle
		middles = max(middles, from+middle)
		text := Words(s.Of)
		p.Spans = append(p.Spans, graph.Span{Row: s.Name, Part: part, Role: graph.P50, From: from, To: from + middle,
			Text: text})
		if ns := s.Of.P99NS; ns != nil && float64(*ns) > middle {
			slowest = max(slowest, from+float64(*ns))
			p.Spans = append(p.Spans, graph.Span{Row: s.Name, Part: slowPart, Role: graph.P99, From: from + middle,
				To: from + float64(*ns), Text: text})
			slow.Spans = append(slow.Spans, graph.Span{Row: s.Name, Part: slowPart, Role: graph.P99, To: float64(*ns),
				Text: text})
		}
	}
	switch {
	case len(p.Spans) == 0:
		p.Empty = "no times in the document"
	case slowest > far*middles:
		p.Title += ": medians"
		p.Spans = slices.DeleteFunc(p.Spans, func(s graph.Span) bool { return s.Part == slowPart })
		return []graph.Panel{p, slow}
	case len(slow.Spans) > 0:
		p.Intro += " Dark: up to the median of the stage; light: from the median to its p99."
	}
	return []graph.Panel{p}
}

const slowPart = "up to the p99"

// Words are the figures of a summary in a line.
func Words(s *rundoc.Summary) string {
	text := "mean " + units.Duration(s.MeanNS)
	for _, f := range []struct {
		name string
		ns   *int64
	}{{"p50", s.P50NS}, {"p90", s.P90NS}, {"p99", s.P99NS}, {"p99.9", s.P999NS}} {
		if f.ns != nil {
			text += " · " + f.name + " " + units.Duration(*f.ns)
		}
	}
	return text + " · max " + units.Duration(s.MaxNS) + " · n " + units.Number(s.Count)
}

// Apart says in a sentence that medians of stages do not add up to that of their whole, where they do not; "": they do,
// or it is not known. Means of the same operations do.
func Apart(whole *rundoc.Summary, parts ...*rundoc.Summary) string {
	if whole == nil || whole.P50NS == nil {
		return ""
	}
	var sum int64
	for _, s := range parts {
		if s == nil || s.P50NS == nil {
			return ""
		}
		sum += *s.P50NS
	}
	if d := math.Abs(float64(sum - *whole.P50NS)); d < 0.005*float64(*whole.P50NS) {
		return ""
	}
	return "Medians do not add up (stages " + units.Duration(sum) + ", total " + units.Duration(*whole.P50NS) +
		"), because an operation that is slow in one stage need not be slow in another. Means add up."
}

// Part is a stretch of a row that is one after the other from 0 on.
type Part struct {
	Name string
	Role graph.Role
	NS   float64
}

// Chain is a row of parts, each where the one before it ends; parts of no time, and of none that there is, are left
// out.
func Chain(row string, parts ...Part) (spans []graph.Span) {
	parts = slices.DeleteFunc(slices.Clone(parts), func(p Part) bool { return !(p.NS > 0 && p.NS < math.MaxInt64) })
	all := 0.0
	for _, p := range parts {
		all += p.NS
	}
	at := 0.0
	for _, p := range parts {
		spans = append(spans, graph.Span{Row: row, Part: p.Name, Role: p.Role, From: at, To: at + p.NS,
			Text: units.Duration(int64(math.Round(p.NS))) + ", " + units.Share(p.NS, all)})
		at += p.NS
	}
	return spans
}
