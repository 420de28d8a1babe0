package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/cli/compare"
	"github.com/plimsoll/plimsoll/internal/cli/runs"
	"github.com/plimsoll/plimsoll/internal/cli/view"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/launches"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth"
	"github.com/plimsoll/plimsoll/internal/workload/chat"
	"github.com/plimsoll/plimsoll/internal/workload/http"
	"github.com/plimsoll/plimsoll/internal/workload/overhead"
	"github.com/plimsoll/plimsoll/internal/workload/updates"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
)

// kinds are the kinds of traffic: the one list of them.
func kinds() []run.Kind {
	return []run.Kind{http.Kind(), ws.Kind(), chat.Kind(), bandwidth.Kind(), overhead.Kind(), updates.Kind()}
}

// reportKind is how a run of this workload is shown. That of a workload which is not known has the
// common report.
func reportKind(workload string) report.Kind {
	all := kinds()
	if i := slices.IndexFunc(all, func(k run.Kind) bool { return k.Name == workload }); i >= 0 {
		return all[i].Report
	}
	return report.Kind{}
}

// listedKinds are the kinds as the list of saved runs knows them.
func listedKinds() runs.Kinds {
	known := runs.Kinds{Of: reportKind}
	for _, k := range kinds() {
		known.Names = append(known.Names, k.Name)
	}
	return known
}

// compareHouse is what the command that compares has to know of the others.
func compareHouse(env *Env) compare.House {
	return compare.House{
		Kinds: kinds, KindOf: kindOf, TwoDashes: twoDashes, FlagErrors: flagErrors, Show: showSet, Draw: drawSet,
		SetSettings: setSettings, Side: sideOf, Names: func() []string { return completeRuns(env) }, Report: reportKind,
	}
}

// viewHouse is what the command that opens saved runs in a browser has to know of the others.
func viewHouse(env *Env) view.House {
	return view.House{Kinds: reportKind, Broken: rereadSet, Names: func() []string { return completeRuns(env) }}
}

// kindOf is the command that measures what a URL names, by its scheme; "" for one that is not known.
func kindOf(url string) string {
	for _, k := range kinds() {
		if k.Offer == nil {
			continue
		}
		begins := func(scheme string) bool { return strings.HasSuffix(scheme, "://") && strings.HasPrefix(url, scheme) }
		if slices.ContainsFunc(k.Offer(), begins) {
			return k.Name
		}
	}
	return ""
}

// newKind makes the command of a kind.
func newKind(env *Env, k run.Kind) *cobra.Command {
	c := k.New()
	settings := c.Settings()
	more := launchSettings{name: repeatFlag(settings), known: k.Report.Known(k.Name)}
	cmd := &cobra.Command{
		Use: k.Help.Use, Short: k.Help.Short, Long: k.Help.Long, Example: k.Help.Example,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := foreignValue(cmd); err != nil {
				return err
			}
			if given := command.Given(cmd); given(more.name) && !given("against") {
				return more.make(cmd.Context(), env, k, args, settings)
			}
			if len(more.until) > 0 {
				return fault.New(fault.Usage, "--until: the length of a %s run is fixed",
					k.Name).Hint("add --%s 20 to repeat the run until the metric is known", more.name)
			}
			if err := c.Resolve(args, command.Given(cmd)); err != nil {
				return run.FigureOf(kinds(), k, err)
			}
			if asker, may := c.(run.Comparing); may && asker.Against() != nil {
				return compare.Against(cmd.Context(), env, compareHouse(env), k, args, settings, asker.Against())
			}
			if asker, may := c.(run.Searching); may && asker.Search() != nil {
				return searchInstead(cmd.Context(), env, k, args, settings, asker.Search())
			}
			return c.Run(cmd.Context(), env)
		},
	}
	if k.Help.Args != "" {
		cmd.Args = command.AtMost(k.Help.Most, k.Help.Args)
	}
	cmd.ValidArgsFunction = offerArguments(k)
	command.AddFlags(cmd, settings.Group("Until", more.settings(settings)...))
	return cmd
}

// launchSettings are those of a kind's command that makes the same run again and again.
type launchSettings struct {
	name  string   // of the flag that says how many times
	until []string // of a kind whose runs have no such setting
	known figure.Known
}

// repeatFlag returns the name of the flag that repeats a run of a kind with these settings. It is --launches where
// --repeat is an earlier name of another setting.
func repeatFlag(own *setting.Set) string {
	if one := own.Lookup("repeat"); one != nil && one.Name != "repeat" {
		return "launches"
	}
	return "repeat"
}

func (l *launchSettings) settings(own *setting.Set) []*setting.Setting {
	var all []*setting.Setting
	if own.Lookup(l.name) == nil { // a kind that compares has it
		repeat := setting.Count(new(int), l.name, "count", "run the same test this many times, each from a fresh start, "+
			"and report how much the runs differ; with --until: at most this many").OfResults()
		if l.name != "launches" {
			repeat.Formerly("launches")
		}
		all = append(all, repeat)
	}
	if own.Lookup("until") == nil {
		all = append(all, run.UntilSetting(&l.until, l.known, "with --"+l.name+": repeat until the 95% confidence "+
			"interval of "+
			"this metric's median is this narrow: a metric of 'plimsoll help metrics' and ±5% (or +-5%)"))
	}
	return all
}

// make makes the launches, each as the command alone would.
func (l *launchSettings) make(ctx context.Context, env *Env, k run.Kind, args []string, own *setting.Set) error {
	r := &launches.Request{
		Call: several.Call{Kind: k, Args: args}, Until: l.until, Seed: plan.RandomSeed(), Flag: l.name,
	}
	var err error
	if r.Most, err = setting.ParseCount[int](own.Lookup(l.name).String()); err != nil {
		return fault.New(fault.Usage, "--%s: %w", l.name, err)
	}
	forms := new(setting.Set).Group("", r.Forms.Settings()...)
	for _, one := range own.All() {
		texts := slices.Clone(one.Texts())
		switch mine := forms.Lookup(one.Name); {
		case len(texts) == 0 || one.Name == l.name:
		case one.Name == "until":
			r.Until = texts
		case one.Name == "until-most":
			return fault.New(fault.Usage, "--until-most and --%s are both given: repeated runs all have the same length",
				l.name).
				Hint("remove --until-most; --duration sets the length of each run")
		case one.Name == "seed":
			seed, err := strconv.ParseUint(one.String(), 10, 64)
			if err != nil {
				return fault.New(fault.Usage, "--seed: %w", err)
			}
			r.Seed = seed
		case mine != nil:
			for _, text := range texts {
				if err := mine.Set(text); err != nil {
					return fault.New(fault.Usage, "--%s: %w", one.Name, err)
				}
			}
		default:
			r.Given = append(r.Given, several.Given{Name: one.Name, Values: texts})
		}
	}
	if err := r.Forms.Check(); err != nil {
		return err
	}
	made, err := launches.New(env, r)
	if err != nil {
		return run.FigureOf(kinds(), k, err)
	}
	if err := made.Run(ctx); err != nil {
		return r.Forms.Lost(env, k.Name, err)
	}
	outcome := made.End(made.Outcome())
	return gravest(showSet(env, made.Set, &r.Forms, report.Options{}), outcome)
}

// offerArguments is what a shell offers as arguments of a kind's command; nil: files.
func offerArguments(k run.Kind) cobra.CompletionFunc {
	if k.Offer == nil {
		return nil
	}
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		offered := k.Offer()
		begins := func(url string) bool {
			return slices.ContainsFunc(offered, func(o string) bool { return isScheme(o) && strings.HasPrefix(url, o) })
		}
		if slices.ContainsFunc(args, begins) { // nothing comes behind the URL
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return offered, unended(offered) | cobra.ShellCompDirectiveNoFileComp
	}
}

// twoDashes writes the flags of a command that have one dash (-block 8), as the tool has them that
// people come from, with two, also behind plan and sweep. What is one letter long is left alone.
func twoDashes(args []string, cmd *cobra.Command) []string {
	at := 0
	if len(args) > 1 && (args[0] == "plan" || args[0] == "sweep" || args[0] == "loadline") {
		at = 1
	}
	if len(args) == 0 || args[at] != cmd.Name() {
		return args
	}
	list := append([]string(nil), args...)
	for i, a := range list {
		if a == "--" {
			break
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(a, "-"), "=")
		if strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && len(name) > 1 && cmd.Flags().Lookup(name) != nil {
			list[i] = "-" + a
		}
	}
	return list
}
