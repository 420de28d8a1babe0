package show

import (
	"fmt"
	"strings"
	"time"

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
	f = report.Fact{Key: "Read after", Strong: true, Value: stageAnswer(&b.Times) + " from intended start"}
	if b.Unseen() > 0 {
		f.Value += fmt.Sprintf("; %s of %s never found", units.Number(b.Unseen()), units.Count(b.Batches, "batch", "batches"))
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
		rows = append(rows, report.Timed{Name: "scheduled until read", Of: &b.Times.Summary},
			report.Timed{Name: "  resolution", Of: &b.Resolution.Summary})
	}
	return rows
}

// mostCauses of failed reads are told.
const mostCauses = 8

// reads are the reads that were made beside the updates.
func (v *shown) reads() report.Section {
	r := v.detail.Reads
	if r == nil {
		return report.Section{}
	}
	o := &r.Operation
	s := report.Section{Title: "Reads", Intro: []string{fmt.Sprintf("%s reads per second of %s keys over %s: %s ok, "+
		"%s failed, %s unsent, %s unfinished. %s of %s keys had a value.",
		units.PerSecond(r.RatePerS), units.Clean(r.Keys),
		units.Count(int64(r.Readers), "connection", "connections"), units.Number(o.OK), units.Number(o.Failed),
		units.Number(o.Unsent), units.Number(o.Unfinished), units.Number(r.Found), units.Number(r.Asked))}}
	var why []string
	for _, c := range o.Causes[:min(len(o.Causes), mostCauses)] {
		why = append(why, units.Number(c.Count)+" "+units.Clean(c.Cause))
	}
	if len(why) > 0 {
		s.Intro = append(s.Intro, "Failed reads by cause: "+strings.Join(why, ", ")+".")
	}
	if b := r.Batches; b != nil {
		apart := int64(1e9 / max(r.RatePerS, 1e-9))
		s.Intro = append(s.Intro, fmt.Sprintf("Reads looked for %s by the last update of each and found %s. A batch may "+
			"have been visible earlier, by at most its resolution (the time since the last unsuccessful read started). "+
			"Reads are %s apart.",
			units.Count(b.Batches, "batch", "batches"), units.Number(b.Seen), units.Duration(apart)))
		if b.Unwatched > 0 {
			s.Intro = append(s.Intro, fmt.Sprintf("%s were not looked for: too many were in flight.",
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
	rows = v.WithIntervals(v.WithFree(rows), u)
	s.Title += " in " + u.Name
	s.Tables = []report.Table{report.TimesTable("", rows, u, report.CountFigure,
		report.PercentileFigures(report.Medium), report.MaxFigure)}
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

// readStretch is a row of the course of the reads.
type readStretch struct {
	from, to   time.Duration
	ok, failed float64
	p50, p99   int64 // of the slowest second
}

// readCourse is what the reads took over time.
func (v *shown) readCourse() report.Section {
	r := v.detail.Reads
	if r == nil {
		return report.Section{}
	}
	var points []rundoc.Point
	last := int64(-1)
	for _, p := range r.Series {
		if p.Second > last && p.Second < report.LastSecond && min(p.OK, p.Failed) >= 0 {
			last = p.Second
			points = append(points, p)
		}
	}
	if len(points) == 0 {
		return report.Section{}
	}
	width := v.updatesWidth(last)
	rows, highest, failed := make([]readStretch, last/width+1), 0.0, false
	for i := range rows {
		from := int64(i) * width
		rows[i].from, rows[i].to = time.Duration(from)*time.Second, time.Duration(from+width)*time.Second
	}
	for _, p := range points {
		one := &rows[p.Second/width]
		one.ok, one.failed = one.ok+float64(p.OK), one.failed+float64(p.Failed)
		one.p50, one.p99 = max(one.p50, p.P50NS), max(one.p99, p.P99NS)
		highest, failed = max(highest, float64(one.p50)), failed || p.Failed > 0
	}
	columns := []report.Column[readStretch]{
		report.Right("from", func(r readStretch) string { return units.Clock(r.from) }),
		report.Right("to", func(r readStretch) string { return units.ClockEnd(r.to) }),
		report.Right("reads ok", func(r readStretch) string { return units.Number(int64(r.ok)) }).Gap(""),
	}
	if failed {
		columns = append(columns, report.Right("failed",
			func(r readStretch) string { return units.Number(int64(r.failed)) }).Gap(""))
	}
	columns = append(columns,
		report.Right("p50", func(r readStretch) string { return units.Nonzero(r.p50) }).Gap(""),
		report.Right("p99", func(r readStretch) string { return units.Nonzero(r.p99) }).Gap(""),
		report.Bars(func(r readStretch) float64 { return float64(r.p50) / max(highest, 1) }))
	return report.Section{
		Title:  fmt.Sprintf("Reads per %s", units.Setting(width*1e9)),
		Tables: []report.Table{report.Ends(rows, report.MaxRows, columns...)},
		Notes:  []string{"p50 and p99: response times of the slowest second, if it has enough reads. The bars show the p50."},
	}
}
