package compare

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/setdoc"
)

// A House provides what this command needs from the others.
type House struct {
	Kinds  func() []run.Kind
	KindOf func(url string) string // the kind of run that measures what a URL names; "" for none
	// TwoDashes and FlagErrors are how a kind's command takes its flags, and what is said of a wrong one.
	TwoDashes  func(args []string, cmd *cobra.Command) []string
	FlagErrors func(args []string) func(*cobra.Command, error) error
	// Show shows a set at the end of the command that made it, and Draw its chart.
	Show func(env *run.Env, set *several.Set, forms *run.Forms, opt report.Options) error
	Draw func(env *run.Env, path string, of sets.Source) error
	// SetSettings are those of what becomes of a set.
	SetSettings func(f *run.Forms, what string) []*setting.Setting
	// Side is a saved run as one of two that are shown side by side.
	Side   func(name string, found *saved.Saved) sets.Side
	Report func(workload string) report.Kind // how the runs of a workload are shown
	// Names are those of saved runs, for a shell.
	Names func() []string
}

// options are the settings of the command.
type options struct {
	house House
	env   *run.Env

	launches   int
	slice      time.Duration
	interleave string
	minEffect  float64
	failIf     string
	conclusive bool
	figures    []string
	busyLimit  float64
	seed       uint64
	chart      string
	run.Forms
}

const (
	defaultLaunches = 30
	mostLaunches    = 1000
	worse           = "worse" // of --fail-if
)

const compareText = `Compare two targets, A and B, and report significant differences. Both are
measured repeatedly in turn, so that disturbances affect both alike. The
comparison stops as soon as every metric is decided.

A side is a URL, a command line in quotes (with or without plimsoll), or a plan
file with one run. Flags of the measured command, such as --clients, apply to
both sides. Each launch starts both sides afresh, in random order, and measures
each for one second, or as long as its percentiles need, unless --duration or a
similar flag is given. The results are tested after 10, 20 and 30 launches.

Two saved runs are shown side by side, together with the usual variation between
runs on this machine: two single runs cannot prove a difference.

docs/compare.md describes the method and its power.`

const compareExample = `  # two versions of a service
  plimsoll compare http://127.0.0.1:8080/ http://127.0.0.1:8081/

  # in CI: exit status 3 if the second is worse
  plimsoll compare http://old/ http://new/ --fail-if worse --clients 50

  # two saved runs, side by side
  plimsoll compare last~1 last

  # two settings, or two plan files
  plimsoll compare "chat --rooms 1" "chat --rooms 20" --metric p99
  plimsoll compare a.yaml b.yaml --min-effect 5% --require-conclusive`

// New makes the command.
func New(env *run.Env, house House) *cobra.Command {
	o := &options{house: house, env: env, launches: defaultLaunches, busyLimit: run.BusySuits}
	settings := o.settings()
	cmd := &cobra.Command{
		Use: "compare A B", Short: "Compare two targets and report significant differences",
		Long: compareText, Example: compareExample, Args: arguments,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return o.offered(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := settings.Check(); err != nil {
				return err
			}
			if err := o.Check(); err != nil {
				return err
			}
			named, behind := args, []string(nil)
			if dash := cmd.ArgsLenAtDash(); dash >= 0 {
				named, behind = args[:dash], args[dash:]
			}
			if len(named) != 2 {
				return few(named)
			}
			return o.compare(cmd.Context(), named, behind, command.Given(cmd))
		},
	}
	number := settings.All()[0].Name // of launches
	settings.Often(number, "metric", "min-effect", "fail-if", "require-conclusive", "interleave", "chart", "html", "json",
		"out")
	command.AddFlags(cmd, settings)
	cmd.SetFlagErrorFunc(house.FlagErrors(env.Args))
	return cmd
}

// settings declares them.
func (o *options) settings() *setting.Set {
	return new(setting.Set).Group("Comparison",
		setting.Count(&o.launches, "repeat", "count", "maximum number of launches (default 30, or as many as "+
			"fit in 5 minutes); it stops sooner if all is decided").Formerly("launches").
			Between(1, mostLaunches),
		setting.Text(&o.interleave, "interleave", "how", "how the sides alternate: slices within a process, "+
			"whole runs, or duet (in parallel) (default: slices if possible, else runs)").
			OneOf(setdoc.BySlices, setdoc.ByRuns, setdoc.AtOnce).OmitZero(),
		setting.Duration(&o.slice, "slice", "length of a slice (default: the longest of 20ms, 10 × p50 and 20 "+
			"operations)").
			Rule(o.checkSlice),
		setting.List(&o.figures, "metric", "name", "metric to compare instead of the default ones, or +NAME in "+
			"addition; repeatable; see 'plimsoll help metrics'").Formerly("figure").Offer("rate", "p50", "p90", "p99", "failed"),
		setting.Share(&o.minEffect, "min-effect", "smallest relevant change, such as 5% (default: any)").
			Rule(o.checkMinEffect),
		run.BusyLimitSetting(&o.busyLimit, ""),
		setting.Count(&o.seed, "seed", "number", "seed of order and traffic (default: random, shown in the report)"),
	).Group("Exit status",
		setting.Text(&o.failIf, "fail-if", "what", "exit status 3 if a metric of B is worse").OneOf(worse).OmitZero(),
		setting.Switch(&o.conclusive, "require-conclusive", "exit status 4 if a change of --min-effect could not "+
			"have been detected"),
	).Group("Results", append(o.house.SetSettings(&o.Forms, "comparison"),
		plan.Chart(&o.chart, "draw the ratios with confidence intervals to this .svg or .png file"))...)
}

func (o *options) checkSlice(flag string) error {
	if o.slice < 0 || o.slice > 0 && o.slice < time.Millisecond || o.slice > time.Minute {
		return fault.New(fault.Usage, "%s is %v: it must be from 1ms to 1m", flag, o.slice)
	}
	return nil
}

func (o *options) checkMinEffect(flag string) error {
	if !(o.minEffect >= 0 && o.minEffect <= 1) {
		return fault.New(fault.Usage, "%s is %g: it must be from 0 to 100%%", flag, o.minEffect)
	}
	return nil
}

// arguments rejects more than two sides.
func arguments(cmd *cobra.Command, args []string) error {
	n := len(args)
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		n = dash
	}
	if n > 2 {
		return fault.New(fault.Usage, "plimsoll compare takes two sides, not %d", n).
			Hint("quote each command line; flags outside of the quotes apply to both sides: compare A B --clients 50")
	}
	return nil
}

// few returns the error for fewer than two sides.
func few(named []string) error {
	return fault.New(fault.Usage, "plimsoll compare needs two sides, not %d", len(named)).
		Hint("for example: plimsoll compare http://127.0.0.1:8080/ http://127.0.0.1:8081/")
}

// offered returns the completions for a side, besides files.
func (o *options) offered() []string {
	list := []string{"http://", "https://", "ws://", "wss://"}
	for _, k := range o.house.Kinds() {
		list = append(list, k.Name)
	}
	return append(list, o.house.Names()...)
}

// unasked rejects flags that have no effect on two saved runs.
func unasked(given func(string) bool) error {
	for _, name := range []string{"repeat", "interleave", "slice", "metric", "min-effect", "busy-limit", "seed",
		"fail-if", "require-conclusive", "out", "label", "chart", "html", "junit"} {
		if given(name) {
			return fault.New(fault.Usage, "--%s has no effect on two saved runs", name).
				Hint("remove it, or give two URLs or command lines to measure")
		}
	}
	return nil
}
