package show

import (
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// shown is the report of a run; its detail is empty where the document has none that can be read.
type shown struct {
	*report.View
	detail     *rundoc.OverheadDetail
	comparison *Comparison // nil: none
}

// Kind is how runs of this kind are shown.
func Kind() report.Kind {
	return report.Kind{
		Mixed:    true,
		Lacks:    []string{"connect", "reconnects", "send_delay", "cpu_per_operation"},
		Labels:   []string{"service"},
		Figures:  figures(),
		Headline: headline(),
		Show: func(v *report.View) report.Shown {
			d := v.Run.Overhead()
			if d == nil {
				d = &rundoc.OverheadDetail{}
			}
			return &shown{v, d, saved(d)}
		},
		Own:      "plimsoll overhead --exec 'YOUR-PROGRAM'",
		Demo:     demo,
		Less:     lessLoad,
		Next:     next,
		CSV:      writeCSV,
		Listed:   listed,
		NoCourse: "overhead runs mix many kinds of calls, so throughput over time is not meaningful",
	}
}
