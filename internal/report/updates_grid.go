package report

import (
	"bufio"
	"fmt"
	"io"
	"time"

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
		{1000, 45, 4, "AWS", GridFigure{77 * ms, 505 * ms}, GridFigure{3 * ms, 34 * ms}, GridFigure{316 * ms, 1200 * ms}},
		{500, 105, 1, "GCP", GridFigure{}, GridFigure{1 * ms, 3 * ms}, GridFigure{35 * ms, 5000 * ms}},
		{500, 105, 4, "AWS", GridFigure{77 * ms, 622 * ms}, GridFigure{3 * ms, 17 * ms}, GridFigure{222 * ms, 1700 * ms}},
		{250, 210, 1, "GCP", GridFigure{}, GridFigure{450 * us, 1600 * us}, GridFigure{67 * ms, 4400 * ms}},
		{250, 210, 4, "AWS", GridFigure{47 * ms, 1800 * ms}, GridFigure{4 * ms, 19 * ms}, GridFigure{961 * ms, 4700 * ms}},
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

// UpdatesGrid writes the runs of the reference's table beside its figures, as text or Markdown.
func UpdatesGrid(w io.Writer, runs []GridRun, markdown bool) error {
	all := []Section{gridEndToEnd(runs), gridOther(runs), gridRuns(runs)}
	b := bufio.NewWriter(w)
	const title = "Plimsoll updates, the loads of the reference"
	if markdown {
		fmt.Fprintf(b, "## %s\n", title)
		for _, s := range all {
			markdownSection(b, s)
		}
		return b.Flush() // the first error of all the writes
	}
	t := printer{w: b}
	t.lines(0, title)
	for _, s := range all {
		t.section(s)
	}
	return b.Flush()
}

// gridEndToEnd is the table of the end-to-end times.
func gridEndToEnd(runs []GridRun) Section {
	t := Table{columns: columnsOf("load", "by", "updates/s", "p50", "p99", "p99.9", "max", "<reference")}
	for i := range runs {
		r := &runs[i]
		s := stageSummary(&r.Detail, rundoc.StageE2ESent)
		t.add(r.load(), units.Number(int64(r.Listeners)), units.PerSecond(r.Detail.AppliedPerS), units.Optional(s.P50NS), units.Optional(s.P99NS), units.Optional(s.P999NS), IfAny(&s, s.MaxNS),
			r.Where+" "+r.E2E.String())
	}
	s := Section{Title: "End to end, from the send until a batch is applied", Tables: []Table{t}, Notes: []string{
		"Load: updates in a batch × batches a second. By: so many listeners. Reference: its p50 and p99.9. –: too few batches; p99 needs 1,000, p99.9 needs 10,000.",
	}}
	if len(runs) > 0 {
		d := &runs[0].Detail
		s.Notes = append(s.Notes, fmt.Sprintf("Here: %s by %s, %s. The reference: SNS and SQS with an m5.xlarge (AWS), Pub/Sub with an n2d-standard-4 (GCP), "+
			"services away from the server, for five minutes each. What differs is the message service more than the server.",
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
func gridOther(runs []GridRun) Section {
	t := Table{columns: columnsOf("load", "by", "reading", "<reference", "processing", "p99.9", "<reference")}
	for i := range runs {
		r := &runs[i]
		reading, processing := stageSummary(&r.Detail, rundoc.StageReading), stageSummary(&r.Detail, rundoc.StageProcessing)
		t.add(r.load(), units.Number(int64(r.Listeners)), units.Optional(reading.P50NS), r.Reading.String(),
			units.Optional(processing.P50NS), units.Optional(processing.P999NS), r.Processing.String())
	}
	return Section{Title: "The reference's other figures", Tables: []Table{t}, Notes: []string{
		"Reading: the p50 of a call that reads off the queue. It is mostly idle waiting, here and there, and says how often batches come. Processing: from when a receive call has returned a batch to when it is applied.",
	}}
}

// gridRuns says where each run is, and whether it can be believed.
func gridRuns(runs []GridRun) Section {
	t := Table{columns: columnsOf("load", "by", "<proof", "<verdict", "<run")}
	for i := range runs {
		r := &runs[i]
		proof := units.Dash
		if p := r.Detail.Proof; p != nil {
			proof = p.Outcome()
		}
		t.add(r.load(), units.Number(int64(r.Listeners)), proof, units.Clean(string(r.Validity)), units.Clean(r.ID))
	}
	return Section{Title: "The runs", Tables: []Table{t}, Notes: []string{
		"Proof: nothing lost, nothing twice, final state equal. 'plimsoll report RUN' shows a run that was saved.",
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
