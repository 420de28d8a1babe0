package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/othertools"
	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/planfile"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// planRun is one call of the run command.
type planRun struct {
	env   *Env
	forms run.Forms
	dry   bool

	file *planfile.File
	jobs []run.Job
	set  *several.Set
}

// newRun returns the run command.
func newRun(env *Env) *cobra.Command {
	r := &planRun{env: env}
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Run the tests of a plan file",
		Long: `Run the tests of a plan file, one after the other, and save them as a set. The
whole file is checked before the first test starts. FILE can be - for stdin.

A test that fails does not stop the later ones. An interrupt stops all of them
and keeps what was measured. The exit status is the most severe one of the
tests. See docs/plan-files.md.`,
		Example: `  plimsoll plan chat --clients 8 --duration 30s > plan.yaml
  plimsoll run plan.yaml

  # list what would be run, with the variables that the file uses
  TOKEN=secret plimsoll run plan.yaml --dry-run`,
		Args: command.ExactlyOne("a plan file", "the path of a file, or -"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.forms.Check(); err != nil {
				return err
			}
			if othertools.Script(args[0]) {
				return fault.New(fault.Usage, "%q is not a plan file", redact.URL(args[0])).
					Hint("%s", commandHint(cmd.Root(), []string{othertools.Run, args[0]}))
			}
			if err := r.read(args[0]); err != nil {
				return err
			}
			if r.dry {
				return r.list()
			}
			return r.live(cmd.Context())
		},
	}
	command.AddFlags(cmd, new(setting.Set).
		Group("Runs", setting.Switch(&r.dry, "dry-run", "check the file and list the tests without running them")).
		Group("Results", setSettings(&r.forms, "set")...))
	return cmd
}

// read reads and checks the file and prepares its runs.
func (r *planRun) read(path string) error {
	name, data, err := readPlan(r.env, path)
	if err != nil {
		return err
	}
	if r.file, err = planfile.Read(name, data, kinds(), r.env.LookupEnv); err != nil {
		return err
	}
	r.jobs, err = r.file.Jobs(r.env)
	return err
}

// readPlan reads a file, up to the maximum size of a plan.
func readPlan(env *Env, path string) (name string, data []byte, err error) {
	bounded := func(from io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(from, planfile.MaxSize+4)) }
	if path == fromStdin {
		if data, err = bounded(env.Stdin); err != nil {
			return "", nil, fault.New(fault.Usage, "cannot read the plan file from stdin: %w", err)
		}
		return "stdin", data, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", nil, fault.New(fault.Usage, "cannot read the plan file %s: %w", path, outfile.Reason(err)).
			Hint("create one with 'plimsoll plan chat --clients 8 > plan.yaml'")
	}
	data, err = bounded(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", nil, fault.New(fault.Usage, "cannot read the plan file %s: %w", path, outfile.Reason(err)).
			Hint("give the path of a plan file")
	}
	return path, data, nil
}

// list prints the runs of the file.
func (r *planRun) list() error {
	if r.forms.JSON {
		return command.WriteJSON(r.env.Stdout, r.file)
	}
	rows := [][]string{{"", "run", "kind", "settings"}}
	for i, one := range r.file.Runs {
		rows = append(rows, []string{strconv.Itoa(i + 1), units.Clean(one.Name), one.Kind.Name, units.Clean(given(one))})
	}
	_, err := fmt.Fprintf(r.env.Stdout, "%s\n%s is valid and has %s; nothing was run.\n", command.Align(rows),
		units.Clean(r.file.Name), runsOf(len(r.file.Runs)))
	return err
}

// given returns a human-readable summary of the settings taken from the file.
func given(one *planfile.Run) string {
	if parts := one.Given(); len(parts) > 0 {
		return strings.Join(parts, ", ")
	}
	return "(defaults)"
}

func runsOf(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

// live makes the runs and shows the report.
func (r *planRun) live(ctx context.Context) error {
	var err error
	if r.set, err = several.Begin(r.env, &r.forms, setdoc.KindPlan, r.file); err != nil {
		return err
	}
	r.set.Doc.Planned = len(r.jobs)
	view := run.NewView(r.env, r.forms.Quiet, report.Kind{})
	soft, hard, release := run.Interrupts(ctx, r.env, view.Ending)
	defer release()
	err = r.set.Run(soft, func(at int) error {
		r.make(soft, hard, at)
		return nil
	})
	if err != nil {
		return err
	}
	outcome := r.set.End(r.set.Outcome())
	return gravest(outcome, showSet(r.env, r.set, &r.forms, report.Options{}))
}

// gravest joins errors, the most severe first, which determines the exit status.
func gravest(errs ...error) error {
	slices.SortStableFunc(errs, func(a, b error) int {
		switch {
		case a != nil && (b == nil || run.Graver(a, b)):
			return -1
		case b != nil && (a == nil || run.Graver(b, a)):
			return 1
		}
		return 0
	})
	return errors.Join(errs...)
}

// make makes run i.
func (r *planRun) make(soft, hard context.Context, i int) {
	one, job := r.file.Runs[i], r.jobs[i]
	job.Forms.Quiet = r.forms.Quiet
	what := fmt.Sprintf("run %d of %d: %s", i+1, len(r.jobs), units.Clean(one.Name))
	doc, err := run.MakeMember(soft, hard, r.env, job,
		run.Member{Set: r.set.Dir(), Show: r.set.Show, What: what, At: i, Of: len(r.jobs)})
	m := setdoc.Member{Name: one.Name, Workload: one.Kind.Name}
	result(&m, &one.Kind.Report, doc)
	r.set.Add(m, doc, err)
	member := &r.set.Doc.Members[len(r.set.Doc.Members)-1]
	if !r.forms.Quiet {
		fmt.Fprintf(r.env.Stderr, "%s: %s\n", what, briefly(member))
	}
}

// result copies the main metrics of a run into its member.
func result(m *setdoc.Member, kind *report.Kind, doc *rundoc.Run) {
	if doc == nil {
		return
	}
	l, err := kind.ListingOf(doc)
	if err != nil {
		return
	}
	m.RatePerS, m.P99NS, m.Result = l.RatePerS, l.P99NS, units.Clean(l.Rate)
}

// briefly returns the result of a run in one line.
func briefly(m *setdoc.Member) string {
	if m.Error != "" && m.Path == "" && m.Verdict.Validity == "" {
		return "not measured: " + units.Clean(m.Error)
	}
	var parts []string
	switch {
	case m.Result != "":
		parts = append(parts, m.Result)
	case m.RatePerS != nil:
		parts = append(parts, units.PerSecond(*m.RatePerS)+"/s")
	}
	if m.P99NS != nil {
		parts = append(parts, "p99 "+units.Duration(*m.P99NS))
	}
	text := strings.Join(append(parts, string(m.Verdict.Validity)), ", ")
	if m.Error != "" {
		text += ": " + units.Clean(m.Error)
	}
	return text
}
