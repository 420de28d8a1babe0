package show

import (
	"fmt"
	"io"
	"time"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// GridCell is a run of the reference's table, with what was measured there.
type GridCell struct {
	Batch     int
	RatePerS  float64 // batches
	Listeners int
	Where     string // "AWS" or "GCP"
	// Reading is the time of a call that reads off the queue, Processing from when messages were
	// there until they were applied, E2E from before the send until the batch was applied.
	Reading, Processing, E2E GridFigure
}

// GridFigure is a p50 and a p99.9; 0 is what was not measured.
type GridFigure struct{ P50, P999 time.Duration }

// GridCells are those of the reference: the performance notes of the key/value server of Privacy
// Sandbox's Protected Auction services ("Realtime update capabilities"), on an m5.xlarge of AWS
// over SNS and SQS, and on an n2d-standard-4 of Google Cloud over Pub/Sub, for five minutes each.
func GridCells() []GridCell {
	const us, ms = time.Microsecond, time.Millisecond
	return []GridCell{
		{1000, 45, 1, "GCP", GridFigure{}, GridFigure{2 * ms, 5 * ms}, GridFigure{32 * ms, 2000 * ms}},
		{1000, 45, 4, "AWS", GridFigure{77 * ms, 505 * ms}, GridFigure{3 * ms, 34 * ms},
			GridFigure{316 * ms, 1200 * ms}},
		{500, 105, 1, "GCP", GridFigure{}, GridFigure{1 * ms, 3 * ms}, GridFigure{35 * ms, 5000 * ms}},
		{500, 105, 4, "AWS", GridFigure{77 * ms, 622 * ms}, GridFigure{3 * ms, 17 * ms},
			GridFigure{222 * ms, 1700 * ms}},
		{250, 210, 1, "GCP", GridFigure{}, GridFigure{450 * us, 1600 * us}, GridFigure{67 * ms, 4400 * ms}},
		{250, 210, 4, "AWS", GridFigure{47 * ms, 1800 * ms}, GridFigure{4 * ms, 19 * ms},
			GridFigure{961 * ms, 4700 * ms}},
		{125, 420, 1, "GCP", GridFigure{}, GridFigure{310 * us, 1100 * us}, GridFigure{300 * ms, 900 * ms}},
		{125, 420, 4, "GCP", GridFigure{}, GridFigure{460 * us, 3600 * us}, GridFigure{32 * ms, 1600 * ms}},
	}
}

// String is the cell as "1000 × 45, 4 listeners".
func (c *GridCell) String() string {
	return fmt.Sprintf("%s, %s", c.load(), units.Count(int64(c.Listeners), "listener", "listeners"))
}

// GridRun is what became of a cell.
type GridRun struct {
	GridCell
	ID       string // of the run
	Detail   rundoc.UpdatesDetail
	Validity rundoc.Validity
}

// WriteGrid writes the runs of the reference's table beside its figures, as text or Markdown.
func WriteGrid(w io.Writer, runs []GridRun, markdown bool, opt report.Options) error {
	all := []report.Section{gridEndToEnd(runs), gridOther(runs), gridRuns(runs)}
	const title = "Plimsoll updates: loads for which Google published results"
	if markdown {
		return report.PartsMarkdown(w, title, nil, all)
	}
	return report.PartsText(w, title, nil, all, opt)
}

// gridTable is a table of the runs, which begins with their load.
func gridTable(runs []GridRun, columns ...report.Column[GridRun]) report.Table {
	return report.TableOf(runs, append([]report.Column[GridRun]{
		report.Right("load", func(r GridRun) string { return r.load() }),
		report.Right("recv", func(r GridRun) string { return units.Number(int64(r.Listeners)) }),
	}, columns...)...)
}

// gridEndToEnd is the table of the end-to-end times.
func gridEndToEnd(runs []GridRun) report.Section {
	sent := func(r GridRun) rundoc.Summary { return stageSummary(&r.Detail, rundoc.StageE2ESent) }
	s := report.Section{Title: "End-to-end time, from send until applied",
		Tables: []report.Table{gridTable(runs,
			report.Right("updates/s", func(r GridRun) string { return units.PerSecond(r.Detail.AppliedPerS) }),
			report.Right("p50", func(r GridRun) string { return units.Optional(sent(r).P50NS) }),
			report.Right("p99", func(r GridRun) string { return units.Optional(sent(r).P99NS) }),
			report.Right("p99.9", func(r GridRun) string { return units.Optional(sent(r).P999NS) }),
			report.Right("max", func(r GridRun) string {
				s := sent(r)
				return report.IfAny(&s, s.MaxNS)
			}),
			report.Left("published", func(r GridRun) string { return r.Where + " " + r.E2E.String() }),
		)}, Notes: []string{
			"load: updates per batch × batches per second. recv: number of listeners. published: p50 and p99.9 " +
				"of Google. –: too few batches; p99 needs 1,000, p99.9 needs 10,000.",
		}}
	if len(runs) > 0 {
		d := &runs[0].Detail
		s.Notes = append(s.Notes, fmt.Sprintf("This run: %s with %s, %s. Google: SNS and SQS with an m5.xlarge (AWS), "+
			"Pub/Sub with an n2d-standard-4 (GCP), remote services, five minutes each. The message service differs more "+
			"than the server.",
			units.OrNone(units.Clean(d.Transport)), units.OrNone(units.Clean(d.Client)), gridPlace(d)))
	}
	return s
}

// gridPlace says where publisher and server ran.
func gridPlace(d *rundoc.UpdatesDetail) string {
	if d.Clock.Shared {
		return "publisher and server on one machine"
	}
	return "publisher and server on two machines"
}

// gridOther is the table of the reference's two other figures.
func gridOther(runs []GridRun) report.Section {
	reading := func(r GridRun) rundoc.Summary { return stageSummary(&r.Detail, rundoc.StageReading) }
	processing := func(r GridRun) rundoc.Summary { return stageSummary(&r.Detail, rundoc.StageProcessing) }
	return report.Section{Title: "Other published results", Tables: []report.Table{gridTable(runs,
		report.Right("reading", func(r GridRun) string { return units.Optional(reading(r).P50NS) }),
		report.Left("published", func(r GridRun) string { return r.Reading.String() }),
		report.Right("processing", func(r GridRun) string { return units.Optional(processing(r).P50NS) }),
		report.Right("p99.9", func(r GridRun) string { return units.Optional(processing(r).P999NS) }),
		report.Left("published", func(r GridRun) string { return r.Processing.String() }),
	)}, Notes: []string{
		"reading: p50 of a receive call, which is mostly idle and depends on how often batches arrive. processing: from " +
			"received until applied.",
	}}
}

// gridRuns says where each run is, and whether it can be believed.
func gridRuns(runs []GridRun) report.Section {
	return report.Section{Title: "Runs", Tables: []report.Table{gridTable(runs,
		report.Left("proof", func(r GridRun) string {
			if r.Detail.Proof == nil {
				return units.Dash
			}
			return r.Detail.Proof.Outcome()
		}),
		report.Left("verdict", func(r GridRun) string { return units.Clean(string(r.Validity)) }),
		report.Left("run", func(r GridRun) string { return units.Clean(r.ID) }),
	)}, Notes: []string{
		"proof: no losses, no duplicates, final state matches. Show a saved run with 'plimsoll report RUN'.",
	}}
}

func (c *GridCell) load() string { return fmt.Sprintf("%d × %g", c.Batch, c.RatePerS) }

// String is the p50 and the p99.9, or a units.Dash for neither.
func (f GridFigure) String() string {
	if f == (GridFigure{}) {
		return units.Dash
	}
	return f.P50.String() + ", " + f.P999.String() // with the digits that it gives
}

// stageSummary is a stage of a run, or an empty one.
func stageSummary(d *rundoc.UpdatesDetail, name string) rundoc.Summary {
	if s := d.Stage(name); s != nil {
		return s.Summary
	}
	return rundoc.Summary{}
}
