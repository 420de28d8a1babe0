package show

import (
	"fmt"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// shown is the report of a run; its detail is empty where the document has none that can be read.
type shown struct {
	*report.View
	detail *rundoc.BandwidthDetail
}

// Kind is how runs of this kind are shown.
func Kind() report.Kind {
	return report.Kind{
		Mixed: true,
		Lacks: []string{"connect", "reconnects", "send_delay", "cpu_per_operation"},
		Own:   "plimsoll bandwidth s3://YOUR-BUCKET/PATH/",
		Less:  lessLoad,
		Next:  next,
		Show: func(v *report.View) report.Shown {
			d := v.Run.Bandwidth()
			if d == nil {
				d = &rundoc.BandwidthDetail{}
			}
			return &shown{v, d}
		},
		Pace:     rateOf,
		Figures:  figures(),
		Headline: headline(),
		Rows:     blocksOf,
		Listed:   listed,
	}
}

// demoAnswer says of a demo what its figures are of, its server's limit among it.
func (v *shown) demoAnswer() report.Fact {
	if limit := v.detail.Store.LimitBytesPerS; limit > 0 {
		return v.DemoAnswer(fmt.Sprintf("the demo server is limited to %s", units.Megabytes(float64(limit))))
	}
	return v.DemoAnswer("")
}

// rateOf is the bandwidth.
func rateOf(l report.Live) string {
	// What is on its way is known when its block or its close ends: that is not 0 MB/s.
	if l.Bytes == 0 && l.InFlight > 0 {
		return "no block completed"
	}
	return fmt.Sprintf("%s (%s)", units.Megabytes(float64(l.Bytes)), units.Megabits(float64(l.Bytes)))
}
