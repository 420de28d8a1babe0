package show

import (
	"io"
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// csvRow is a stage, or what became of the batches that were due.
type csvRow struct {
	rundoc.NamedStage
	stage bool // it has a lowest time and a mean
	times bool // it has percentiles
	most  bool // it has a longest time
}

// writeCSV writes a row for each stage of an updates run, in the order of a batch's way, and for what became of
// the batches that were due.
//
// The columns: stage, by its name in the run document; negative (durations below 0),
// negative_min_ns (the lowest of them); then count, of the durations from 0 on, and min_ns to
// max_ns as in CSV; last free_mean_ns to free_max_ns, without the publisher's own delay. A figure that is absent is
// an empty cell. The row "due" has the batches that were due and the percentiles over all of them; the rows from
// "due: in time" on have a count alone, and sum to it. Of several servers these rows follow for each, from "server 1: "
// on; those of the reads, if there were any, stand before them.
func writeCSV(w io.Writer, run *rundoc.Run) error {
	summary := func(r *csvRow) *rundoc.Summary { return &r.Summary }
	figures := report.SummaryColumns("", summary)
	last := len(figures) - 1
	for i := range figures {
		switch {
		case i == 0: // the count
		case i == last:
			figures[i] = figures[i].Only(func(r *csvRow) bool { return r.most })
		case i < 4:
			figures[i] = figures[i].Only(func(r *csvRow) bool { return r.stage })
		default:
			figures[i] = figures[i].Only(func(r *csvRow) bool { return r.times })
		}
	}
	return report.WriteCSV(w, csvRows(run), slices.Concat([]report.Column[*csvRow]{
		report.Left("stage", func(r *csvRow) string { return r.Name }),
		report.Left("negative", func(r *csvRow) string { return strconv.FormatInt(r.Negative, 10) }).
			Only(func(r *csvRow) bool { return r.stage }),
		report.Left("negative_min_ns", func(r *csvRow) string { return strconv.FormatInt(r.NegativeMin, 10) }).
			Only(func(r *csvRow) bool { return r.Negative != 0 }),
	}, figures, report.FreeColumns("free_", summary))...)
}

func csvRows(run *rundoc.Run) []*csvRow {
	d := run.Updates()
	if d == nil {
		return nil
	}
	rows := detailRows(d)
	if d.Reads != nil {
		rows = append(rows, readsRows(d.Reads)...)
	}
	for i := range d.Servers {
		for _, r := range detailRows(d.Alone(i)) {
			if r.Name != rundoc.StagePublish {
				r.Name = "server " + strconv.Itoa(i+1) + ": " + r.Name
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// readsRows are those of the reads: their times, those of what they found, and what became of them.
func readsRows(r *rundoc.UpdateReads) []*csvRow {
	stage := func(name string, s rundoc.UpdateStage) *csvRow {
		return &csvRow{NamedStage: rundoc.NamedStage{Name: name, UpdateStage: s}, stage: true, times: true, most: true}
	}
	count := func(name string, n int64) *csvRow {
		return &csvRow{NamedStage: rundoc.NamedStage{Name: name,
			UpdateStage: rundoc.UpdateStage{Summary: rundoc.Summary{Count: n}}}}
	}
	o := &r.Operation
	rows := []*csvRow{
		stage("reads: response time", rundoc.UpdateStage{Summary: o.ResponseTime}),
		stage("reads: service time", rundoc.UpdateStage{Summary: o.ServiceTime}),
		count("reads", o.Scheduled), count("reads: ok", o.OK), count("reads: failed", o.Failed),
		count("reads: unsent", o.Unsent), count("reads: unfinished", o.Unfinished),
	}
	if b := r.Batches; b != nil {
		rows = append(rows, stage("due until read", b.Times), stage("due until read: resolution", b.Resolution),
			count("batches looked for", b.Batches), count("batches looked for: never read", b.Unseen()))
	}
	return rows
}

// detailRows are those of all servers together, or of one.
func detailRows(d *rundoc.UpdatesDetail) []*csvRow {
	var rows []*csvRow
	for _, s := range d.Stages {
		rows = append(rows, &csvRow{NamedStage: s, stage: true, times: true, most: true})
	}
	b := d.Due
	if b == nil {
		return rows
	}
	count := func(name string, s rundoc.Summary) *csvRow {
		return &csvRow{NamedStage: rundoc.NamedStage{Name: name, UpdateStage: rundoc.UpdateStage{Summary: s}}}
	}
	due := count("due", b.Times())
	due.Summary.Count, due.times, due.most = b.Batches, true, b.MaxNS != nil
	rows = append(rows, due)
	for _, p := range duePlaces(b) {
		rows = append(rows, count("due: "+p.name, rundoc.Summary{Count: p.n}))
	}
	return rows
}
