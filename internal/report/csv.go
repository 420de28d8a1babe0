package report

import (
	"encoding/csv"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/rundoc"
)

// CSV writes one row for each operation and a last one, named "total", for all of them.
//
// The columns: operation; labels ("type=TEXT", several joined by ";"); scheduled, ok,
// failed, unsent, unfinished, attempts, retries (counts); bytes; rate_per_s, bytes_per_s;
// then, for each of response_time, service_time, send_delay and first_attempt, _count and
// _min_ns, _mean_ns, _stddev_ns, _p50_ns, _p90_ns, _p95_ns, _p99_ns, _p999_ns, _max_ns; and
// causes ("timeout=3;reset=1"); last, for each of response_time_free and service_time_free, which are
// without the generator's own delay, _mean_ns, the percentiles and _max_ns. They mean what the fields of the
// same name in the run document mean. A figure that is absent is an empty cell. The total of operations of unlike
// kinds has no times. A kind may have rows of its own instead.
func CSV(w io.Writer, run *rundoc.Run, kind Kind) error {
	if kind.CSV != nil {
		return kind.CSV(w, run)
	}
	total, err := totals(run, kind)
	if err != nil {
		return err
	}
	type row = *rundoc.Operation
	rows := make([]row, 0, len(run.Operations)+1)
	for i := range run.Operations {
		rows = append(rows, &run.Operations[i])
	}
	count := func(name string, n func(row) int64) Column[row] {
		return Left(name, func(o row) string { return strconv.FormatInt(n(o), 10) })
	}
	rate := func(name string, v func(row) float64) Column[row] {
		return Left(name, func(o row) string { return strconv.FormatFloat(v(o), 'f', 3, 64) })
	}
	return WriteCSV(w, append(rows, &total), slices.Concat(
		[]Column[row]{
			Left("operation", func(o row) string { return o.Name }),
			Left("labels", func(o row) string { return labels(o.Labels) }),
			count("scheduled", func(o row) int64 { return o.Scheduled }),
			count("ok", func(o row) int64 { return o.OK }),
			count("failed", func(o row) int64 { return o.Failed }),
			count("unsent", func(o row) int64 { return o.Unsent }),
			count("unfinished", func(o row) int64 { return o.Unfinished }),
			count("attempts", func(o row) int64 { return o.Attempts }),
			count("retries", func(o row) int64 { return o.Retries }),
			count("bytes", func(o row) int64 { return o.Bytes }),
			rate("rate_per_s", func(o row) float64 { return o.RatePerS }),
			rate("bytes_per_s", func(o row) float64 { return o.BytesPerS }),
		},
		SummaryColumns("response_time_", func(o row) *rundoc.Summary { return &o.ResponseTime }),
		SummaryColumns("service_time_", func(o row) *rundoc.Summary { return &o.ServiceTime }),
		SummaryColumns("send_delay_", func(o row) *rundoc.Summary { return &o.SendDelay }),
		SummaryColumns("first_attempt_", func(o row) *rundoc.Summary { return &o.FirstAttempt }),
		[]Column[row]{Left("causes", func(o row) string { return causes(o.Causes) })},
		FreeColumns("response_time_free_", func(o row) *rundoc.Summary { return &o.ResponseTime }),
		FreeColumns("service_time_free_", func(o row) *rundoc.Summary { return &o.ServiceTime }),
	)...)
}

func labels(of map[string]string) string {
	var list []string
	for _, k := range slices.Sorted(maps.Keys(of)) {
		list = append(list, k+"="+of[k])
	}
	return strings.Join(list, ";")
}

func causes(of []rundoc.Cause) string {
	var list []string
	for _, c := range of {
		list = append(list, c.Cause+"="+strconv.FormatInt(c.Count, 10))
	}
	return strings.Join(list, ";")
}

// WriteCSV writes a table as CSV: the heads, and a row for each of a list.
func WriteCSV[R any](w io.Writer, list []R, columns ...Column[R]) error {
	c := csv.NewWriter(w)
	heads := make([]string, len(columns))
	for i := range columns {
		heads[i] = columns[i].text
	}
	_ = c.Write(heads)
	for _, r := range list {
		_ = c.Write(cellsOf(r, columns))
	}
	c.Flush()
	return c.Error() // the first error of all the writes
}

// SummaryColumns are the columns of CSV of the summary that of finds in a row: count, and min_ns to
// max_ns.
func SummaryColumns[R any](prefix string, of func(R) *rundoc.Summary) []Column[R] {
	figure := func(name string, f func(*rundoc.Summary) *int64) Column[R] {
		return Left(prefix+name, func(r R) string {
			s := of(r)
			ns := f(s)
			if s.Count == 0 || ns == nil {
				return ""
			}
			return strconv.FormatInt(*ns, 10)
		})
	}
	columns := []Column[R]{
		Left(prefix+"count", func(r R) string { return strconv.FormatInt(of(r).Count, 10) }),
		figure("min_ns", func(s *rundoc.Summary) *int64 { return &s.MinNS }),
		figure("mean_ns", func(s *rundoc.Summary) *int64 { return &s.MeanNS }),
		figure("stddev_ns", func(s *rundoc.Summary) *int64 { return &s.StddevNS }),
	}
	for _, p := range Percentiles(Wide) {
		columns = append(columns, figure(p.Field, p.Of))
	}
	return append(columns, figure("max_ns", func(s *rundoc.Summary) *int64 { return &s.MaxNS }))
}
