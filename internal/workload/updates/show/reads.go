package show

import (
	"fmt"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// readsAnswer says how long reads took beside the updates, and how soon they found them.
func (v *shown) readsAnswer() []report.Fact {
	r := v.detail.Reads
	if r == nil {
		return nil
	}
	o := &r.Operation
	f := report.Fact{Key: "Reads", Strong: true, Value: stageAnswer(&rundoc.UpdateStage{Summary: o.ResponseTime}) +
		fmt.Sprintf(" at %s reads/s", units.PerSecond(r.RatePerS))}
	if o.Failed+o.Unsent > 0 {
		f.Value += fmt.Sprintf("; %s of %s failed, %s unsent", units.Number(o.Failed), units.Number(o.Scheduled),
			units.Number(o.Unsent))
		f.Tone = report.Doubtful
	}
	facts := []report.Fact{f}
	b := r.Batches
	if b == nil {
		return facts
	}
	f = report.Fact{Key: "Read after", Strong: true, Value: stageAnswer(&b.Times) + " from the schedule"}
	if b.Unseen() > 0 {
		f.Value += fmt.Sprintf("; %s of %s never", units.Number(b.Unseen()), units.Count(b.Batches, "batch", "batches"))
		f.Tone = report.Bad
	}
	return append(facts, f)
}

// readRows are the times of the reads, with their names.
func readRows(r *rundoc.UpdateReads) []report.Timed {
	rows := []report.Timed{
		{Name: "read: response time", Of: &r.Operation.ResponseTime},
		{Name: "read: service time", Of: &r.Operation.ServiceTime},
	}
	if b := r.Batches; b != nil {
		rows = append(rows, report.Timed{Name: "due until read", Of: &b.Times.Summary},
			report.Timed{Name: "  of it resolution", Of: &b.Resolution.Summary})
	}
	return rows
}

// reads are the reads that were made beside the updates.
func (v *shown) reads() report.Section {
	r := v.detail.Reads
	if r == nil {
		return report.Section{}
	}
	o := &r.Operation
	s := report.Section{Title: "Reads", Intro: []string{fmt.Sprintf("%s reads a second were due, of %s keys, over %s: "+
		"%s ok, %s failed, %s unsent, %s unfinished. %s of %s keys had a value.",
		units.PerSecond(r.RatePerS), units.Clean(r.Keys),
		units.Count(int64(r.Readers), "connection", "connections"), units.Number(o.OK), units.Number(o.Failed),
		units.Number(o.Unsent), units.Number(o.Unfinished), units.Number(r.Found), units.Number(r.Asked))}}
	if b := r.Batches; b != nil {
		apart := int64(1e9 / max(r.RatePerS, 1e-9))
		s.Intro = append(s.Intro, fmt.Sprintf("Reads looked for %s, each by its last update, and found %s. Each was "+
			"there at most its resolution sooner: since the last read that did not find it had begun. Reads are %s apart.",
			units.Count(b.Batches, "batch", "batches"), units.Number(b.Seen), units.Duration(apart)))
		if b.Unwatched > 0 {
			s.Intro = append(s.Intro, fmt.Sprintf("%s were not looked for: too many were on their way.",
				units.Count(b.Unwatched, "batch", "batches")))
		}
	}
	var rows []report.Timed
	for _, one := range readRows(r) {
		if one.Of.Count > 0 {
			rows = append(rows, one)
		}
	}
	if len(rows) == 0 {
		return s
	}
	absent := report.Missing(rows, report.Medium)
	u := report.TableUnit(rows)
	rows = v.WithFree(rows)
	s.Title += " in " + u.Name
	s.Tables = []report.Table{report.TimesTable("", rows, u, report.CountFigure,
		report.PercentileFigures(report.Medium), report.MaxFigure)}
	if report.HasFree(rows) {
		s.Notes = append(s.Notes, report.FreeLegend)
	}
	if len(absent) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s: too few of them; %s.", units.Dash, report.Needs(absent)))
	}
	return s
}
