package updates

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/workload/updates/show"
)

// gridRow is what became of a cell.
type gridRow struct {
	show.GridRun
	err error  // why the run did not go as it should
	at  string // how 'plimsoll report' finds it
}

// runGrid makes the runs of the reference's table, and the table.
func runGrid(ctx context.Context, env *run.Env, c *Command) error {
	soft, hard, release := run.Interrupts(ctx, env, c.ending(env))
	defer release()
	onlookers, end, err := c.LookOn(soft, env, run.NewView(env, c.Quiet, show.Kind()).Note)
	if err != nil {
		return err
	}
	defer end(soft)
	var rows []gridRow
	var stopped error // why there are no more rows
	cells := show.GridCells()
	for i, cell := range cells {
		c.tell(env, "run %d of %d: %v", i+1, len(cells), &cell)
		row, err := c.runCell(soft, hard, env, i, onlookers)
		if err != nil && len(rows) == 0 {
			return err
		}
		if stopped = err; err != nil {
			if fault.CodeOf(err) == fault.Interrupted {
				stopped = fault.New(fault.Interrupted, "interrupted after %d of %d runs; the table shows these",
					i, len(cells))
			}
			break // what is there is worth showing
		}
		rows = append(rows, row)
		if fault.CodeOf(row.err) == fault.Interrupted {
			break
		}
	}
	if !c.JSON {
		if err := c.showGrid(env, rows); err != nil {
			return errors.Join(stopped, fault.New(fault.RunFailed, "cannot write the table: %w", err))
		}
	}
	if len(rows) < len(cells) {
		c.tell(env, "the table shows %d of %d runs", len(rows), len(cells))
	}
	if stopped != nil {
		return stopped
	}
	return gridOutcome(rows)
}

// showGrid prints the table and, unless it is Markdown, the command that shows the full report of the last run.
func (c *Command) showGrid(env *run.Env, rows []gridRow) error {
	var runs []show.GridRun
	for i := range rows {
		runs = append(runs, rows[i].GridRun)
	}
	if err := show.WriteGrid(env.Stdout, runs, c.Markdown, env.Look(report.Options{})); err != nil {
		return err
	}
	if c.Markdown || len(rows) == 0 {
		return nil
	}
	at := rows[len(rows)-1].at
	if at == "" { // not saved
		return nil
	}
	_, err := fmt.Fprintln(env.Stdout, "\nLast run: "+run.WholeReport(at))
	return err
}

// besideWindow is about what a run of the grid takes beside its warm-up and its window.
const besideWindow = 500 * time.Millisecond

// runCell makes one run of the grid, counted from 0. Its error is one that the others would have, too.
func (c *Command) runCell(
	soft, hard context.Context, env *run.Env, at int, onlookers *onlook.Show,
) (gridRow, error) {
	cells := show.GridCells()
	cell, p := cells[at], c.Plan
	p.Batch, p.Listeners, p.CommitBase = cell.Batch, cell.Listeners, time.Now().UnixNano()
	p.SetRate(cell.RatePerS)
	forms := c.Forms
	if forms.Out != "" {
		forms.Out = filepath.Join(forms.Out, fmt.Sprintf("%dx%g-%d", cell.Batch, cell.RatePerS, cell.Listeners))
	}
	r := c.newRun(env, p, forms)
	r.life.View.Among(fmt.Sprintf("load %d of %d", at+1, len(cells)), at, len(cells),
		p.Load.WarmupTime+p.Load.Ramp+p.Load.Window()+besideWindow)
	r.life.SeenBy(onlookers)
	if err := r.life.Prepare(); err != nil {
		return gridRow{}, err
	}
	found, err := r.life.Measure(soft, hard)
	if err != nil {
		return gridRow{}, err
	}
	row := gridRow{
		GridRun: show.GridRun{GridCell: cell, ID: r.life.ID, Detail: r.detail, Validity: found.Doc.Verdict.Validity},
		// The figures are worth more than their file: the other cells are measured although one cannot be saved.
		err: r.life.Save(found),
		at:  forms.Out,
	}
	if r.interrupted(found.Doc) {
		row.Validity += ", interrupted"
	}
	if forms.Out == "" && !forms.NoSave {
		row.at = r.life.ID
	}
	if c.JSON {
		return row, writeLine(env.Stdout, found.Doc)
	}
	return row, nil
}

// gridOutcome is nil when every cell went as it should.
func gridOutcome(rows []gridRow) error {
	bad, worst := 0, (*gridRow)(nil)
	for i := range rows {
		switch r := &rows[i]; {
		case fault.CodeOf(r.err) == fault.Interrupted:
			return fault.New(fault.Interrupted, "in run %d of %d: %w", i+1, len(show.GridCells()), r.err)
		case r.err != nil:
			bad++
			if worst == nil || run.Graver(r.err, worst.err) {
				worst = r
			}
		}
	}
	if worst == nil {
		return nil
	}
	e := fault.New(fault.CodeOf(worst.err), "%d of %d runs failed: %v: %w",
		bad, len(rows), &worst.GridCell, worst.err)
	if worst.at == "" {
		return e // it was not saved
	}
	return e.Hint("show that run with 'plimsoll report %s'", worst.at)
}
