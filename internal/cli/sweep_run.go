package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/sweeps"
)

// sweep makes the runs, and shows what they came to. What was measured is shown also when the end of it was not
// reached.
func (o *sweepOptions) sweep(ctx context.Context, env *Env, r *sweeps.Request) error {
	if err := run.CheckFiles(run.File{Flag: "chart", What: report.ChartFile, Path: o.chart}); err != nil {
		return err
	}
	s, err := sweeps.New(env, r)
	if err != nil {
		return err
	}
	if !o.Quiet {
		fmt.Fprintln(env.Stderr, s.Announce())
	}
	if err := s.Run(ctx); err != nil {
		return err
	}
	return gravest(o.show(env, s), s.Outcome())
}

// show draws and shows a sweep in the form that was asked for. That there is no chart is told, and hides no report.
func (o *sweepOptions) show(env *Env, s *sweeps.Sweep) error {
	of := sets.Source{Set: &s.Doc, Name: s.Name(&o.Forms)}
	var opt report.Options
	var undrawn error
	if o.chart != "" {
		if undrawn = drawSet(o.chart, of); undrawn == nil {
			opt.Files = []report.File{{What: report.ChartFile, Path: o.chart}}
		}
	}
	return errors.Join(showSet(env, s.Set, &o.Forms, opt), undrawn)
}
