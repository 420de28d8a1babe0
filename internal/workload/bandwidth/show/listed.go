package show

import (
	"encoding/json"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// transfer is an upload or a download in the list of runs.
type transfer struct {
	Name      string  `json:"name"`
	BytesPerS float64 `json:"bytes_per_s,omitzero"` // 0 where no file was completed
}

// listed shows the transfers: the operations are of several kinds and have no rate together. A transfer without a
// complete file has no bandwidth, which is not one of 0.
func listed(run *rundoc.Run, l *report.Listing) {
	d := run.Bandwidth()
	if d == nil {
		return
	}
	*l = report.Listing{Rate: units.Dash, Load: loadOf(run, d)}
	var all []transfer
	var parts []string
	known := false
	for _, t := range d.Transfers() {
		all = append(all, transfer{t.Name, t.BytesPerS})
		if t.BytesPerS > 0 {
			known, parts = true, append(parts, t.Name+" "+units.PerSecond(t.BytesPerS/1e6)+" MB/s")
		} else {
			parts = append(parts, t.Name+" "+units.Dash)
		}
	}
	if len(all) > 0 {
		l.Own = &report.Own{Name: "transfers", Value: all}
	}
	if known {
		l.Rate = strings.Join(parts, ", ")
	}
}

// loadOf says by what two runs can be told apart: what was moved, and how.
func loadOf(run *rundoc.Run, d *rundoc.BandwidthDetail) string {
	var p struct {
		Policy string `json:"policy"`
		Only   string `json:"only"`
		Active int64  `json:"active_blocks"`
		ForNS  int64  `json:"repeat_for_ns"`
	}
	_ = json.Unmarshal(run.Plan, &p) // a plan of another shape has none of them
	parts := []string{units.ExactSize(d.SizeBytes)}
	if p.Only != "" {
		parts = append(parts, units.Clean(p.Only)+" only")
	}
	if p.Policy != "" {
		parts = append(parts, "policy "+units.Clean(p.Policy))
	}
	if d.Streams > 1 {
		parts = append(parts, units.Number(int64(d.Streams))+" streams")
	}
	if d.BlockBytes > 0 && d.BlockBytes < d.SizeBytes {
		parts = append(parts, "blocks of "+units.ExactSize(d.BlockBytes))
	}
	if p.Active > 0 {
		parts = append(parts, units.Number(p.Active)+" active blocks")
	}
	switch {
	case p.ForNS > 0: // how often that was is a result
		parts = append(parts, units.Setting(p.ForNS))
	case d.Iterations > 1:
		parts = append(parts, units.Number(int64(d.Iterations))+" times")
	}
	return strings.Join(parts, ", ")
}
