package report

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// overheadCSV writes the table of an overhead run: a row for each operation and figure, and
// for the null client.
//
// The columns: service, operation, figure ("overhead" or "SDK time"), n; min_ms, avg_ms,
// med_ms, p90_ms, p99_ms, max_ms, with three decimals, which is what people read; failed (attempts that are in no figure),
// error_ms, allocations_per_call, bytes_per_call, connections (attempts in the figures that made a
// new connection); min_ns, avg_ns, med_ns, p90_ns, p99_ns, max_ns, the same figures for programs;
// run and started, the run's id and time in UTC. A figure that is absent is an empty cell.
func overheadCSV(w io.Writer, run *rundoc.Run) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{
		"service", "operation", "figure", "n", "min_ms", "avg_ms", "med_ms", "p90_ms", "p99_ms", "max_ms",
		"failed", "error_ms", "allocations_per_call", "bytes_per_call",
		"connections", "min_ns", "avg_ns", "med_ns", "p90_ns", "p99_ns", "max_ns", "run", "started",
	})
	of := []string{units.Clean(run.ID), run.Started.UTC().Format(time.RFC3339)}
	if d := run.Overhead(); d != nil {
		rows := d.Rows
		if d.Null != nil {
			rows = append(rows[:len(rows):len(rows)], *d.Null)
		}
		for _, figure := range []string{FigureOverhead, FigureSDKTime} {
			for i := range rows {
				_ = c.Write(append(overheadCells(&rows[i], figure), of...))
			}
		}
	}
	c.Flush()
	return c.Error() // the first error of all the writes
}

func overheadCells(r *rundoc.OverheadRow, figure string) []string {
	s := sampleOf(r, figure)
	cells := []string{units.Clean(r.Service), units.Clean(r.Operation), figure, strconv.FormatInt(s.N, 10)}
	figures := []float64{s.MinNS, s.AvgNS, s.MedNS, s.P90NS, s.P99NS, s.MaxNS}
	for _, ns := range figures {
		cells = append(cells, csvFigure(ns/1e6, 3, s.N != 0))
	}
	cells = append(cells, strconv.FormatInt(r.Failed, 10), csvFigure(float64(r.ErrorNS)/1e6, 3, r.ErrorNS != 0),
		csvFigure(r.AllocationsPerCall, 1, r.AllocationsPerCall != 0), csvFigure(r.BytesPerCall, 1, r.BytesPerCall != 0),
		strconv.FormatInt(r.Connections, 10))
	for _, ns := range figures {
		cells = append(cells, csvFigure(ns, 0, s.N != 0))
	}
	return cells
}

func csvFigure(v float64, decimals int, present bool) string {
	if !present || math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}
