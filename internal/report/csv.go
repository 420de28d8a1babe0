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
// causes ("timeout=3;reset=1"). They mean what the fields of the same name in the run
// document mean. A figure that is absent is an empty cell. The total of a bandwidth run, whose
// operations are of unlike kinds, has no times. An overhead run has the rows of its table
// instead, an updates run those of its stages: see overheadCSV and updatesCSV.
func CSV(w io.Writer, run *rundoc.Run) error {
	if run.Workload == rundoc.WorkloadOverhead {
		return overheadCSV(w, run)
	}
	if run.Workload == rundoc.WorkloadUpdates {
		return updatesCSV(w, run)
	}
	total, err := totals(run)
	if err != nil {
		return err
	}
	c := csv.NewWriter(w)
	_ = c.Write(csvHead())
	for i := range run.Operations {
		_ = c.Write(csvRow(&run.Operations[i]))
	}
	_ = c.Write(csvRow(&total))
	c.Flush()
	return c.Error() // the first error of all the writes
}

func csvHead() []string {
	head := []string{
		"operation", "labels", "scheduled", "ok", "failed", "unsent", "unfinished",
		"attempts", "retries", "bytes", "rate_per_s", "bytes_per_s",
	}
	for _, t := range []string{"response_time", "service_time", "send_delay", "first_attempt"} {
		for _, f := range []string{"count", "min_ns", "mean_ns", "stddev_ns", "p50_ns", "p90_ns", "p95_ns", "p99_ns", "p999_ns", "max_ns"} {
			head = append(head, t+"_"+f)
		}
	}
	return append(head, "causes")
}

func csvRow(o *rundoc.Operation) []string {
	var labels, causes []string
	for _, k := range slices.Sorted(maps.Keys(o.Labels)) {
		labels = append(labels, k+"="+o.Labels[k])
	}
	for _, c := range o.Causes {
		causes = append(causes, c.Cause+"="+strconv.FormatInt(c.Count, 10))
	}
	row := []string{o.Name, strings.Join(labels, ";")}
	for _, n := range []int64{o.Scheduled, o.OK, o.Failed, o.Unsent, o.Unfinished, o.Attempts, o.Retries, o.Bytes} {
		row = append(row, strconv.FormatInt(n, 10))
	}
	row = append(row, strconv.FormatFloat(o.RatePerS, 'f', 3, 64), strconv.FormatFloat(o.BytesPerS, 'f', 3, 64))
	for _, s := range []*rundoc.Summary{&o.ResponseTime, &o.ServiceTime, &o.SendDelay, &o.FirstAttempt} {
		row = append(row, csvSummary(s)...)
	}
	return append(row, strings.Join(causes, ";"))
}

func csvSummary(s *rundoc.Summary) []string {
	cells := []string{strconv.FormatInt(s.Count, 10)}
	figures := []*int64{&s.MinNS, &s.MeanNS, &s.StddevNS, s.P50NS, s.P90NS, s.P95NS, s.P99NS, s.P999NS, &s.MaxNS}
	for _, f := range figures {
		if s.Count == 0 || f == nil {
			cells = append(cells, "")
			continue
		}
		cells = append(cells, strconv.FormatInt(*f, 10))
	}
	return cells
}
