package report

import (
	"fmt"
	"slices"
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
	t := table{columns: columnsOf("<", "mean", "p50", "p90", "p95", "p99", "p99.9", "min", "max")}
	o := &v.total
	all := []timed{{"response time", &o.ResponseTime}, {"service time", &o.ServiceTime}, {"send delay", &o.SendDelay}}
	if o.Retries > 0 {
		all = append(all, timed{"first attempt", &o.FirstAttempt})
	}
	all = slices.DeleteFunc(all, func(r timed) bool { return r.sum.Count == 0 })
	if len(all) == 0 {
		s.intro = []string{fmt.Sprintf("No %s was answered with success, so there are no times.", v.words.one)}
		return s
	}
	u := tableUnit(all)
	s.title += " in " + u.name
	absent := map[string]bool{}
	for _, r := range all {
		t.add(timesRow(r, u, absent)...)
	}
	s.tables = []table{t}
	s.notes = append(s.notes, v.timesLegend())
	if len(absent) > 0 {
		s.notes = append(s.notes, absentNote(absent, o.ResponseTime.Count))
	}
	return s
}

// timed is a row of the table.
type timed struct {
	name string
	sum  *rundoc.Summary
}

// tableUnit is the one unit of a whole table, so that its rows compare at a glance: that of
// the largest p99, or of the largest time where there is no p99.
func tableUnit(rows []timed) unit {
	var largest int64
	for _, r := range rows {
		if r.sum.P99NS != nil {
			largest = max(largest, *r.sum.P99NS)
		} else {
			largest = max(largest, r.sum.MaxNS)
		}
	}
	switch {
	case largest < 1e6:
		return unit{"µs", 1e3}
	case largest < 10e9:
		return unit{"ms", 1e6}
	}
	return unit{"s", 1e9}
}

func timesRow(r timed, u unit, absent map[string]bool) []string {
	s := r.sum
	cells := []string{r.name, u.in(s.MeanNS)}
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
