package show

import (
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// transfer is an upload or a download in the list of runs.
type transfer struct {
	Name      string  `json:"name"`
	BytesPerS float64 `json:"bytes_per_s"`
}

// listed shows the transfers: the operations are of several kinds and have no rate together.
func listed(run *rundoc.Run, l *report.Listing) {
	d := run.Bandwidth()
	if d == nil {
		return
	}
	*l = report.Listing{Rate: units.Dash}
	var all []transfer
	var parts []string
	for _, t := range d.Transfers() {
		all = append(all, transfer{t.Name, t.BytesPerS})
		parts = append(parts, t.Name+" "+units.PerSecond(t.BytesPerS/1e6)+" MB/s")
	}
	if len(all) > 0 {
		l.Rate, l.Own = strings.Join(parts, ", "), &report.Own{Name: "transfers", Value: all}
	}
}
