package show

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// stageRow is a stage as the table calls it.
type stageRow struct{ name, stage string }

// stageRows are in the order of the way of a batch, the end to end last.
func stageRows() []stageRow {
	return []stageRow{
		{"publish", rundoc.StagePublish},
		{"transit", rundoc.StageTransit},
		{"reading off the queue", rundoc.StageReading},
		{"  of it idle", rundoc.StageReceiveIdle},
		{"  of it busy", rundoc.StageReceiveBusy},
		{"waiting in the server", rundoc.StageQueued},
		{"decode and apply", rundoc.StageApply},
		{"processing: both", rundoc.StageProcessing},
		{"acknowledge", rundoc.StageAcknowledge},
		{"from the send on", rundoc.StageE2ESent},
		{"to the first server", rundoc.StageFirst},
		{"from the schedule on", rundoc.StageE2EScheduled},
		{"between the servers", rundoc.StageSpread},
		{"by the broker's clock", rundoc.StageE2EBroker},
	}
}

// updateStages is the table of the stages.
func (v *shown) updateStages() report.Section {
	d := v.detail
	s := report.Section{Title: "The way of a batch"}
	var rows []report.Timed
	for _, r := range stageRows() {
		if stage := d.Stage(r.stage); stage != nil && stage.Summary.Count > 0 {
			rows = append(rows, report.Timed{Name: r.name, Of: &stage.Summary})
		}
	}
	if len(rows) == 0 {
		return report.Section{}
	}
	absent := report.Missing(rows, report.Medium)
	u := report.TableUnit(rows)
	rows = v.WithIntervals(v.WithFree(rows), u)
	s.Title += " in " + u.Name
	s.Tables = []report.Table{report.TimesTable("stage", rows, u, report.CountFigure,
		report.PercentileFigures(report.Medium), report.MaxFigure)}
	s.Notes = append(s.Notes, v.stageNotes()...)
	if report.HasFree(rows) {
		s.Notes = append(s.Notes, report.FreeLegend)
	}
	if report.HasIntervals(rows) {
		s.Notes = append(s.Notes, report.IntervalLegend)
	}
	if len(absent) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s: too few of them; %s.", units.Dash, report.Needs(absent)))
	}
	return s
}

// stageNotes say what the table does not.
func (v *shown) stageNotes() []string {
	d := v.detail
	if len(d.Servers) > 0 {
		return []string{"From the schedule on: until the last server has applied the batch. Between the servers: from the " +
			"first to the last of them."}
	}
	var notes []string
	if idle, reading := d.Stage(rundoc.StageReceiveIdle), d.Stage(rundoc.StageReading); idle != nil &&
		reading != nil && idle.Summary.Count > 0 {
		of := func(s *rundoc.UpdateStage) float64 { return float64(s.Summary.MeanNS) * float64(s.Summary.Count) }
		notes = append(notes, fmt.Sprintf("Reading off the queue was idle waiting for %s: nothing had been sent that "+
			"it could have returned. %s returned %s.",
			units.Share(of(idle), of(reading)), units.Count(d.Receives, "call", "calls"), units.Count(d.Messages,
				"message", "messages")))
	}
	if missing := v.untimed(); missing != "" {
		notes = append(notes, missing)
	}
	for _, r := range stageRows() {
		if s := d.Stage(r.stage); s != nil && s.Negative > 0 {
			notes = append(notes, fmt.Sprintf("Below zero in %q: %s, %s at the lowest. They count in its percentiles "+
				"as the lowest, and in nothing else of its row.",
				strings.TrimSpace(r.name), units.Count(s.Negative, "duration",
					"durations"), units.Duration(s.NegativeMin)))
		}
	}
	if d.NoClock > 0 {
		notes = append(notes, fmt.Sprintf("%s without times from the publisher on: the clocks could not be related.",
			units.Count(d.NoClock, "batch is", "batches are")))
	}
	return notes
}

// untimed says which stages are missing, when there are others.
func (v *shown) untimed() string {
	d := v.detail
	if d.Stage(rundoc.StageApply) == nil {
		if d.Proof == nil {
			return "The run only published: nothing is known of the way after the broker."
		}
		return "The server told no times."
	}
	var list []string
	for _, r := range stageRows() {
		if r.stage == rundoc.StageE2EBroker ||
			r.stage == rundoc.StageFirst || r.stage == rundoc.StageSpread || r.stage == rundoc.StageProcessing ||
			r.stage == rundoc.StageAcknowledge && !d.AtLeastOnce {
			continue
		}
		if s := d.Stage(r.stage); s == nil || s.Summary.Count+s.Negative == 0 {
			list = append(list, strings.TrimSpace(r.name))
		}
	}
	var b strings.Builder
	if len(list) > 0 {
		fmt.Fprintf(&b, "Not known: %s. ", strings.Join(list, ", "))
	}
	if d.Stage(rundoc.StageAcknowledge) == nil && !d.AtLeastOnce {
		b.WriteString("Nothing is acknowledged by the server: this transport delivers at most once. ")
	}
	if d.Stage(rundoc.StageE2EBroker) == nil {
		b.WriteString("The broker's messages carry no time of its own, so that there is no end to end by its clock.")
	}
	return strings.TrimSpace(b.String())
}

// clocks says how the publisher's and the server's times were related.
func (v *shown) clocks() report.Section {
	d := v.detail
	s := report.Section{Title: "Clocks"}
	if d.Stage(rundoc.StageApply) == nil {
		return report.Section{}
	}
	c := &d.Clock
	if c.Shared {
		s.Intro = []string{"Publisher and server read the same monotonic clock of one machine: their times are " +
			"related exactly."}
		return s
	}
	way, off := "ahead of", c.OffsetNS
	if off < 0 {
		way, off = "behind", -off
	}
	s.Intro = []string{fmt.Sprintf("The server's clock was %s %s the publisher's, ± %s (half of the shortest round "+
		"trip in which it was asked), "+
		"and that changed by %s during the run. All times from the publisher to the server may be off by as much; "+
		"those of the server alone are exact.",
		units.Duration(off), way, units.Duration(c.BoundNS), units.Duration(c.DriftNS))}
	return s
}
