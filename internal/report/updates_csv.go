package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/plimsoll/plimsoll/rundoc"
)

// updatesCSV writes a row for each stage of an updates run, in the order of a batch's way.
//
// The columns: stage, by its name in the run document; negative (durations below 0),
// negative_min_ns (the lowest of them); then count, of the durations from 0 on, and min_ns to
// max_ns as in CSV. A figure that is absent is an empty cell.
func updatesCSV(w io.Writer, run *rundoc.Run) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{
		"stage", "negative", "negative_min_ns",
		"count", "min_ns", "mean_ns", "stddev_ns", "p50_ns", "p90_ns", "p95_ns", "p99_ns", "p999_ns", "max_ns",
	})
	if d := run.Updates(); d != nil {
		for i := range d.Stages {
			s := &d.Stages[i]
			lowest := ""
			if s.Negative != 0 {
				lowest = strconv.FormatInt(s.NegativeMin, 10)
			}
			_ = c.Write(append([]string{s.Name, strconv.FormatInt(s.Negative, 10), lowest}, csvSummary(&s.Summary)...))
		}
	}
	c.Flush()
	return c.Error() // the first error of all the writes
}
