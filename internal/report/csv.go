package report

import (
	"encoding/csv"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
)

// CSV writes one row for each operation and a last one, named "total", for all of them.
//
// The columns: operation; labels ("type=TEXT", several joined by ";"); scheduled, ok,
// failed, unsent, unfinished, attempts, retries (counts); bytes; rate_per_s, bytes_per_s;
// then, for each of response_time, service_time, send_delay and first_attempt, _count and
// _min_ns, _mean_ns, _stddev_ns, _p50_ns, _p90_ns, _p95_ns, _p99_ns, _p999_ns, _max_ns; and
// causes ("timeout=3;reset=1"); last, for each of response_time_free and service_time_free, which are
// without the generator's own delay, _mean_ns, the percentiles and _max_ns; and the ends of the 95% intervals: for
// each of response_time, service_time, send_delay and first_attempt, _mean_low_ns, _mean_high_ns, and _p50_low_ns to
// _p999_high_ns. They mean what the fields of the
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
		IntervalColumns("response_time_", func(o row) *rundoc.Summary { return &o.ResponseTime }),
		IntervalColumns("service_time_", func(o row) *rundoc.Summary { return &o.ServiceTime }),
		IntervalColumns("send_delay_", func(o row) *rundoc.Summary { return &o.SendDelay }),
		IntervalColumns("first_attempt_", func(o row) *rundoc.Summary { return &o.FirstAttempt }),
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

// IntervalColumns are the columns of CSV of the ends of the intervals that the summary has: of its mean and of its
// percentiles.
func IntervalColumns[R any](prefix string, of func(R) *rundoc.Summary) []Column[R] {
	var columns []Column[R]
	add := func(name string, interval func(*rundoc.Summary) *rundoc.Interval) {
		end := func(which string, ns func(*rundoc.Interval) int64) {
			columns = append(columns, Left(prefix+name+which, func(r R) string {
				if i := interval(of(r)); i != nil {
					return strconv.FormatInt(ns(i), 10)
				}
				return ""
			}))
		}
		end("_low_ns", func(i *rundoc.Interval) int64 { return i.LowNS })
		end("_high_ns", func(i *rundoc.Interval) int64 { return i.HighNS })
	}
	add("mean", (*rundoc.Summary).MeanInterval)
	for _, p := range Percentiles(Wide) {
		add(strings.TrimSuffix(p.Field, "_ns"), func(s *rundoc.Summary) *rundoc.Interval { return s.Interval(p.Permille) })
	}
	return columns
}

// maxBuckets bounds what a document can make a report allocate: 12 days of seconds.
const maxBuckets = 1 << 20

// Bucket is a part of the window and the operations that ended ok in it.
type Bucket struct {
	Start, End time.Time
	Messages   int64
	PerSecond  float64 // Messages ÷ the true length
	Offered    int64   // operations that were due in it
}

// Buckets divides the window into buckets of this width, in whole seconds (rounded up, at
// least one; wider where there would be more than a million of them, or where the document has
// points of several seconds). The last is shorter if
// the window is no multiple of the width, and its rate is for its true length; an end shorter
// than a hundredth of the width belongs to the bucket before it, because hardly anything
// happens in it and its rate would say nothing. A document without a window has no buckets.
func Buckets(run *rundoc.Run, width time.Duration) []Bucket {
	window := time.Duration(windowOf(run))
	if window <= 0 {
		return nil
	}
	width = bucketWidth(run, width)
	count := int64(window / width)
	if rest := window % width; rest >= width/100 || count == 0 {
		count++
	}
	list := make([]Bucket, count)
	start := windowStart(run)
	for i := range list {
		list[i].Start = start.Add(time.Duration(i) * width)
		list[i].End = list[i].Start.Add(width)
	}
	list[count-1].End = start.Add(window)
	for _, p := range run.Series {
		i := time.Duration(p.Second) / (width / time.Second)
		b := &list[max(0, min(int64(i), count-1))]
		b.Messages += p.OK
		if p.Offered != nil {
			b.Offered += *p.Offered
		}
	}
	for i := range list {
		b := &list[i]
		b.PerSecond = float64(b.Messages) / b.End.Sub(b.Start).Seconds()
	}
	return list
}

// bucketWidth is the width that buckets of a run have when this one is asked for.
func bucketWidth(run *rundoc.Run, width time.Duration) time.Duration {
	window := windowOf(run)
	width = max(1, (width+time.Second-1)/time.Second) * time.Second
	if time.Duration(window)/width >= maxBuckets {
		width = (time.Duration(window) / maxBuckets).Truncate(time.Second) + time.Second
	}
	points := time.Duration(min(rundoc.PointSeconds(run.Series), window/1e9+1)) * time.Second
	return (width + points - 1) / points * points
}

func windowStart(run *rundoc.Run) time.Time {
	if p := phaseOf(run, rundoc.PhaseWindow); p != nil && !p.Started.IsZero() {
		return p.Started.UTC()
	}
	return run.Started.UTC()
}

// bucketTime is ISO-8601 in UTC with microseconds, as in the samples, always of the same length.
const bucketTime = "2006-01-02T15:04:05.000000Z"

// WriteBuckets writes the buckets as CSV: startTime, endTime (ISO-8601, UTC, the end not
// included), messageCount, messagesPerSecond (three decimals), and offered, which are the operations
// that were due in the bucket: an empty cell where the document does not tell.
func WriteBuckets(w io.Writer, run *rundoc.Run, width time.Duration) error {
	told := len(run.Series) > 0 && !slices.ContainsFunc(run.Series, func(p rundoc.Point) bool { return p.Offered == nil })
	return WriteCSV(w, Buckets(run, width),
		Left("startTime", func(b Bucket) string { return b.Start.Format(bucketTime) }),
		Left("endTime", func(b Bucket) string { return b.End.Format(bucketTime) }),
		Left("messageCount", func(b Bucket) string { return strconv.FormatInt(b.Messages, 10) }),
		Left("messagesPerSecond", func(b Bucket) string { return strconv.FormatFloat(b.PerSecond, 'f', 3, 64) }),
		Left("offered", func(b Bucket) string {
			if !told {
				return ""
			}
			return strconv.FormatInt(b.Offered, 10)
		}),
	)
}
