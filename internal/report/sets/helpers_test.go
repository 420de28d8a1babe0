package sets

import (
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/setdoc"
)

var (
	requests = setdoc.Figure{Name: "rate", Unit: "per_s", Of: "requests"}
	p50      = setdoc.Figure{Name: "p50", Unit: "ns"}
)

// sweepOf is a view of a sweep of clients with these levels.
func sweepOf(s setdoc.Sweep) *View {
	s.Vary = []setdoc.Vary{{Setting: "clients", Numeric: true}}
	if s.Figure.Unit == "" {
		s.Figure = requests
	}
	for i := range s.Levels {
		s.Levels[i].Values = []string{string(rune('1' + i))}
		if s.Levels[i].Throughput == nil {
			s.Levels[i].Throughput = new(1000 * float64(i+1))
		}
	}
	return NewView(Source{Set: &setdoc.Set{Sweep: &s}}, report.Options{})
}

func levelsOf(n int) []setdoc.Level { return make([]setdoc.Level, n) }

// inLine is all of a fact in a line.
func inLine(f report.Fact) string {
	return strings.Join(append([]string{f.Key, f.Value}, f.Points...), " | ")
}
