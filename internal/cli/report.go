package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The forms of a report.
const (
	formText     = "text"
	formMarkdown = "markdown"
	formJSON     = "json"
	formCSV      = "csv"
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
	o := &reportOptions{format: formText}
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Show a saved run again",
		Long: `Show a saved run again, as text, Markdown, JSON (the run document) or CSV (one row per
kind of operation, or per stage of an updates run). Of a bandwidth run, --csv writes the
single operations: the file that 'plimsoll bandwidth --csv' writes, as far as the document
has them (the first 50,000).

RUN is the path of a run document or of the directory that holds it, the id of a saved
run, the beginning of one, last, or last~1 for the one before.`,
		Example: `  plimsoll report last
  plimsoll report last~1 --format markdown
  plimsoll report 20261121T2047 --chart run.svg --buckets buckets.csv --bucket 1s
  plimsoll report last --csv blocks.csv`,
		Args: exactlyOne("a run", "a path, an id, the beginning of one, last or last~1"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return completeRuns(env), cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(env, args[0]) },
	}
	addGroup(cmd, "Output", func(set *pflag.FlagSet) {
		set.SortFlags = false
		stringVar(set, &o.format, "format", "form", "text, markdown, json or csv")
		stringVar(set, &o.chart, "chart", "file", "draw throughput and response time over time, as .png or .svg")
		stringVar(set, &o.buckets, "buckets", "file", "write the throughput per bucket to this CSV file")
		durationVar(set, &o.bucket, "bucket", "width of a bucket, in whole seconds (default as in the run)")
		stringVar(set, &o.csv, "csv", "file", "of a bandwidth run: write one CSV row per operation to this file: operation, bytes, total, duration in ms")
		set.BoolVar(&o.csvIteration, "csv-iteration", false, "add the column iteration to it")
	})
	completeWith(cmd, "format", formText, formMarkdown, formJSON, formCSV)
	return cmd
}

func (o *reportOptions) run(env *Env, name string) error {
	if !slices.Contains([]string{formText, formMarkdown, formJSON, formCSV}, o.format) {
		return fault.New(fault.Usage, "--format is %q: it must be text, markdown, json or csv", o.format)
	}
	s, err := openRuns(env)
	if err != nil {
		return err
	}
	doc, err := s.load(name)
	if err != nil {
		return err
	}
	if doc.Workload == rundoc.WorkloadOverhead && o.chart+o.buckets != "" {
		return fault.New(fault.Usage, "the run is one of overhead, whose calls are of many kinds: throughput over time says nothing of it").
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
		if err := writeBuckets(o.buckets, doc, o.bucket); err != nil {
			return fault.New(fault.RunFailed, "cannot write the buckets: %w", err)
		}
		files = append(files, report.File{What: "buckets", Path: o.buckets})
	}
	if o.chart != "" {
		if err := writeChart(o.chart, doc); err != nil {
			return fault.New(fault.RunFailed, "cannot draw the chart: %w", err)
		}
		files = append(files, report.File{What: "chart", Path: o.chart})
	}
	if o.csv != "" {
		if err := o.writeBlocks(doc); err != nil {
			return err
		}
		files = append(files, report.File{What: "blocks", Path: o.csv})
	}
	return render(env, doc, o.format, o.bucket, files)
}

// writeBlocks writes the single operations of a bandwidth run.
func (o *reportOptions) writeBlocks(doc *rundoc.Run) error {
	fill := func(w io.Writer) error { return report.WriteBlocks(w, doc, o.csvIteration) }
	if doc.Bandwidth() == nil {
		return fill(io.Discard) // the error, without making a file
	}
	err := writeTo(o.csv, fill)
	var known *fault.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return fault.New(fault.RunFailed, "cannot write the blocks: %w", err)
}

// check makes sure that the files can be written, in the words of the chat command.
func (o *reportOptions) check() error {
	out := plan.Output{Buckets: o.buckets, Chart: o.chart, Bucket: o.bucket}
	if err := out.Validate(); err != nil {
		return err
	}
	if o.csvIteration && o.csv == "" {
		return fault.New(fault.Usage, "--csv-iteration is about the file of --csv, which is not given").Hint("add --csv FILE")
	}
	return checkFiles(outputFile{"buckets", o.buckets}, outputFile{"chart", o.chart}, outputFile{"csv", o.csv})
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

// render writes a run to stdout in one of the forms.
func render(env *Env, doc *rundoc.Run, form string, bucket time.Duration, files []report.File) error {
	return renderWith(env, doc, form, report.Options{Bucket: bucket, Files: files})
}

// renderWith is render with all that a report can be told.
func renderWith(env *Env, doc *rundoc.Run, form string, opt report.Options) error {
	var err error
	switch form {
	case formJSON:
		err = rundoc.Write(env.Stdout, doc)
	case formMarkdown:
		err = report.Markdown(env.Stdout, doc, opt)
	case formCSV:
		err = report.CSV(env.Stdout, doc)
	default:
		// An empty NO_COLOR does not count (no-color.org).
		opt.Colour = env.IsTerminal(env.Stdout) && env.getenv("NO_COLOR") == ""
		err = report.Text(env.Stdout, doc, opt)
	}
	if err != nil {
		return fault.New(fault.RunFailed, "cannot write the report: %w", err)
	}
	return nil
}

// writeChart draws the chart in the format that its name asks for.
func writeChart(path string, doc *rundoc.Run) error {
	format, err := report.ChartFormat(path)
	if err != nil {
		return err
	}
	var drawn bytes.Buffer
	if err := report.Chart(&drawn, doc, format); err != nil {
		return err // and there is no empty file
	}
	return writeTo(path, func(w io.Writer) error {
		_, err := drawn.WriteTo(w)
		return err
	})
}

// completeRuns are the names of runs that a shell may offer.
func completeRuns(env *Env) []string {
	s, err := openRuns(env)
	if err != nil {
		return nil
	}
	ids, err := s.ids()
	if err != nil {
		return nil
	}
	return append([]string{"last"}, ids...)
}
