package compare

import (
	"fmt"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/rundoc"
)

// beside shows two saved runs side by side. It never says that one is better: two runs prove nothing.
func (o *options) beside(both [2]side) error {
	var sides [2]sets.Side
	for i, s := range both {
		sides[i] = o.house.Side(s.name, s.found)
	}
	kind := o.house.Report(sides[0].Run.Workload)
	why := sets.Incomparable(sides[0].Run, sides[1].Run)
	var noise *sets.Noise
	if why == "" {
		noise = o.noise(sides[0].Run)
	}
	if o.JSON {
		all := sets.NoComparisonJSON(sides[0], sides[1], o.specs(sides[0].Run.Workload), why, noise)
		if err := command.WriteJSON(o.env.Stdout, all); err != nil {
			return err
		}
	} else if err := o.facing(sides, kind, why, noise); err != nil {
		return err
	}
	for _, s := range sides {
		if err := run.Edited(s.Broken); err != nil {
			return err
		}
	}
	return nil
}

// facing shows both as text or Markdown.
func (o *options) facing(sides [2]sets.Side, kind report.Kind, why string, noise *sets.Noise) error {
	page := sets.NoComparison(sides[0], sides[1], kind, why, noise)
	return run.RenderPage(o.env, page, o.Form(), report.Options{})
}

// noise is how much the kept runs of the same plan, target and machine differ from one to the next.
func (o *options) noise(like *rundoc.Run) *sets.Noise {
	n := &sets.Noise{Figures: o.noisy(like.Workload)}
	store, err := saved.Open(o.env.Getenv)
	if err != nil {
		return n
	}
	reading := func(documents int) {
		if !o.Quiet {
			fmt.Fprintf(o.env.Stderr, "reading %d saved runs\n", documents)
		}
	}
	_ = store.Alike(like, o.house.Report, reading, func(doc *rundoc.Run) bool { // what cannot be read is none of them
		if sets.Incomparable(like, doc) == "" {
			n.Add(doc)
		}
		return n.Runs < sets.MostNoise
	})
	return n
}

// noisy are the figures of which it is told by how much runs of a workload differ: the first that a comparison of this
// kind has as rows, and that are no shares, which are mostly 0.
func (o *options) noisy(workload string) (list []figure.Spec) {
	const most = 4
	for _, spec := range o.specs(workload) {
		if spec.Unit() != figure.Share && len(list) < most {
			list = append(list, spec)
		}
	}
	return list
}

// specs are the figures that a comparison of runs of a workload has as rows.
func (o *options) specs(workload string) (list []figure.Spec) {
	k := o.kind(workload)
	if k == nil {
		return nil
	}
	for _, name := range k.ComparedFigures() {
		if spec, err := figure.Parse(name, k.Report.Known(k.Name)); err == nil {
			list = append(list, spec)
		}
	}
	return list
}
