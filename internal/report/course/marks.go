package course

import (
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// minGapNS is how long the generator must have stood still for it to be marked, ns. What is shown of a second is not
// changed by less.
const minGapNS = 50_000_000

// gaps are the times in which the generator did not run.
func (s *Source) gaps() (bands []graph.Band) {
	if s.Run.Generator.Hiccups == nil {
		return nil
	}
	all := s.Run.Generator.Hiccups.Longest
	for _, g := range all[:min(len(all), rundoc.MaxGaps)] { // one that lists more makes no sense
		from, to := float64(g.AtNS)/1e9, (float64(g.AtNS)+float64(g.NS))/1e9
		if g.NS >= minGapNS && to > 0 && from < s.window() {
			bands = append(bands, graph.Band{Role: graph.Own, From: max(0, from), To: min(to, s.window()),
				Name: "generator paused"})
		}
	}
	return bands
}

// stalls are the stretches in which nothing ended ok, of a run in which something should have: of so many in a second
// that one without any is no chance.
func (s *Source) stalls(all []stretch) (bands []graph.Band) {
	ok := int64(0)
	for i := range s.Run.Series {
		ok += s.Run.Series[i].OK
	}
	if float64(ok) < rundoc.MinDeadRate*s.window() {
		return nil
	}
	for i := range all {
		t := &all[i]
		if t.rate(okOf) > 0 || t.rate(failedOf) == 0 && s.idle(t) {
			continue
		}
		if last := len(bands) - 1; last >= 0 && bands[last].To == t.from {
			bands[last].To = t.to
			continue
		}
		bands = append(bands, graph.Band{Role: graph.Failed, From: t.from, To: t.to, Name: "no success"})
	}
	return bands
}

// idle reports whether nothing was to be done in a stretch, as far as is known.
func (s *Source) idle(t *stretch) bool {
	return !slices.ContainsFunc(t.points, func(p rundoc.Point) bool {
		return p.Offered == nil || *p.Offered > 0 || p.InFlight != nil && *p.InFlight > 0
	})
}

// goals returns a rule for each threshold on one of the figures, for a panel of the same unit.
func (s *Source) goals(unit string, figures ...string) (rules []graph.Rule) {
	for i := range s.Run.Thresholds {
		t := &s.Run.Thresholds[i]
		name := t.Expr
		for _, end := range []string{"{", "<", ">", "="} { // the first is of some of the operations
			name, _, _ = strings.Cut(name, end)
		}
		if t.Unit != unit || !slices.Contains(figures, strings.TrimSpace(name)) {
			continue
		}
		rule := graph.Rule{Role: graph.Met, At: t.Limit, Name: "threshold " + units.Clean(t.Expr) + ", met"}
		switch threshold.Of(t) {
		case threshold.Untold:
			rule.Role, rule.Name = graph.Unknown, "threshold "+units.Clean(t.Expr)+", cannot be evaluated"
		case threshold.Missed:
			rule.Role, rule.Name = graph.Failed, "threshold "+units.Clean(t.Expr)+", missed"
		}
		rules = append(rules, rule)
	}
	return rules
}

// end marks the end of a window that was not as long as it was to be.
func (s *Source) end() []graph.Rule {
	name := ""
	switch {
	case s.Run.Aborted != "":
		name = "ended by " + units.Clean(s.Run.Aborted)
	case s.Run.Interrupted:
		name = "interrupted"
	default:
		return nil
	}
	return []graph.Rule{{Role: graph.Failed, At: s.window(), Vertical: true, Name: name}}
}
