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
		{"receive call", rundoc.StageReading},
		{"  idle", rundoc.StageReceiveIdle},
		{"  busy", rundoc.StageReceiveBusy},
		{"queued in the server", rundoc.StageQueued},
		{"decode and apply", rundoc.StageApply},
		{"queued + apply", rundoc.StageProcessing},
		{"acknowledge", rundoc.StageAcknowledge},
		{"from send", rundoc.StageE2ESent},
		{"to the first server", rundoc.StageFirst},
		{"from intended start", rundoc.StageE2EScheduled},
		{"between the servers", rundoc.StageSpread},
		{"by broker clock", rundoc.StageE2EBroker},
	}
}

// updateStages is the table of the stages.
func (v *shown) updateStages() report.Section {
	d := v.detail
	s := report.Section{Title: "Stages of a batch"}
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
		s.Notes = append(s.Notes, fmt.Sprintf("%s: too few values; %s.", units.Dash, report.Needs(absent)))
	}
	return s
}

// stageNotes say what the table does not.
func (v *shown) stageNotes() []string {
	d := v.detail
	if len(d.Servers) > 0 {
		return []string{"from intended start: until the last server applied the batch. between the servers: from the " +
			"first to the last server."}
	}
	var notes []string
	if idle, reading := d.Stage(rundoc.StageReceiveIdle), d.Stage(rundoc.StageReading); idle != nil &&
		reading != nil && idle.Summary.Count > 0 {
		of := func(s *rundoc.UpdateStage) float64 { return float64(s.Summary.MeanNS) * float64(s.Summary.Count) }
		notes = append(notes, fmt.Sprintf("The receive call was idle for %s of its time, because no message had been "+
			"sent. %s returned %s.",
			units.Share(of(idle), of(reading)), units.Count(d.Receives, "call", "calls"), units.Count(d.Messages,
				"message", "messages")))
	}
	if missing := v.untimed(); missing != "" {
		notes = append(notes, missing)
	}
	for _, r := range stageRows() {
		if s := d.Stage(r.stage); s != nil && s.Negative > 0 {
			notes = append(notes, fmt.Sprintf("Negative values in %q: %s, minimum %s. They count as the lowest values of "+
				"the percentiles, but not elsewhere in the row.",
				strings.TrimSpace(r.name), units.Count(s.Negative, "duration",
					"durations"), units.Duration(s.NegativeMin)))
		}
	}
	if d.NoClock > 0 {
		notes = append(notes, fmt.Sprintf("%s without end-to-end times: the clocks could not be synchronized.",
			units.Count(d.NoClock, "batch is", "batches are")))
	}
	return notes
}

// untimed says which stages are missing, when there are others.
func (v *shown) untimed() string {
	d := v.detail
	if d.Stage(rundoc.StageApply) == nil {
		if d.Proof == nil {
			return "The run only published: stages after the broker are unknown."
		}
		return "The server reported no times."
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
		fmt.Fprintf(&b, "Unknown: %s. ", strings.Join(list, ", "))
	}
	if d.Stage(rundoc.StageAcknowledge) == nil && !d.AtLeastOnce {
		b.WriteString("No acknowledgements: this transport delivers at most once. ")
	}
	if d.Stage(rundoc.StageE2EBroker) == nil {
		b.WriteString("The broker adds no timestamps, so there is no end-to-end time by its clock.")
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
		s.Intro = []string{"Publisher and server use the same monotonic clock of one machine, so their times are exactly " +
			"comparable."}
		return s
	}
	way, off := "ahead of", c.OffsetNS
	if off < 0 {
		way, off = "behind", -off
	}
	s.Intro = []string{fmt.Sprintf("The clock of the server was %s %s that of the publisher, with an error of up to "+
		"%s (half of the shortest round trip), and drifted by %s during the run. Times from publisher to server can be "+
		"off by that much; times within the server are exact.",
		units.Duration(off), way, units.Duration(c.BoundNS), units.Duration(c.DriftNS))}
	return s
}
