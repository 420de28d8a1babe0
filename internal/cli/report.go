package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/rundoc"
)

// reportOptions are the settings of the report command.
type reportOptions struct {
	format         string
	chart, buckets string
	html, junit    string
	hlog           string
	bucket         time.Duration
	csv            string // of a bandwidth run's single operations
	csvIteration   bool
	csvStream      bool
	full           bool
	section        string
	beside         bool
}

func newReport(env *Env) *cobra.Command {
	o := &reportOptions{format: run.FormText}
	cmd := &cobra.Command{
		Use:   "report RUN|-",
		Short: "Show a saved run, sweep or comparison",
		Long: `Show a saved run as text, Markdown, JSON or CSV, or write it as a page, chart or
histogram log. RUN is an id or its beginning, last, last~1, the path of a run
document or its directory, or - for a document on stdin.

The text is the short answer; --full shows the whole report, in a terminal with
the pager of $PLIMSOLL_PAGER or $PAGER, else less; --section shows one part.
JSON is the run document, CSV has one row per operation, or per stage of an
updates run.

Sweeps, comparisons, load lines and runs of a plan file are shown in the same
ways: CSV has a row per setting, JSON is the set document, and --chart draws the
results.

--html writes one self-contained page with charts, tables and the document. With
up to 12 runs of one kind, the page shows all of them in the same charts.
--side-by-side shows two runs or two sweeps of one kind in columns. Both only
describe the runs: use 'plimsoll compare' to test a difference.

For a bandwidth run, --csv writes the operations as 'plimsoll bandwidth --csv'
does (the first 50,000).`,
		Example: `  # the answer of the last run, and the whole report
  plimsoll report last
  plimsoll report last --full

  # a page with charts of one run, or of several
  plimsoll report last --html run.html
  plimsoll report last last~1 last~2 --html runs.html

  # a document from a pipe
  plimsoll chat --json | plimsoll report -

  # the settings, Markdown, and a chart with a CSV of one-second buckets
  plimsoll report last --section plan
  plimsoll report last~1 --format markdown
  plimsoll report 20261121T2047 --chart run.svg --buckets b.csv --bucket 1s

  # the operations of a bandwidth run, and two runs side by side
  plimsoll report last --csv blocks.csv
  plimsoll report last last~1 --side-by-side`,
		Args: o.arguments,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return completeRuns(env), cobra.ShellCompDirectiveDefault
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if o.beside {
				return o.runBeside(env, args)
			}
			if len(args) > 1 {
				return o.runOverlaid(env, args)
			}
			return o.run(env, args[0])
		},
	}
	command.AddFlags(cmd, o.settings())
	if shellAsks(env.Args) {
		offerSections(cmd, env)
	}
	return cmd
}

// arguments are the name of a run, those of two side by side, or those of several on a page.
func (o *reportOptions) arguments(cmd *cobra.Command, args []string) error {
	const names = "an id or its beginning, last, last~1, a path, or - for stdin"
	switch {
	case o.beside && len(args) != 2:
		return fault.New(fault.Usage, "%s --side-by-side needs two runs or two sweeps, each %s",
			cmd.CommandPath(), names).
			Hint("run '%s --help' for an example", cmd.CommandPath())
	case o.beside, len(args) > 1 && o.html != "":
		return nil
	case len(args) == 2:
		return fault.New(fault.Usage, "%s shows one run, but two are given", cmd.CommandPath()).
			Hint("add --side-by-side for columns, or --html FILE for a page with both")
	}
	return command.ExactlyOne("a run", names)(cmd, args)
}

// offerSections has a shell offer the sections of the run that was named, or of the last one.
func offerSections(cmd *cobra.Command, env *Env) {
	sections := func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		name := "last"
		if len(args) > 0 && args[0] != fromStdin {
			name = args[0]
		}
		found, err := loadDocument(env, name)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if found.Set != nil {
			page := sets.Page(sets.Source{Set: found.Set}, report.Options{})
			return page.SectionNames(), cobra.ShellCompDirectiveNoFileComp
		}
		return report.SectionNames(found.Run, reportKind(found.Run.Workload)), cobra.ShellCompDirectiveNoFileComp
	}
	if err := cmd.RegisterFlagCompletionFunc("section", sections); err != nil {
		panic(err) // the flag was made just before
	}
}

func (o *reportOptions) settings() *setting.Set {
	return new(setting.Set).Group("Output",
		setting.Text(&o.format, "format", "form", "output format: text, markdown, json or csv").
			Offer(run.FormText, run.FormMarkdown, run.FormJSON, run.FormCSV),
		run.FullSetting(&o.full),
		setting.Text(&o.section, "section", "section", "show only this section: its title in lower case with "+
			"dashes, or the beginning of it; 'answer' is the first part"),
		plan.Chart(&o.chart, "draw throughput and response times over time to this .svg or .png file"),
		run.PageSetting(&o.html),
		run.JUnitSetting(&o.junit),
		setting.Output(&o.buckets, "buckets", "file", "write throughput per --bucket to this CSV file").
			Ending("csv"),
		setting.Duration(&o.bucket, "bucket", "bucket length in whole seconds (default: as in the run)"),
		setting.Output(&o.hlog, "hlog", "file", "write the response times per operation and second to this "+
			"HdrHistogram log").Ending("hlog"),
		setting.Output(&o.csv, "csv", "file", "bandwidth runs: write operation, bytes, total bytes and duration "+
			"in ms of each operation to this CSV file").Ending("csv"),
		setting.Switch(&o.csvIteration, "csv-iteration", "with --csv: add the number of the iteration"),
		setting.Switch(&o.csvStream, "csv-stream", "with --csv: add the number of the stream"),
		setting.Switch(&o.beside, "side-by-side", "show two runs or two sweeps in columns"))
}

func (o *reportOptions) run(env *Env, name string) error {
	if !slices.Contains([]string{run.FormText, run.FormMarkdown, run.FormJSON, run.FormCSV}, o.format) {
		return fault.New(fault.Usage, "--format is %q: it must be text, markdown, json or csv", o.format)
	}
	if err := o.checkParts(); err != nil {
		return err
	}
	found, err := loadDocument(env, name)
	if err != nil {
		return err
	}
	if found.Set != nil {
		return o.runSet(env, found, name)
	}
	doc := found.Run
	kind := reportKind(doc.Workload)
	if kind.NoCourse != "" && o.chart+o.buckets != "" {
		return fault.New(fault.Usage, "%s", kind.NoCourse).
			Hint("remove --chart and --buckets; --format csv writes its results")
	}
	if o.bucket == 0 {
		o.bucket = bucketOf(doc)
	}
	if err := o.check(env); err != nil {
		return err
	}
	files, err := writeAll(
		made{"buckets", o.buckets, func() error { return o.writeBuckets(env, doc) }},
		made{report.ChartFile, o.chart, func() error { return o.drawRun(env, doc, kind) }},
		made{run.PageFile, o.html, func() error { return o.writePage(env, found, kind) }},
		made{run.TestsFile, o.junit, func() error {
			return run.WriteJUnit(env, o.junit, doc, kind.Known(doc.Workload))
		}},
		made{"log of HdrHistogram", o.hlog, func() error { return o.writeLog(env, doc, name) }},
		made{"blocks", o.csv, func() error { return o.writeRows(env, doc, kind) }})
	if err != nil {
		return err
	}
	if err := o.show(env, doc, kind, name, files); err != nil {
		return err
	}
	if again := rundoc.Reread(doc); again.Broken {
		return fault.New(fault.Untrusted, "the document cannot be trusted: %s", again.Verdict.Reasons[0])
	}
	if edited := threshold.Reread(doc, kind.Known(doc.Workload)).Edited; edited != "" {
		return fault.New(fault.Untrusted, "the document cannot be trusted: %s", edited)
	}
	return nil
}

// checkParts refuses a part of what has none.
func (o *reportOptions) checkParts() error {
	switch {
	case o.section == "":
		return nil
	case o.full:
		return fault.New(fault.Usage, "--full and --section are both given").Hint("remove one of them")
	case o.format == run.FormJSON || o.format == run.FormCSV:
		return fault.New(fault.Usage, "--section: the format %s has no sections", o.format).
			Hint("remove it, or use --format text or markdown")
	}
	return nil
}

// show writes the report of the run. Text is the answer alone unless --full or --section is given; with --html it is
// only the path of the page.
func (o *reportOptions) show(env *Env, doc *rundoc.Run, kind report.Kind, name string, files []report.File) error {
	opt := report.Options{Bucket: o.bucket, Files: files, Section: o.section}
	switch {
	case o.format != run.FormText:
		return run.Render(env, doc, kind, o.format, opt)
	case o.full || o.section != "":
		return run.Page(env, doc, kind, opt)
	case o.html != "":
		return printPath(env, o.html)
	}
	opt.Rest = run.WholeReport(name)
	if name == fromStdin {
		opt.Rest = restOfStdin(env, doc)
	}
	return run.Brief(env, doc, kind, opt)
}

// printPath writes the path of a page to stdout.
func printPath(env *Env, path string) error {
	if _, err := fmt.Fprintln(env.Stdout, path); err != nil {
		return fault.New(fault.RunFailed, "cannot write the path of the page: %w", err)
	}
	return nil
}

// restOfStdin returns the command that shows the full report of a document that came from standard input, or a
// sentence.
func restOfStdin(env *Env, doc *rundoc.Run) string {
	if s, err := saved.Open(env.Getenv); err == nil {
		if kept, err := s.LoadRun(doc.ID); err == nil && kept.ID == doc.ID {
			return run.WholeReport(doc.ID)
		}
	}
	return "The full report: save the document as a file, and run 'plimsoll report FILE --full'."
}

// fromStdin is the name of the run whose document is read from standard input.
const fromStdin = "-"

// completeRuns are the names of runs that a shell may offer.
func completeRuns(env *Env) []string {
	s, err := saved.Open(env.Getenv)
	if err != nil {
		return nil
	}
	ids, err := s.IDs()
	if err != nil {
		return nil
	}
	return append([]string{"last"}, ids...)
}
