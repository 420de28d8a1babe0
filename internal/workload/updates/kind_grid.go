package updates

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
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
	soft, hard, release := run.Interrupts(ctx, env)
	defer release()
	var rows []gridRow
	var stopped error // why there are no more rows
	cells := show.GridCells()
	for i, cell := range cells {
		c.tell(env, "run %d of %d: %v", i+1, len(cells), &cell)
		row, err := c.runCell(soft, hard, env, cell)
		if err != nil && len(rows) == 0 {
			return err
		}
		if stopped = err; err != nil {
			if fault.CodeOf(err) == fault.Interrupted {
				stopped = fault.New(fault.Interrupted, "interrupted after %d of %d runs: the table has those",
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
		var runs []show.GridRun
		for i := range rows {
			runs = append(runs, rows[i].GridRun)
		}
		if err := show.WriteGrid(env.Stdout, runs, c.Markdown); err != nil {
			return errors.Join(stopped, fault.New(fault.RunFailed, "cannot write the table: %w", err))
		}
	}
	if len(rows) < len(cells) {
		c.tell(env, "the table ends after %d of %d runs", len(rows), len(cells))
	}
	if stopped != nil {
		return stopped
	}
	return gridOutcome(rows)
}

// runCell makes one run of the grid. Its error is one that the others would have, too.
func (c *Command) runCell(soft, hard context.Context, env *run.Env, cell show.GridCell) (gridRow, error) {
	p := c.Plan
	p.Batch, p.Listeners, p.CommitBase = cell.Batch, cell.Listeners, time.Now().UnixNano()
	p.SetRate(cell.RatePerS)
	forms := c.Forms
	if forms.Out != "" {
		forms.Out = filepath.Join(forms.Out, fmt.Sprintf("%dx%g-%d", cell.Batch, cell.RatePerS, cell.Listeners))
	}
	r := c.newRun(env, p, forms)
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
	e := fault.New(fault.CodeOf(worst.err), "%d of %d runs did not go as they should: %v: %w",
		bad, len(rows), &worst.GridCell, worst.err)
	if worst.at == "" {
		return e // it was not saved
	}
	return e.Hint("'plimsoll report %s' shows that run", worst.at)
}
