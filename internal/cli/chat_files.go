package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/rundoc"
)

// messageTypes are the types in the order of the workload's kinds.
func messageTypes(kinds []workload.Kind) []string {
	types := make([]string, len(kinds))
	for i, k := range kinds {
		types[i] = k.Labels["type"]
	}
	return types
}

const samplesHeader = "timestamp,messageType,latencyMs,statusCode,roomId\n"

// openSamples begins the file of samples, or returns nil when none is asked for.
func (r *chatRun) openSamples(kinds []workload.Kind) (*record.Samples, error) {
	return openSamples(r.o.plan.Output.Samples, samplesHeader, sampleFormat(messageTypes(kinds)), r.view)
}

// closeSamples completes the file and tells what became of it.
func (r *chatRun) closeSamples(s *record.Samples) *rundoc.SamplesFile {
	return closeSamples(s, r.o.plan.Output.Samples)
}

// sampleFormat writes a row: the actual start in UTC, the message type, the response time in
// ms, "ok" or why not, and the room.
func sampleFormat(types []string) func([]byte, *record.Sample) []byte {
	return func(row []byte, s *record.Sample) []byte {
		row = s.Began.UTC().AppendFormat(row, "2006-01-02T15:04:05.000000Z")
		row = append(row, ',')
		row = append(row, types[s.Kind]...)
		row = append(row, ',')
		row = strconv.AppendFloat(row, float64(s.End-s.Intended)/1e6, 'f', 3, 64)
		row = append(row, ',')
		row = append(row, status(s)...)
		row = append(row, ',')
		row = strconv.AppendInt(row, int64(s.Group)+1, 10)
		return append(row, '\n')
	}
}

// status is how an operation ended, in a word: ok, unfinished, or the cause of its failure.
func status(s *record.Sample) string {
	switch {
	case s.Outcome == record.OK:
		return "ok"
	case s.Outcome == record.Unfinished:
		return "unfinished"
	case s.Cause == "":
		return "failed"
	}
	return s.Cause
}

// save writes the document and the files that are made of it. The rest is still written
// when one fails; the error names them.
func (r *chatRun) save(doc *rundoc.Run) ([]report.File, error) {
	return saveRun(doc, r.saving, &r.o.plan.Output)
}

// saveRun writes the document of a run and the files that are made of it.
func saveRun(doc *rundoc.Run, to saving, out *plan.Output) ([]report.File, error) {
	var files []report.File
	var failed error
	write := func(what, path string, write func(string) error) {
		if path == "" {
			return
		}
		if err := write(path); err != nil {
			failed = errors.Join(failed, fault.New(fault.RunFailed, "cannot write the %s: %w", what, err))
			return
		}
		files = append(files, report.File{What: what, Path: path})
	}
	write("run document", to.path, func(path string) error {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return rundoc.WriteFile(path, doc)
	})
	if out.Samples != "" {
		files = append(files, report.File{What: "samples", Path: out.Samples})
	}
	write("buckets", out.Buckets, func(path string) error { return writeBuckets(path, doc, out.Bucket) })
	write("chart", out.Chart, func(path string) error { return writeChart(path, doc) })
	return files, failed
}

func writeBuckets(path string, doc *rundoc.Run, width time.Duration) error {
	return writeTo(path, func(w io.Writer) error { return report.WriteBuckets(w, doc, width) })
}

// writeTo creates a file and fills it.
func writeTo(path string, fill func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(fill(f), f.Close())
}
