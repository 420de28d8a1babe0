package report

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/rundoc"
)

// point is one percentile of a summary.
type point struct {
	name  string
	value *int64
	needs int64 // observations, for rundoc.MinAbove to lie above it
}

func percentiles(s *rundoc.Summary) [5]point {
	return [...]point{
		{"p50", s.P50NS, 2 * rundoc.MinAbove},
		{"p90", s.P90NS, 10 * rundoc.MinAbove},
		{"p95", s.P95NS, 20 * rundoc.MinAbove},
		{"p99", s.P99NS, 100 * rundoc.MinAbove},
		{"p99.9", s.P999NS, 1000 * rundoc.MinAbove},
	}
}

// times is the table of response, service and send delay times.
func (v *view) times() section {
	s := section{title: "Times"}
	t := table{columns: columnsOf("<", "<", "mean", "p50", "p90", "p95", "p99", "p99.9", "min", "max")}
	o := &v.total
	absent := map[string]bool{}
	row := func(name string, sum *rundoc.Summary) {
		if sum.Count > 0 {
			t.add(timesRow(name, sum, absent)...)
		}
	}
	row("response time", &o.ResponseTime)
	row("service time", &o.ServiceTime)
	row("send delay", &o.SendDelay)
	if o.Retries > 0 {
		row("first attempt", &o.FirstAttempt)
	}
	if len(t.rows) == 0 {
		s.intro = []string{fmt.Sprintf("No %s had a response, so there are no times.", v.words.one)}
		return s
	}
	s.tables = []table{t}
	s.notes = append(s.notes, v.timesLegend())
	if len(absent) > 0 {
		s.notes = append(s.notes, absentNote(absent, o.ResponseTime.Count))
	}
	return s
}

// timesRow shows a summary in one unit, so that its figures compare at a glance.
func timesRow(name string, s *rundoc.Summary, absent map[string]bool) []string {
	u := unitFor(s.MeanNS)
	if s.P50NS != nil {
		u = unitFor(*s.P50NS)
	}
	cells := []string{name, u.name, u.in(s.MeanNS)}
	for _, p := range percentiles(s) {
		if p.value == nil {
			absent[p.name] = true
			cells = append(cells, dash)
			continue
		}
		cells = append(cells, u.in(*p.value))
	}
	return append(cells, u.in(s.MinNS), u.in(s.MaxNS))
}

func (v *view) timesLegend() string {
	var b strings.Builder
	if v.open {
		b.WriteString("Response time: from when the schedule said to start, to the end. Service time: from the actual start. " +
			"Send delay: the difference, the wait for a free client or for the generator.")
	} else {
		fmt.Fprintf(&b, "Closed model: a client starts its next %s when the last has ended, so that response and service time are the same, "+
			"and nothing is said about how long a user would have waited for a turn.", v.words.one)
	}
	if v.total.Retries > 0 {
		b.WriteString(" They contain all retries; the first attempt is shown apart.")
	}
	return b.String()
}

// absentNote explains the dashes.
func absentNote(absent map[string]bool, count int64) string {
	var parts []string
	for _, p := range percentiles(&rundoc.Summary{}) {
		if absent[p.name] {
			parts = append(parts, fmt.Sprintf("%s needs %s", p.name, number(p.needs)))
		}
	}
	return fmt.Sprintf("%s: too few of them; there are %s, and %s, so that %d lie above it.",
		dash, number(count), strings.Join(parts, ", "), rundoc.MinAbove)
}
