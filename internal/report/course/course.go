package course

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Source is a run, and what a report knows of it.
type Source struct {
	Run      *rundoc.Run
	WindowNS int64
	Short    string // what an operation is called, as in "req/s"
	Many     string // and several
	Open     bool   // the open model
}

// Panels are those that any kind may have, in the order of the questions that a reader would ask.
func Panels(of Source) []graph.Panel {
	if len(of.Run.Series) == 0 {
		return nil
	}
	return []graph.Panel{of.throughput(), of.response()}
}

// overTime is the axis of the window.
func (s *Source) overTime() graph.Axis {
	return graph.Axis{Name: "time since the start of the window", Unit: graph.Seconds, To: float64(s.WindowNS) / 1e9}
}

func (s *Source) throughput() graph.Panel {
	p := graph.Panel{
		Name: "throughput", Title: "Throughput, " + s.Short + "/s", X: s.overTime(),
		Y: graph.Axis{Word: s.Short + "/s"},
	}
	ok := graph.Series{Name: "ok", Role: graph.OK, Style: graph.Steps}
	for i := range s.Run.Series {
		point := &s.Run.Series[i]
		ok.X = append(ok.X, float64(point.Second))
		ok.To = append(ok.To, float64(point.Second+point.Length()))
		ok.Y = append(ok.Y, float64(point.OK)/float64(point.Length()))
	}
	p.Series = []graph.Series{ok}
	return p
}

func (s *Source) response() graph.Panel {
	p := graph.Panel{
		Name: "response-time", Title: "Response time", X: s.overTime(),
		Y: graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log},
	}
	for _, line := range []struct {
		name string
		role graph.Role
		ns   func(*rundoc.Point) int64
	}{
		{"p50", graph.P50, func(p *rundoc.Point) int64 { return p.P50NS }},
		{"p99", graph.P99, func(p *rundoc.Point) int64 { return p.P99NS }},
	} {
		percentile := graph.Series{Name: line.name, Role: line.role}
		for i := range s.Run.Series {
			point := &s.Run.Series[i]
			ns := float64(line.ns(point))
			if ns == 0 {
				ns = math.NaN()
			}
			percentile.X, percentile.Y = append(percentile.X, float64(point.Second)), append(percentile.Y, ns)
		}
		p.Series = append(p.Series, percentile)
	}
	return p
}
