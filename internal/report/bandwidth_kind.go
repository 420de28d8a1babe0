package report

import (
	"fmt"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

type bandwidthView struct {
	*View
	detail *rundoc.BandwidthDetail
}

// Bandwidth is how runs of this kind are shown.
func Bandwidth() Kind {
	return Kind{
		Mixed: true,
		Show: func(v *View) Shown {
			d := v.Run.Bandwidth()
			if d == nil {
				d = &rundoc.BandwidthDetail{}
			}
			return &bandwidthView{v, d}
		},
		Pace: bandwidthPace,
		Rows: blocksOf,
	}
}

// bandwidthPace is the bandwidth.
func bandwidthPace(l Live) string {
	// What is on its way is known when its block or its close ends: that is not 0 MB/s.
	if l.Bytes == 0 && l.InFlight > 0 {
		return "no block ended"
	}
	return fmt.Sprintf("%s (%s)", units.Megabytes(float64(l.Bytes)), units.Megabits(float64(l.Bytes)))
}
