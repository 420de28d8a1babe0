package show

import (
	"io"
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// writeCSV writes a row for each stage of an updates run, in the order of a batch's way.
//
// The columns: stage, by its name in the run document; negative (durations below 0),
// negative_min_ns (the lowest of them); then count, of the durations from 0 on, and min_ns to
// max_ns as in CSV; last free_mean_ns to free_max_ns, without the publisher's own delay. A figure that is absent is
// an empty cell.
func writeCSV(w io.Writer, run *rundoc.Run) error {
	type row = *rundoc.NamedStage
	summary := func(s row) *rundoc.Summary { return &s.Summary }
	var rows []row
	if d := run.Updates(); d != nil {
		for i := range d.Stages {
			rows = append(rows, &d.Stages[i])
		}
	}
	return report.WriteCSV(w, rows, slices.Concat([]report.Column[row]{
		report.Left("stage", func(s row) string { return s.Name }),
		report.Left("negative", func(s row) string { return strconv.FormatInt(s.Negative, 10) }),
		report.Left("negative_min_ns", func(s row) string {
			if s.Negative == 0 {
				return ""
			}
			return strconv.FormatInt(s.NegativeMin, 10)
		}),
	}, report.SummaryColumns("", summary), report.FreeColumns("free_", summary))...)
}
