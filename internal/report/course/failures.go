package course

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// failures are the attempts that failed, by their causes; of a document that has no causes over time, the operations.
func (s *Source) failures() (graph.Panel, bool) {
	all := s.stretches()
	p := graph.Panel{
		Name: Failures, Title: "Failed attempts per second, by cause", X: s.overTime(), Y: graph.Axis{Word: "/s"},
		Intro: "All failed attempts, including those whose retry succeeded.", Bands: s.gaps(),
	}
	names, rest := s.causes()
	for i, name := range names {
		p.Series = append(p.Series, rates(all,
			graph.Series{Name: units.Clean(name), Role: graph.Role(strconv.Itoa(i + 1)), Style: graph.Bars},
			func(p *rundoc.Point) int64 { return attempts(p, name) }))
	}
	if rest {
		p.Series = append(p.Series, rates(all,
			graph.Series{Name: rundoc.OtherCauses, Role: graph.Neutral, Style: graph.Bars},
			func(p *rundoc.Point) (n int64) {
				for _, c := range p.Causes {
					if !slices.Contains(names, c.Cause) {
						n += c.Count
					}
				}
				return n
			}))
	}
	if len(p.Series) > 0 {
		return p, true
	}
	failed := rates(all, graph.Series{Name: "failed", Role: graph.Failed, Style: graph.Bars}, failedOf)
	p.Title, p.Intro = units.Capital(s.Many)+" that failed, per second", ""
	p.Series = []graph.Series{failed}
	return p, highest(&failed) > 0
}

func attempts(p *rundoc.Point, cause string) (n int64) {
	for _, c := range p.Causes {
		if c.Cause == cause {
			n += c.Count
		}
	}
	return n
}

// causes are those that the points have, the most frequent of the run first and as many as can be told apart, and
// whether there are others.
func (s *Source) causes() (names []string, rest bool) {
	count := map[string]int64{}
	for i := range s.Run.Series {
		for _, c := range s.Run.Series[i].Causes {
			count[c.Cause] += c.Count
		}
	}
	all := map[string]int64{}
	for i := range s.Run.Operations {
		for _, c := range s.Run.Operations[i].Causes {
			all[c.Cause] += c.Count
		}
	}
	for name, n := range count {
		if name != rundoc.OtherCauses && n > 0 {
			names = append(names, name)
		}
	}
	rest = count[rundoc.OtherCauses] > 0
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(all[b], all[a]), cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	if len(names) > rundoc.MaxPointCauses {
		names, rest = names[:rundoc.MaxPointCauses], true
	}
	return names, rest
}

// ledger is where the clients' time went.
func (s *Source) ledger() (graph.Panel, bool) {
	l := &s.Run.Ledger
	whole := float64(l.Clients) * float64(l.WindowNS)
	p := graph.Panel{
		Name: Ledger, Title: "Time breakdown",
		X:     graph.Axis{Name: "share of client time", Unit: graph.Share, To: 1},
		Intro: "The states add up to the number of clients × the window.",
	}
	if !(whole > 0) {
		return graph.Panel{}, false
	}
	for _, state := range rundoc.States {
		ns := l.States[state]
		if ns <= 0 {
			continue
		}
		share := float64(ns) / whole
		p.Spans = append(p.Spans, graph.Span{Row: state, Role: stateRole(state), To: min(significant(share, 5), 1),
			Text: units.Percent(share)})
	}
	return p, len(p.Spans) > 0
}

// stateRole says whether a state is one of work, of waiting, or of something that went wrong.
func stateRole(state string) graph.Role {
	switch state {
	case rundoc.StateSending, rundoc.StateAwaiting:
		return graph.OK
	case rundoc.StateBackingOff, rundoc.StateReconnecting:
		return graph.Failed
	case rundoc.StatePreparing:
		return graph.Own
	}
	return graph.Neutral
}
