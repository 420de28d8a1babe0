package report

import (
	"github.com/plimsoll/plimsoll/rundoc"
)

type overheadView struct {
	*View
	detail     *rundoc.OverheadDetail
	comparison *OverheadComparison // nil: none
}

// Overhead is how runs of this kind are shown.
func Overhead() Kind { return OverheadBeside(nil) }

// OverheadBeside is how a run is shown beside its baseline.
func OverheadBeside(c *OverheadComparison) Kind {
	return Kind{
		Mixed: true,
		Show: func(v *View) Shown {
			d := v.Run.Overhead()
			if d == nil {
				d = &rundoc.OverheadDetail{}
			}
			return &overheadView{v, d, c}
		},
		CSV:      overheadCSV,
		NoCourse: "the run is one of overhead, whose calls are of many kinds: throughput over time says nothing of it",
	}
}
