package show

import (
	"encoding/json"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// outcome is an updates run in the list of runs.
type outcome struct {
	AppliedPerS   float64 `json:"applied_per_s,omitempty"`
	ProofComplete bool    `json:"proof_complete"`
	Proof         string  `json:"proof"` // complete, incomplete or unknown
}

// listed shows what became of the updates, where a server was asked for it.
func listed(run *rundoc.Run, l *report.Listing) {
	l.Load = loadOf(run)
	d := run.Updates()
	if d == nil || d.Proof == nil {
		return
	}
	l.Own = &report.Own{Name: "updates", Value: &outcome{d.AppliedPerS, d.Proof.Complete, d.Proof.Outcome()}}
	l.P99NS = nil
	if s := d.Stage(rundoc.StageE2EScheduled); s != nil {
		l.P99NS = s.Summary.P99NS
		if d.Due != nil && d.Due.Absent() > 0 {
			l.P99NS = d.Due.P99NS
		}
	}
	l.Rate = units.Dash // as after a restart of the server
	if d.AppliedPerS > 0 {
		l.Rate = units.PerSecond(d.AppliedPerS) + " updates/s"
	}
	if !d.Proof.Complete {
		l.Verdict = ", proof " + d.Proof.Outcome()
	}
}

// loadOf says by what two runs can be told apart: their load in batches, and what a batch has.
func loadOf(run *rundoc.Run) string {
	var p struct {
		Batch     int64 `json:"batch"`
		Listeners int64 `json:"listeners"`
	}
	parts := []string{report.LoadOf(run)}
	if json.Unmarshal(run.Plan, &p) != nil || parts[0] == "" {
		return parts[0] // a plan of another shape
	}
	if p.Batch > 1 {
		parts = append(parts, "batches of "+units.Number(p.Batch))
	}
	if p.Listeners > 0 {
		parts = append(parts, units.Count(p.Listeners, "listener", "listeners"))
	}
	return strings.Join(parts, ", ")
}
