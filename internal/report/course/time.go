package course

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// visible is the share of the highest step from which on another one can be seen; what is less is marked by dots.
const visible = 0.05

// throughput is what ended in each stretch, beside what was offered.
func (s *Source) throughput() (graph.Panel, bool) {
	all := s.stretches()
	p := graph.Panel{
		Name: Throughput, Title: "Throughput, " + s.Short + "/s", X: s.overTime(), Y: graph.Axis{Word: s.Short + "/s"},
	}
	ok := rates(all, graph.Series{Name: "ok", Role: graph.OK, Style: graph.Steps}, okOf)
	p.Series = append(p.Series, ok)
	if failed := s.failed(all, highest(&ok)); highest(&failed) > 0 {
		p.Series = append(p.Series, failed)
	}
	if s.Open && slices.ContainsFunc(s.Run.Series, func(p rundoc.Point) bool { return p.Offered != nil }) {
		p.Series = append(p.Series,
			rates(all, graph.Series{Name: "offered", Role: graph.Offered, Style: graph.Edge}, offeredOf))
		p.Intro = "Completed and offered " + s.Many + " per second. Where ok is below offered, a backlog builds up; where " +
			"it is above, the backlog shrinks."
	}
	p.Bands, p.Rules = append(s.stalls(all), s.gaps()...), append(s.goals("per_s", "rate"), s.end()...)
	return p, len(all) > 0
}

// failed is the rate of failures: steps, or marks where they would be too low to be seen.
func (s *Source) failed(all []stretch, okMost float64) graph.Series {
	failed := rates(all, graph.Series{Name: "failed", Role: graph.Failed, Style: graph.Steps}, failedOf)
	most := highest(&failed)
	if most <= 0 || most >= visible*okMost {
		return failed
	}
	marks := graph.Series{Name: "failed", Role: graph.Failed, Style: graph.Dots}
	for i, y := range failed.Y {
		if y > 0 {
			marks.X, marks.Y = append(marks.X, (failed.X[i]+failed.To[i])/2), append(marks.Y, y)
		}
	}
	return marks
}

// bytes is how much payload ended in each stretch.
func (s *Source) bytes() (graph.Panel, bool) {
	all := s.stretches()
	moved := rates(all, graph.Series{Name: "payload", Role: graph.OK, Style: graph.Steps}, bytesOf)
	if highest(&moved) <= 0 {
		return graph.Panel{}, false
	}
	return graph.Panel{
		Name: Bytes, Title: "Payload of ok " + s.Many + " per second", X: s.overTime(),
		Y: graph.Axis{Unit: graph.Bytes}, Series: []graph.Series{moved}, Bands: s.gaps(),
		Intro: "Bytes are counted when their operation ends, not when they move.",
	}, true
}

// response are percentiles over time.
func (s *Source) response() (graph.Panel, bool) {
	p := graph.Panel{
		Name: ResponseTime, Title: "Response time percentiles, per second", X: s.overTime(),
		Y:     graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log},
		Intro: "Percentiles of the operations that ended in each second. Seconds with too few of them are gaps.",
	}
	if n := rundoc.PointSeconds(s.Run.Series); n > 1 {
		p.Title = "Response time percentiles, slowest second of every " + units.Number(n)
	}
	for _, line := range []graph.Series{
		s.percentile("p99", graph.P99, func(p *rundoc.Point) int64 { return p.P99NS }),
		s.percentile("p50", graph.P50, func(p *rundoc.Point) int64 { return p.P50NS }),
	} {
		if highest(&line) > 0 {
			p.Series = append(p.Series, line)
		}
	}
	if len(p.Series) == 0 {
		p.Empty = "no second has enough operations for a percentile"
	}
	p.Bands = append(s.stalls(s.stretches()), s.gaps()...)
	p.Rules = s.goals("ns", "p50", "p90", "p95", "p99", "p99.9", "mean", "max")
	return p, len(s.Run.Series) > 0
}

func (s *Source) percentile(name string, role graph.Role, ns func(*rundoc.Point) int64) graph.Series {
	line := graph.Series{Name: name, Role: role}
	for i := range s.Run.Series {
		p := &s.Run.Series[i]
		line.X, line.Y = append(line.X, s.middle(p)), append(line.Y, known(ns(p)))
	}
	return line
}

// own is the generator's own part of the times, under the same axis as those.
func (s *Source) own() (graph.Panel, bool) {
	delay := s.percentile("generator delay, p99", graph.Own, func(p *rundoc.Point) int64 { return p.OwnP99NS })
	stood := graph.Series{Name: "paused", Role: graph.Unknown, Style: graph.Dots}
	for i := range s.Run.Series {
		if p := &s.Run.Series[i]; p.GapNS > 0 {
			stood.X, stood.Y = append(stood.X, s.middle(p)), append(stood.Y, float64(p.GapNS))
		}
	}
	p := graph.Panel{
		Name: OwnDelay, Title: "Generator delay and pauses", X: s.overTime(),
		Y: graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log}, Bands: s.gaps(),
		Intro: "The p99 of the generator delay in the response times of each second, and how long the generator was paused " +
			"in it. A gap: less than 128 ns, or unknown.",
	}
	if n := rundoc.PointSeconds(s.Run.Series); n > 1 {
		of := units.Number(n)
		p.Intro = "The p99 of the generator delay in the response times of the slowest second of every " + of +
			", and how long the generator was paused in those " + of + ". A gap: less than 128 ns, too few, or unknown."
	}
	for _, series := range []graph.Series{delay, stood} {
		if highest(&series) > 0 {
			p.Series = append(p.Series, series)
		}
	}
	return p, len(p.Series) > 0
}

// inFlight is how much went on at once.
func (s *Source) inFlight() (graph.Panel, bool) {
	mean := graph.Series{Name: "in flight", Role: graph.OK, Style: graph.Steps}
	some := false
	for i := range s.Run.Series {
		p := &s.Run.Series[i]
		n := math.NaN()
		if p.InFlight != nil {
			n, some = significant(*p.InFlight, 5), true
		}
		mean.X, mean.Y = append(mean.X, float64(p.Second)), append(mean.Y, n)
		mean.To = append(mean.To, max(float64(p.Second), min(float64(p.Second)+float64(p.Length()), s.window())))
	}
	p := graph.Panel{
		Name: InFlight, Title: units.Capital(s.Many) + " in flight", X: s.overTime(), Y: graph.Axis{Word: s.Many},
		Series: []graph.Series{mean}, Bands: s.gaps(), Intro: "Mean of the samples in each interval.",
	}
	if slots := s.Run.Little.Slots; slots > 0 && float64(slots) <= 1.5*highest(&mean) {
		p.Rules = []graph.Rule{{Role: graph.Neutral, At: float64(slots), Name: "limit " + units.Number(slots)}}
	}
	return p, some
}
