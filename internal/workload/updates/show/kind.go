package show

import (
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// shown is the report of a run; its detail is empty where the document has none that can be read.
type shown struct {
	*report.View
	detail *rundoc.UpdatesDetail
}

// Kind is how runs of this kind are shown.
func Kind() report.Kind {
	words := report.Words{One: "batch", Many: "batches", Short: "batches"}
	return report.Kind{
		Words: words,
		Show: func(v *report.View) report.Shown {
			d := v.Run.Updates()
			if d == nil {
				d = &rundoc.UpdatesDetail{}
			}
			return &shown{v, d}
		},
		CSV:    writeCSV,
		Listed: listed,
		Pace:   func(l report.Live) string { return words.Rate(l.Rate) + " published" },
	}
}
