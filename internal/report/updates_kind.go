package report

import (
	"github.com/plimsoll/plimsoll/rundoc"
)

type updatesView struct {
	*View
	detail *rundoc.UpdatesDetail
}

// Updates is how runs of this kind are shown.
func Updates() Kind {
	words := Words{"batch", "batches", "batches"}
	return Kind{
		Words: words,
		Show: func(v *View) Shown {
			d := v.Run.Updates()
			if d == nil {
				d = &rundoc.UpdatesDetail{}
			}
			return &updatesView{v, d}
		},
		CSV:  updatesCSV,
		Pace: func(l Live) string { return words.Rate(l.Rate) + " published" },
	}
}
