package cli

import (
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
		Short: "Show a saved run again, or a sweep",
		Long: `Show a saved run again, as text, Markdown, JSON (the run document) or CSV (one
row per kind of operation, or per stage of an updates run). On a terminal the
text is the answer alone: --full shows all of it, by the pager that
$PLIMSOLL_PAGER or $PAGER names, or less, and --section a part of it. To a pipe
it is always whole.

Of a bandwidth run, --csv writes the single operations: the file that 'plimsoll
bandwidth --csv' writes, as far as the document has them (the first 50,000).

RUN is the path of a run document or of the directory that holds it, the id of a
saved run, the beginning of one, last, or last~1 for the one before; or -, and
the run document is read from standard input. A sweep, or the runs of a plan
file, are shown in the same ways: CSV has a row per setting, JSON is the set
document, and --chart draws the sweep over its settings.

With --html the report is a page for a browser, in one file that needs nothing
else: the answer, charts over time and of the times, tables, and the document
itself, to be saved. Of several runs of one kind, up to 12, the page has their
answers in a table and all of them in the same charts.

With --side-by-side two sweeps or two runs of one kind stand beside each other,
also those of other targets and other machines. That describes them and tests
nothing: whether a difference is more than chance, it does not say. Nor does a
page of several runs.`,
		Example: `  plimsoll report last
  plimsoll report last --full
  plimsoll report last --section plan
  plimsoll report last~1 --format markdown
  plimsoll report 20261121T2047 --chart run.svg --buckets b.csv --bucket 1s
  plimsoll report last --csv blocks.csv
  plimsoll report last --html run.html
  plimsoll report last last~1 last~2 --html runs.html
  plimsoll report last last~1 --side-by-side
  plimsoll chat --json | plimsoll report -`,
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
	const names = "a path, an id, the beginning of one, last, last~1, or - for standard input"
	switch {
	case o.beside && len(args) != 2:
		return fault.New(fault.Usage, "%s --side-by-side needs two runs or two sweeps, each %s",
			cmd.CommandPath(), names).
			Hint("run '%s --help' for an example", cmd.CommandPath())
	case o.beside, len(args) > 1 && o.html != "":
		return nil
	case len(args) == 2:
		return fault.New(fault.Usage, "%s shows one run, and two are named", cmd.CommandPath()).
			Hint("add --side-by-side to see them beside each other, or --html FILE for a page of both")
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
		setting.Text(&o.format, "format", "form", "how to show it: text, markdown, json or csv").
			Offer(run.FormText, run.FormMarkdown, run.FormJSON, run.FormCSV),
		setting.Switch(&o.full, "full", "show the whole report, also on a terminal"),
		setting.Text(&o.section, "section", "section", "show this part of the report alone: its title in small letters "+
			"with dashes, or the beginning of it; answer is the first part"),
		plan.Chart(&o.chart, "draw throughput and response time over time to this file, .svg or .png"),
		run.PageSetting(&o.html),
		run.JUnitSetting(&o.junit),
		setting.Output(&o.buckets, "buckets", "file", "write the throughput of each stretch of --bucket to this CSV file").
			Ending("csv"),
		setting.Duration(&o.bucket, "bucket", "length of a stretch of time, in whole seconds (default as in the run)"),
		setting.Output(&o.hlog, "hlog", "file", "write the response times to this file as a log that HdrHistogram's tools "+
			"read, by operation and over time").Ending("hlog"),
		setting.Output(&o.csv, "csv", "file", "of a bandwidth run: write a line of CSV for each operation to this file: "+
			"operation, bytes, total, duration in ms").Ending("csv"),
		setting.Switch(&o.csvIteration, "csv-iteration", "with --csv: add a column that counts the iterations"),
		setting.Switch(&o.csvStream, "csv-stream", "with --csv: add a column that tells the streams apart"),
		setting.Switch(&o.beside, "side-by-side", "show two sweeps or two runs beside each other"))
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
			Hint("leave --chart and --buckets out; --format csv has its figures")
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
		return fault.New(fault.Usage, "--full and --section are both given").Hint("leave one of them out")
	case o.format == run.FormJSON || o.format == run.FormCSV:
		return fault.New(fault.Usage, "--section: the format %s has no sections", o.format).
			Hint("leave it out, or take --format text or markdown")
	}
	return nil
}

// show shows the run: a text on a terminal is the answer, unless more is asked for.
func (o *reportOptions) show(env *Env, doc *rundoc.Run, kind report.Kind, name string, files []report.File) error {
	opt := report.Options{Bucket: o.bucket, Files: files, Section: o.section}
	switch {
	case o.format != run.FormText || !env.IsTerminal(env.Stdout):
		return run.Render(env, doc, kind, o.format, opt)
	case o.full || o.section != "":
		return run.Page(env, doc, kind, opt)
	}
	opt.Rest = run.WholeReport(name)
	if name == fromStdin {
		opt.Rest = restOfStdin(env, doc)
	}
	return run.Brief(env, doc, kind, opt)
}

// restOfStdin is where the rest of a report is whose document came through a pipe, which cannot be read again.
func restOfStdin(env *Env, doc *rundoc.Run) string {
	if s, err := saved.Open(env.Getenv); err == nil {
		if kept, err := s.LoadRun(doc.ID); err == nil && kept.ID == doc.ID {
			return run.WholeReport(doc.ID)
		}
	}
	return "The rest of the report: put the document in a file, and 'plimsoll report FILE --full'."
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
