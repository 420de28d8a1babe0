package show

import (
	"io"
	"math"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// writeCSV writes the table of an overhead run: a row for each operation and figure, and
// for the null client.
//
// The columns: service, operation, figure ("client time", "overhead", "call" or "SDK time"), n; min_ms, avg_ms,
// med_ms, p90_ms, p99_ms, max_ms, with three decimals, which is what people read; failed
// (attempts that are in no figure), error_ms, allocations_per_call, bytes_per_call, connections (attempts in the
// figures that made a new connection); min_ns, avg_ns, med_ns, p90_ns, p99_ns, max_ns, the same figures for programs;
// run and started, the run's id and time in UTC; cpu_per_call_ns. A figure that is absent is an empty cell.
func writeCSV(w io.Writer, run *rundoc.Run) error {
	var rows []csvRow
	if d := run.Overhead(); d != nil {
		figures := []string{FigureOverhead, FigureSDKTime}
		if knowsCalls(d) {
			figures = []string{FigureClientTime, FigureOverhead, FigureCall, FigureSDKTime}
		}
		for _, figure := range figures {
			for i := range d.Rows {
				rows = append(rows, csvRow{&d.Rows[i], figure, sampleOf(&d.Rows[i], figure)})
			}
			if d.Null != nil {
				rows = append(rows, csvRow{d.Null, figure, sampleOf(d.Null, figure)})
			}
		}
	}
	columns := []report.Column[csvRow]{
		report.Left("service", func(r csvRow) string { return units.Clean(r.Service) }),
		report.Left("operation", func(r csvRow) string { return units.Clean(r.Operation) }),
		report.Left("figure", func(r csvRow) string { return r.figure }),
		report.Left("n", func(r csvRow) string { return strconv.FormatInt(r.sample.N, 10) }),
	}
	columns = append(columns, sampleColumns("_ms", 1e6, 3)...)
	columns = append(columns,
		report.Left("failed", func(r csvRow) string { return strconv.FormatInt(r.Failed, 10) }),
		report.Left("error_ms", func(r csvRow) string { return csvFigure(float64(r.ErrorNS)/1e6, 3, r.ErrorNS != 0) }),
		report.Left("allocations_per_call", func(r csvRow) string {
			return csvFigure(r.AllocationsPerCall, 1,
				r.AllocationsPerCall != 0)
		}),
		report.Left("bytes_per_call", func(r csvRow) string {
			return csvFigure(r.BytesPerCall, 1,
				r.BytesPerCall != 0)
		}),
		report.Left("connections", func(r csvRow) string { return strconv.FormatInt(r.Connections, 10) }))
	columns = append(columns, sampleColumns("_ns", 1, 0)...)
	return report.WriteCSV(w, rows, append(columns,
		report.Left("run", func(csvRow) string { return units.Clean(run.ID) }),
		report.Left("started", func(csvRow) string { return run.Started.UTC().Format(time.RFC3339) }),
		report.Left("cpu_per_call_ns", func(r csvRow) string {
			return csvFigure(r.CPUPerCallNS, 0, r.CPUPerCallNS != 0)
		}))...)
}

// csvRow is one figure of an operation.
type csvRow struct {
	*rundoc.OverheadRow
	figure string
	sample *rundoc.Sample
}

// sampleColumns are the figures of the sample in a unit of so many ns.
func sampleColumns(suffix string, unit float64, decimals int) []report.Column[csvRow] {
	var columns []report.Column[csvRow]
	for _, f := range sampleFigures() {
		columns = append(columns, report.Left(f.name+suffix, func(r csvRow) string {
			return csvFigure(f.of(r.sample)/unit, decimals, f.known(r.sample))
		}))
	}
	return columns
}

func csvFigure(v float64, decimals int, present bool) string {
	if !present || math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}
