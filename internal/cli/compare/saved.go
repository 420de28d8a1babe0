package compare

import (
	"fmt"

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
	page, err := sets.NoComparison(sides[0], sides[1], kind, why, noise)
	if err != nil {
		return err
	}
	if err := run.RenderPage(o.env, page, o.Form(), report.Options{}); err != nil {
		return err
	}
	for _, s := range sides {
		if err := run.Edited(s.Broken); err != nil {
			return err
		}
	}
	return nil
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
	k := o.kind(workload)
	if k == nil {
		return nil
	}
	const most = 4
	for _, name := range k.ComparedFigures() {
		spec, err := figure.Parse(name, k.Report.Known(k.Name))
		if err == nil && spec.Unit() != figure.Share && len(list) < most {
			list = append(list, spec)
		}
	}
	return list
}
