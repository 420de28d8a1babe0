package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/rundoc"
)

// cell is a run of the grid, with what the reference measured there: the time from before the send
// until the update was applied, in ms. 0 is what it did not measure.
type cell struct {
	batch     int
	rate      float64
	listeners int
	aws, gcp  figure
}

// figure is a p50 and a p99.9, in ms.
type figure struct{ p50, p999 int64 }

// gridCells are those of the reference: the performance notes of the key/value server of Privacy
// Sandbox's Protected Auction services ("Realtime update capabilities"), on an m5.xlarge of AWS
// over SNS and SQS, and on an n2d-standard-4 of Google Cloud over Pub/Sub, for five minutes each.
func gridCells() []cell {
	return []cell{
		{batch: 1000, rate: 45, listeners: 1, gcp: figure{32, 2000}},
		{batch: 1000, rate: 45, listeners: 4, aws: figure{316, 1200}},
		{batch: 500, rate: 105, listeners: 1, gcp: figure{35, 5000}},
		{batch: 500, rate: 105, listeners: 4, aws: figure{222, 1700}},
		{batch: 250, rate: 210, listeners: 1, gcp: figure{67, 4400}},
		{batch: 250, rate: 210, listeners: 4, aws: figure{961, 4700}},
		{batch: 125, rate: 420, listeners: 1, gcp: figure{300, 900}},
		{batch: 125, rate: 420, listeners: 4, gcp: figure{32, 1600}},
	}
}

func (c *cell) String() string {
	return fmt.Sprintf("%d × %g, %s", c.batch, c.rate, countOf(int64(c.listeners), "listener", "listeners"))
}

// gridRow is what became of a cell.
type gridRow struct {
	cell
	id     string
	detail rundoc.UpdatesDetail
	err    error // why the run did not go as it should
}

// runGrid makes the runs of the reference's table, and the table.
func runGrid(ctx context.Context, env *Env, o *updatesOptions) error {
	soft, hard, release := interrupts(ctx, env)
	defer release()
	var rows []gridRow
	for i, c := range gridCells() {
		o.tell(env, "run %d of %d: %v", i+1, len(gridCells()), &c)
		row, err := o.runCell(soft, hard, env, c)
		if err != nil {
			return err
		}
		rows = append(rows, row)
		if fault.CodeOf(row.err) == fault.Interrupted {
			break
		}
	}
	if !o.json {
		if _, err := fmt.Fprint(env.Stdout, gridTable(rows, o.markdown)); err != nil {
			return fault.New(fault.RunFailed, "cannot write the table: %w", err)
		}
	}
	return gridOutcome(rows)
}

// runCell makes one run of the grid. Its error is one that the others would have, too.
func (o *updatesOptions) runCell(soft, hard context.Context, env *Env, c cell) (gridRow, error) {
	p := o.plan
	p.Batch, p.Listeners = c.batch, c.listeners
	p.SetRate(c.rate)
	r, doc, err := o.once(soft, hard, env, p)
	if err != nil {
		return gridRow{}, err
	}
	row := gridRow{cell: c, id: r.id, detail: r.detail, err: updatesOutcome(doc, r.detail.Proof)}
	where := o.forms
	if where.out != "" {
		where.out = filepath.Join(where.out, fmt.Sprintf("%dx%g-%d", c.batch, c.rate, c.listeners))
	}
	to, err := prepareSaving(env, &where, r.id)
	if err != nil {
		return gridRow{}, err
	}
	if _, err := saveRun(doc, to, &p.Output); err != nil {
		// The figures are worth more than their file: the other cells are measured all the same.
		row.err = errors.Join(row.err, err)
	}
	if o.json {
		return row, writeLine(env.Stdout, doc)
	}
	return row, nil
}

// gridOutcome is nil when every cell went as it should.
func gridOutcome(rows []gridRow) error {
	bad, worst := 0, (*gridRow)(nil)
	for i := range rows {
		switch r := &rows[i]; {
		case fault.CodeOf(r.err) == fault.Interrupted:
			return r.err
		case r.err != nil:
			bad++
			if worst == nil || fault.CodeOf(r.err) < fault.CodeOf(worst.err) {
				worst = r
			}
		}
	}
	if worst == nil {
		return nil
	}
	return fault.New(fault.CodeOf(worst.err), "%d of %d runs did not go as they should: %v: %w", bad, len(rows), &worst.cell, worst.err).
		Hint("'plimsoll report %s' shows that run", worst.id)
}

// gridTable is the table of a grid.
func gridTable(rows []gridRow, markdown bool) string {
	table := [][]string{{
		"batch", "per s", "listeners", "updates/s", "p50", "p99", "max", "AWS p50", "p99.9", "GCP p50", "p99.9", "proof",
	}}
	for i := range rows {
		r := &rows[i]
		sent := stageOf(&r.detail, rundoc.StageE2ESent)
		longest := &sent.MaxNS
		if sent.Count == 0 {
			longest = nil
		}
		proof := "incomplete"
		if r.detail.Proof != nil && r.detail.Proof.Complete {
			proof = "complete"
		}
		line := []string{
			fmt.Sprint(r.batch), fmt.Sprintf("%g", r.rate), fmt.Sprint(r.listeners), thousands(int64(r.detail.AppliedPerS)),
			shortTime(sent.P50NS), shortTime(sent.P99NS), shortTime(longest),
		}
		for _, f := range []figure{r.aws, r.gcp} {
			line = append(line, milliseconds(f.p50), milliseconds(f.p999))
		}
		table = append(table, append(line, proof))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "End to end, from the send until the batch is applied. AWS and GCP: the reference's figures.\n\n%s\n",
		aligned(table, markdown))
	if len(rows) > 0 {
		about := &rows[0].detail
		fmt.Fprintf(&b, "Here: %s by %s, one machine. The reference: SNS and SQS with 4 listeners on an m5.xlarge,\n"+
			"Pub/Sub on an n2d-standard-4, five minutes each. p99 is shown where 10 batches lie above it.\n", about.Transport, about.Client)
		b.WriteString("\nSaved runs:\n")
		for i := range rows {
			fmt.Fprintf(&b, "  %s  %v\n", rows[i].id, &rows[i].cell)
		}
	}
	return b.String()
}

// milliseconds is a figure of the reference; "–" for what it did not measure.
func milliseconds(v int64) string {
	if v == 0 {
		return "–"
	}
	ns := v * int64(time.Millisecond)
	return shortTime(&ns)
}
