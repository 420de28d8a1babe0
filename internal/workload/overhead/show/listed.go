package show

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// medians is an overhead run in the list of runs: how many operations it measured, and
// the lowest and the highest of their medians. The figure is the client time; the
// overhead, or the SDK time, where the run has no other.
type medians struct {
	Operations int     `json:"operations"`
	LowestNS   float64 `json:"lowest_median_ns"`
	HighestNS  float64 `json:"highest_median_ns"`
}

// listed shows the medians: the operations are of several kinds and have no rate together.
func listed(run *rundoc.Run, l *report.Listing) {
	d := run.Overhead()
	if d == nil {
		return
	}
	m := mediansOf(d)
	*l = report.Listing{Rate: m.text(), Load: loadOf(run), Own: &report.Own{Name: "overhead", Value: m}}
}

func mediansOf(d *rundoc.OverheadDetail) *medians {
	m := &medians{}
	for i := range d.Rows {
		s := firstFigure(&d.Rows[i])
		if s.N == 0 {
			continue
		}
		if m.Operations++; m.Operations == 1 {
			m.LowestNS, m.HighestNS = s.MedNS, s.MedNS
		}
		m.LowestNS, m.HighestNS = min(m.LowestNS, s.MedNS), max(m.HighestNS, s.MedNS)
	}
	return m
}

// firstFigure is the one that says most of what a call costs, of those that a row has.
func firstFigure(r *rundoc.OverheadRow) *rundoc.Sample {
	for _, figure := range []string{FigureClientTime, FigureOverhead} {
		if s := sampleOf(r, figure); s.N != 0 {
			return s
		}
	}
	return &r.SDKTime
}

// text is shown in place of a rate.
func (m *medians) text() string {
	lowest, highest := units.Duration(int64(m.LowestNS)), units.Duration(int64(m.HighestNS))
	switch m.Operations {
	case 0:
		return units.Dash
	case 1:
		return "1 operation, median " + lowest
	}
	return fmt.Sprintf("%d operations, medians %s–%s", m.Operations, lowest, highest)
}

// loadOf says by what two runs can be told apart: what was called, and for how long or how often.
func loadOf(run *rundoc.Run) string {
	const few = 2
	var p struct {
		Operations  []string `json:"operations"`
		Exec        string   `json:"exec"`
		Concurrency int64    `json:"concurrency"`
		Calls       int64    `json:"calls"`
		TimeNS      int64    `json:"time_ns"`
	}
	if json.Unmarshal(run.Plan, &p) != nil {
		return "" // a plan of another shape
	}
	var parts []string
	if p.Exec != "" {
		parts = append(parts, units.Shorten(units.Clean(p.Exec), 30))
	}
	if len(p.Operations) > 0 {
		parts = append(parts, units.Clean(units.FirstOf(p.Operations, few)))
	}
	if p.Concurrency > 1 {
		parts = append(parts, "concurrency "+units.Number(p.Concurrency))
	}
	switch {
	case p.Calls > 0:
		parts = append(parts, units.Count(p.Calls, "call", "calls"))
	case p.TimeNS > 0:
		parts = append(parts, units.Setting(p.TimeNS)+" each")
	}
	return strings.Join(parts, ", ")
}
