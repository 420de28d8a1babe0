package cli

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/rundoc"
)

// reportOptions are the settings of the report command.
type reportOptions struct {
	format         string
	chart, buckets string
	bucket         time.Duration
	csv            string // of a bandwidth run's single operations
	csvIteration   bool
}

func newReport(env *Env) *cobra.Command {
	o := &reportOptions{format: run.FormText}
	cmd := &cobra.Command{
		Use:   "report RUN|-",
		Short: "Show a saved run again",
		Long: `Show a saved run again, as text, Markdown, JSON (the run document) or CSV (one row per
kind of operation, or per stage of an updates run). Of a bandwidth run, --csv writes the
single operations: the file that 'plimsoll bandwidth --csv' writes, as far as the document
has them (the first 50,000).

RUN is the path of a run document or of the directory that holds it, the id of a saved
run, the beginning of one, last, or last~1 for the one before; or -, and the run document
is read from standard input.`,
		Example: `  plimsoll report last
  plimsoll report last~1 --format markdown
  plimsoll report 20261121T2047 --chart run.svg --buckets buckets.csv --bucket 1s
  plimsoll report last --csv blocks.csv
  plimsoll chat --json | plimsoll report -`,
		Args: exactlyOne("a run", "a path, an id, the beginning of one, last, last~1, or - for standard input"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return completeRuns(env), cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(env, args[0]) },
	}
	addSettings(cmd, env, o.settings())
	return cmd
}

func (o *reportOptions) settings() *setting.Set {
	return new(setting.Set).Group("Output",
		setting.Text(&o.format, "format", "form", "text, markdown, json or csv").
			Offer(run.FormText, run.FormMarkdown, run.FormJSON, run.FormCSV),
		plan.Chart(&o.chart, "draw throughput and response time over time, as .png or .svg"),
		setting.Text(&o.buckets, "buckets", "file", "write the throughput per bucket to this CSV file"),
		setting.Duration(&o.bucket, "bucket", "width of a bucket, in whole seconds (default as in the run)"),
		setting.Text(&o.csv, "csv", "file", "of a bandwidth run: write one CSV row per operation to this file: "+
			"operation, bytes, total, duration in ms"),
		setting.Switch(&o.csvIteration, "csv-iteration", "add the column iteration to it"))
}

func (o *reportOptions) run(env *Env, name string) error {
	if !slices.Contains([]string{run.FormText, run.FormMarkdown, run.FormJSON, run.FormCSV}, o.format) {
		return fault.New(fault.Usage, "--format is %q: it must be text, markdown, json or csv", o.format)
	}
	doc, err := loadRun(env, name)
	if err != nil {
		return err
	}
	kind := reportKind(doc.Workload)
	if kind.NoCourse != "" && o.chart+o.buckets != "" {
		return fault.New(fault.Usage, "%s", kind.NoCourse).
			Hint("leave --chart and --buckets out; --format csv has its figures")
	}
	if o.bucket == 0 {
		o.bucket = bucketOf(doc)
	}
	if err := o.check(); err != nil {
		return err
	}
	var files []report.File
	if o.buckets != "" {
		if err := run.WriteBuckets(o.buckets, doc, o.bucket); err != nil {
			return fault.New(fault.RunFailed, "cannot write the buckets: %w", err)
		}
		files = append(files, report.File{What: "buckets", Path: o.buckets})
	}
	if o.chart != "" {
		if err := run.WriteChart(kind)(o.chart, doc); err != nil {
			return fault.New(fault.RunFailed, "cannot draw the chart: %w", err)
		}
		files = append(files, report.File{What: "chart", Path: o.chart})
	}
	if o.csv != "" {
		if err := o.writeRows(doc, kind); err != nil {
			return err
		}
		files = append(files, report.File{What: "blocks", Path: o.csv})
	}
	if err := run.Render(env, doc, kind, o.format, report.Options{Bucket: o.bucket, Files: files}); err != nil {
		return err
	}
	if again := rundoc.Reread(doc); again.Broken {
		return fault.New(fault.Untrusted, "the document cannot be trusted: %s", again.Verdict.Reasons[0])
	}
	return nil
}

// fromStdin is the name of the run whose document is read from standard input.
const fromStdin = "-"

// loadRun reads a run that is kept, or one that comes from another program.
func loadRun(env *Env, name string) (*rundoc.Run, error) {
	if name != fromStdin {
		s, err := run.OpenRuns(env)
		if err != nil {
			return nil, err
		}
		return s.Load(name)
	}
	doc, err := rundoc.Read(env.Stdin)
	if err != nil {
		return nil, fault.New(fault.Usage, "cannot read a run from standard input: %w", err).
			Hint("it takes what a run writes with --json: plimsoll chat --json | plimsoll report -")
	}
	return doc, nil
}

// writeRows writes the single operations of a run of a kind that has them.
func (o *reportOptions) writeRows(doc *rundoc.Run, kind report.Kind) error {
	write := kind.RowsOf(doc)
	if write == nil { // and there is no empty file
		return fault.New(fault.Usage, "--csv: a %.40q run has no blocks", doc.Workload).
			Hint("name a bandwidth run, or write one row per kind of operation with --format csv")
	}
	err := run.WriteTo(o.csv, func(w io.Writer) error { return write(w, o.csvIteration) })
	var known *fault.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return fault.New(fault.RunFailed, "cannot write the blocks: %w", err)
}

// check makes sure that the files can be written, in the words of the chat command.
func (o *reportOptions) check() error {
	out := plan.Output{Buckets: o.buckets, Chart: o.chart, Bucket: o.bucket}
	if err := new(setting.Set).Group("Output", out.Settings("message")...).Rules(out.CheckFiles).Check(); err != nil {
		return err
	}
	if o.csvIteration && o.csv == "" {
		return fault.New(fault.Usage, "--csv-iteration is about the file of --csv, which is not given").Hint("add --csv FILE")
	}
	return run.CheckFiles(run.File{Flag: "buckets", Path: o.buckets}, run.File{Flag: "chart", Path: o.chart}, run.File{Flag: "csv", Path: o.csv})
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

// completeRuns are the names of runs that a shell may offer.
func completeRuns(env *Env) []string {
	s, err := run.OpenRuns(env)
	if err != nil {
		return nil
	}
	ids, err := s.IDs()
	if err != nil {
		return nil
	}
	return append([]string{"last"}, ids...)
}
