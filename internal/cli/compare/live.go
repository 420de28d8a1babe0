package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/contrast"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/comparisons"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/setdoc"
)

// compare reads the sides, and measures them or shows them side by side.
func (o *options) compare(ctx context.Context, named, behind []string, given func(string) bool) error {
	if given("slice") && o.slice == 0 {
		return fault.New(fault.Usage, "--slice is 0s: it must be from 1ms to 1m").Hint("remove it to use a suitable length")
	}
	sides, err := o.sides(named)
	switch {
	case err != nil:
		return err
	case sides[0].found != nil && len(behind) > 0:
		return fault.New(fault.Usage, "flags of the sides have no effect on two saved runs").
			Hint("remove them")
	case sides[0].found != nil:
		if err := unasked(given); err != nil {
			return err
		}
		return o.beside(sides)
	}
	if o.conclusive && o.minEffect == 0 {
		return fault.New(fault.Usage, "--require-conclusive needs --min-effect, the smallest change that matters").
			Hint("for example: --min-effect 5%%")
	}
	r := &comparisons.Request{
		Figures: o.figures, Launches: o.launches, Fewer: !given("repeat"), Way: o.interleave, Slice: o.slice,
		MinEffect: o.minEffect,
		BusyLimit: o.busyLimit, Seed: cmp.Or(o.seed, plan.RandomSeed()), Forms: o.Forms,
	}
	for i := range sides {
		r.Sides[i] = sides[i].Side
	}
	if len(behind) > 0 && r.Sides[0].Kind.Name == r.Sides[1].Kind.Name {
		if r.Both, err = o.both(&r.Sides[0].Kind, behind, sides); err != nil {
			return err
		}
	}
	return o.measure(ctx, r)
}

// measure makes the comparison, and shows what came of it. What was measured is shown also when the end of it was not
// reached.
func (o *options) measure(ctx context.Context, r *comparisons.Request) error {
	if (o.failIf != "" || o.conclusive) && r.Launches < contrast.Least {
		return fault.New(fault.Usage, "--repeat is %d: a significant difference needs at least %d", r.Launches,
			contrast.Least).
			Hint("increase it, or remove --fail-if and --require-conclusive")
	}
	if err := o.CheckFiles(o.env, run.File{Flag: "chart", What: report.ChartFile, Path: o.chart}); err != nil {
		return err
	}
	r.Asked = setdoc.AskedOfComparison{FailIf: o.failIf, Conclusive: o.conclusive}
	c, err := comparisons.New(o.env, r)
	if err != nil {
		return run.FigureOf(o.house.Kinds(), r.Sides[0].Kind, err)
	}
	if !o.Quiet {
		fmt.Fprintln(o.env.Stderr, c.Announce())
	}
	if err := c.Run(ctx); err != nil {
		return o.Lost(o.env, "compare "+r.Sides[0].Kind.Name, err)
	}
	outcome := c.End(gravest(c.Outcome(), o.found(c.Doc.Comparison)))
	return gravest(o.show(c), outcome)
}

// show draws and shows a comparison in the form that was asked for. That there is no chart is told, and hides no
// report.
func (o *options) show(c *comparisons.Comparison) error {
	var opt report.Options
	var undrawn error
	if o.chart != "" {
		if undrawn = o.house.Draw(o.env, o.chart, sets.Source{Set: &c.Doc, Name: c.Name(&o.Forms)}); undrawn == nil {
			opt.Files = []report.File{{What: report.ChartFile, Path: o.chart}}
		}
	}
	return errors.Join(o.house.Show(o.env, c.Set, &o.Forms, opt), undrawn)
}

// found is the error of what was found, where it was asked for: a figure that is worse, or one of which a change that
// matters could not have been seen. What is worse is known, whatever else is not, as with thresholds.
func (o *options) found(c *setdoc.Comparison) error {
	bad, unseen := o.worse(c), o.inconclusive(c)
	switch {
	case bad == nil:
		return unseen
	case unseen == nil:
		return bad
	}
	return fault.New(fault.CodeOf(bad), "%w; and %s", bad, unseen)
}

// worse is the error of figures that are worse, and of a comparison that can tell it of none.
func (o *options) worse(c *setdoc.Comparison) error {
	if o.failIf != worse {
		return nil
	}
	if bad := sets.Found(c, setdoc.Worse); len(bad) > 0 {
		return fault.New(fault.Missed, "B is %s: %s", sets.Comparative(c, setdoc.Worse), strings.Join(bad, ", "))
	}
	if !sets.Told(c) {
		return fault.New(fault.Untrusted, "it is unknown whether B is worse: %s", sets.Untold(c)).Hint("see the notes " +
			"of the report")
	}
	return nil
}

// inconclusive is the error of figures of which a change that matters could not have been seen.
func (o *options) inconclusive(c *setdoc.Comparison) error {
	if !o.conclusive {
		return nil
	}
	rows := contrast.Inconclusive(c)
	if len(rows) == 0 && len(c.Rows) > 0 {
		return nil
	}
	var list []string
	for _, at := range rows {
		row := &c.Rows[at]
		why := cmp.Or(units.Clean(row.Absent), "unknown")
		if row.Smallest != nil {
			why = "smallest detectable: " + units.Percent(*row.Smallest)
		}
		list = append(list, units.Clean(c.Figures[row.Figure].Name)+" ("+why+")")
	}
	return fault.New(fault.Untrusted, "a change of %s could not have been detected in %s", units.Percent(o.minEffect),
		cmp.Or(units.FirstOf(list, 4), "any metric")).
		Hint("increase --repeat or --duration, or compare fewer metrics (--metric)")
}

// gravest joins errors, the gravest first: its exit status is that of the command.
func gravest(errs ...error) error {
	slices.SortStableFunc(errs, func(a, b error) int {
		switch {
		case a != nil && (b == nil || run.Graver(a, b)):
			return -1
		case b != nil && (a == nil || run.Graver(b, a)):
			return 1
		}
		return 0
	})
	return errors.Join(errs...)
}
