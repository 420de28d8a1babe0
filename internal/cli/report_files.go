package cli

import (
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/hlog"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/rundoc"
)

// made is a file that a report writes besides what it shows.
type made struct {
	what, path string // path "": it was not asked for
	write      func() error
}

// writeAll writes the files that were asked for, and gives what the report points to.
func writeAll(all ...made) ([]report.File, error) {
	var files []report.File
	for _, m := range all {
		if m.path == "" {
			continue
		}
		if err := m.write(); err != nil {
			return nil, err
		}
		files = append(files, report.File{What: m.what, Path: m.path})
	}
	return files, nil
}

// writeBuckets writes the throughput of each stretch of a run.
func (o *reportOptions) writeBuckets(env *Env, doc *rundoc.Run) error {
	fill := run.Buckets(o.bucket)
	if err := env.Files.Write(o.buckets, func(w io.Writer) error { return fill(w, doc) }); err != nil {
		return fault.New(fault.RunFailed, "cannot write the buckets: %w", err)
	}
	return nil
}

// drawRun draws the chart of a run.
func (o *reportOptions) drawRun(env *Env, doc *rundoc.Run, kind report.Kind) error {
	draw := run.Chart(kind, o.chart)
	if err := env.Files.Write(o.chart, func(w io.Writer) error { return draw(w, doc) }); err != nil {
		return fault.New(fault.RunFailed, "cannot draw the chart: %w", err)
	}
	return nil
}

// writePage writes the page of a run.
func (o *reportOptions) writePage(env *Env, found *saved.Saved, kind report.Kind) error {
	content, err := run.PageOf(found.Run, kind, found.Path)
	if err == nil {
		err = run.WritePage(env, o.html, content)
	}
	if err != nil {
		return fault.New(fault.RunFailed, "cannot write the page: %w", err)
	}
	return nil
}

// writeLog writes the response times of a run as HdrHistogram's log.
func (o *reportOptions) writeLog(env *Env, doc *rundoc.Run, name string) error {
	err := env.Files.Write(o.hlog, func(w io.Writer) error { return hlog.Document(w, doc) })
	switch {
	case errors.Is(err, hlog.ErrNothing):
		return fault.New(fault.Usage, "--hlog: %s has no response times", name).
			Hint("remove --hlog; --format csv writes the results of the run")
	case err != nil:
		return fault.New(fault.RunFailed, "cannot write the HdrHistogram log: %w", err)
	}
	return nil
}

// writeRows writes the single operations of a run of a kind that has them.
func (o *reportOptions) writeRows(env *Env, doc *rundoc.Run, kind report.Kind) error {
	write := kind.RowsOf(doc)
	if write == nil { // and there is no empty file
		return fault.New(fault.Usage, "--csv: a %.40q run has no blocks", doc.Workload).
			Hint("use a bandwidth run, or write one row per operation with --format csv")
	}
	columns := report.RowColumns{Iteration: o.csvIteration, Stream: o.csvStream}
	err := env.Files.Write(o.csv, func(w io.Writer) error { return write(w, columns) })
	var known *fault.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return fault.New(fault.RunFailed, "cannot write the blocks: %w", err)
}

// check makes sure that the files can be written, in the words of the chat command.
func (o *reportOptions) check(env *Env) error {
	out := plan.Output{Buckets: o.buckets, Chart: o.chart, Bucket: o.bucket}
	if err := new(setting.Set).Group("Output", out.Settings("message")...).Rules(out.CheckFiles).Check(); err != nil {
		return err
	}
	for _, c := range []struct {
		flag string
		set  bool
	}{{"csv-iteration", o.csvIteration}, {"csv-stream", o.csvStream}} {
		if c.set && o.csv == "" {
			return fault.New(fault.Usage, "--%s needs --csv", c.flag).
				Hint("add --csv FILE")
		}
	}
	return run.CheckFiles(env, run.File{Flag: "buckets", Path: o.buckets}, run.File{Flag: "chart", Path: o.chart},
		run.File{Flag: "html", Path: o.html}, run.File{Flag: "junit", Path: o.junit}, run.File{Flag: "csv", Path: o.csv},
		run.File{Flag: "hlog", Path: o.hlog})
}

// bucketOf is the width of the buckets that the run was made with.
func bucketOf(doc *rundoc.Run) time.Duration {
	var p struct {
		Output struct {
			Bucket time.Duration `json:"bucket_ns"`
		} `json:"output"`
	}
	if json.Unmarshal(doc.Plan, &p) != nil || p.Output.Bucket < time.Second {
		return report.DefaultBucket
	}
	return p.Output.Bucket.Truncate(time.Second)
}
