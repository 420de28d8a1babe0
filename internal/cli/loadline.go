package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/loadline"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/loadlines"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

const loadlineText = `Find the highest load at which a service meets an SLO such as
'p99<50ms,failed<0.1%%'. The load is the rate, or another setting (--vary).
All flags %s are accepted.

The search doubles the load until a probe misses the SLO, and then continues
with a probabilistic bisection, because probes at the same load can differ. The
result is the load at which half of the probes meet the SLO, with a 98%%
confidence interval. The search stops at the requested precision or after
--max-time. See docs/loadline.md.`

func newLoadline(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "loadline", Short: "Find the highest load that meets an SLO",
		Long: fmt.Sprintf(loadlineText, "of the probed command"),
		Example: "  plimsoll loadline http http://127.0.0.1:8080/ --slo 'p99<50ms,failed<0.1%'\n\n" +
			"  plimsoll loadline chat --vary clients --slo 'p99<20ms'",
		Args: command.Known, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, k := range kinds() {
		cmd.AddCommand(newLoadlineOf(env, k))
	}
	return cmd
}

// loadlineOptions holds the settings of a search.
type loadlineOptions struct {
	slo                    []string
	vary                   string
	start, lowest, highest float64
	within                 float64
	maxTime, longest       time.Duration
	seed                   uint64                             // of a kind that has no such setting
	deadline               func(text string) *setting.Setting // the setting that --within was earlier, or nil
	chart                  string
	run.Forms
}

// settings declares the options for a kind. They replace settings of the kind that have the same names.
func (o *loadlineOptions) settings(k run.Kind) *setting.Set {
	kind := k.New().Settings()
	var loads []string
	for _, one := range kind.All() {
		if one.Name != "" && one.Load {
			loads = append(loads, one.Name)
		}
	}
	slo := setting.List(&o.slo, "slo", "conditions", "conditions that the service must meet, such as "+
		"'p99<50ms,failed<0.1%'; repeatable; see 'plimsoll help metrics'").
		Offer(figure.Names(k.Report.Known(k.Name))...).AlsoCalled("threshold")
	slo.Unended = true // a comparison follows
	within := setting.Share(&o.within, "within", "stop when the answer is known this precisely: half the width of its "+
		"98% confidence interval, from 2% to 50%").Formerly("search-within")
	if o.deadline != nil {
		within.GivesWay(o.deadline)
	}
	all := []*setting.Setting{
		slo,
		setting.Text(&o.vary, "vary", "name", "the setting to search over (default rate)").Offer(loads...),
		setting.Rate(&o.start, "start", "first load to try (default: the kind's rate or 1000; other settings: 1)").
			Rule(positive(&o.start)),
		setting.Rate(&o.lowest, "lowest", "lowest load to try (default: the lowest that --max-probe can measure)").
			Rule(positive(&o.lowest)),
		setting.Rate(&o.highest, "highest", "highest load to try (default: 1000000, or the limit of the kind)").
			Rule(positive(&o.highest)),
		within,
		setting.Duration(&o.maxTime, "max-time", "maximum time of the search; it then reports what it has found"),
		setting.Duration(&o.longest, "max-probe", "maximum length of a probe, without warm-up (default: a third "+
			"of --max-time, at most 1m)").
			Rule(func(flag string) error {
				if o.longest != 0 && (o.longest < time.Second || o.longest > time.Hour) {
					return fault.New(fault.Usage, "%s is %v: it must be from 1s to 1h", flag, o.longest)
				}
				return nil
			}),
	}
	if kind.Lookup("seed") == nil {
		all = append(all, setting.Count(&o.seed, "seed", "number", "seed of the probes (default: random, shown "+
			"in the report)"))
	}
	return new(setting.Set).Group("Load line", all...).Group("Results", append(setSettings(&o.Forms, "load line"),
		plan.Chart(&o.chart, "draw all probes to this .svg or .png file"))...)
}

// positive returns a rule that a given load is within the supported range.
func positive(load *float64) func(flag string) error {
	const most = 1e9
	return func(flag string) error {
		if !(*load == 0 || *load >= 1e-3 && *load <= most) {
			return fault.New(fault.Usage, "%s is %v: it must be from 0.001 to %.0f", flag, *load, most)
		}
		return nil
	}
}

func newLoadlineOf(env *Env, k run.Kind) *cobra.Command {
	o := &loadlineOptions{within: loadlines.DefaultWithin, maxTime: loadlines.DefaultMaxTime}
	kind := k.New().Settings()
	for _, one := range kind.All() {
		if slices.Contains(one.Former, "within") {
			o.deadline = setting.DurationOf(kind, one.Name)
		}
	}
	own := o.settings(k)
	theirs := without(kind, own)
	cmd := &cobra.Command{
		Use: k.Name + " [ARGUMENTS]", Short: "Find the highest load of 'plimsoll " + k.Name + "' that meets an SLO",
		Long:    fmt.Sprintf(loadlineText, "of 'plimsoll "+k.Name+"'"),
		Example: "  plimsoll loadline " + k.Name + loadlineExample(k),
	}
	if k.Help.Args != "" {
		cmd.Args = command.AtMost(k.Help.Most, k.Help.Args)
	}
	cmd.ValidArgsFunction = offerArguments(k)
	command.AddFlags(cmd, own.Often())
	command.AddFlags(cmd, theirs)
	for _, one := range theirs.All() {
		cmd.Flags().Lookup(one.Name).Annotations[command.OfOtherKey] = []string{k.Name}
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := foreignValue(cmd); err != nil {
			return err
		}
		r, err := o.request(k, args, theirs)
		if err != nil {
			return err
		}
		return o.search(cmd.Context(), env, r)
	}
	return cmd
}

// loadlineExample returns the minimal flags of a search over this kind.
func loadlineExample(k run.Kind) string {
	settings := k.New().Settings()
	if settings.Lookup(loadlines.DefaultVary) != nil {
		return " --slo 'p99<50ms,failed<0.1%'"
	}
	for _, one := range settings.All() {
		if one.Load {
			return " --vary " + one.Name + " --slo 'failed<0.1%'"
		}
	}
	return " --slo 'failed<0.1%'"
}

// request is what the command line asks for.
func (o *loadlineOptions) request(k run.Kind, args []string, theirs *setting.Set) (*loadlines.Request, error) {
	if err := o.settings(k).Check(); err != nil {
		return nil, err
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	r := &loadlines.Request{
		Kind: k, Args: args, SLO: o.slo, Vary: o.vary, Start: o.start, Lowest: o.lowest, Highest: o.highest,
		Within: o.within, MaxTime: o.maxTime, Longest: o.longest, Seed: plan.RandomSeed(), Forms: o.Forms,
	}
	if o.seed != 0 {
		r.Seed = o.seed
	}
	return r, giveTo(r, theirs, nil)
}

// giveTo passes the given settings of the kind to a search, except own, which belong to the search itself.
func giveTo(r *loadlines.Request, theirs *setting.Set, own []string) error {
	for _, one := range theirs.All() {
		texts := one.Texts()
		switch {
		case len(texts) == 0 || slices.Contains(own, one.Name):
		case one.Name == "seed":
			seed, err := strconv.ParseUint(one.String(), 10, 64)
			if err != nil {
				return fault.New(fault.Usage, "--seed: %w", err)
			}
			r.Seed = seed
		default:
			r.Given = append(r.Given, several.Given{Name: one.Name, Values: slices.Clone(texts)})
		}
	}
	return nil
}

// searchInstead makes the search that a kind's command asks for instead of a run.
func searchInstead(ctx context.Context, env *Env, k run.Kind, args []string, settings *setting.Set,
	asked *run.Search) error {
	o := &loadlineOptions{Forms: asked.Forms}
	r := &loadlines.Request{
		Kind: k, Args: args, SLO: asked.SLO, Start: asked.Start, Lowest: asked.Lowest,
		Within: cmp.Or(asked.Within, loadlines.DefaultWithin), MaxTime: cmp.Or(asked.MaxTime, loadlines.DefaultMaxTime),
		Shortest: asked.Length, Longest: asked.Length, Seed: plan.RandomSeed(), Presets: asked.Presets, Forms: asked.Forms,
	}
	own := slices.Clone(asked.Own)
	for _, one := range o.Forms.Settings() {
		own = append(own, one.Name)
	}
	if err := giveTo(r, settings, own); err != nil {
		return err
	}
	return o.search(ctx, env, r)
}

// search makes the probes and shows the result, including a partial one.
func (o *loadlineOptions) search(ctx context.Context, env *Env, r *loadlines.Request) error {
	if err := o.CheckFiles(env, run.File{Flag: "chart", What: report.ChartFile, Path: o.chart}); err != nil {
		return err
	}
	s, err := loadlines.New(env, r)
	if err != nil {
		return run.FigureOf(kinds(), r.Kind, err)
	}
	if !o.Quiet {
		fmt.Fprintln(env.Stderr, s.Announce())
	}
	if err := s.Run(ctx); err != nil {
		return o.Lost(env, "loadline "+r.Kind.Name, err)
	}
	outcome := s.End(s.Outcome())
	return gravest(o.show(env, s), outcome)
}

// show draws and shows the result in the requested form. A chart that cannot be drawn does not suppress the report.
func (o *loadlineOptions) show(env *Env, s *loadlines.Search) error {
	of := sets.Source{Set: &s.Doc, Name: s.Name(&o.Forms)}
	var opt report.Options
	var undrawn error
	if o.chart != "" {
		if undrawn = drawSet(env, o.chart, of); undrawn == nil {
			opt.Files = []report.File{{What: report.ChartFile, Path: o.chart}}
		}
	}
	return errors.Join(showSet(env, s.Set, &o.Forms, opt), undrawn)
}

// rereadLoadline is rereadSet of a load line.
func rereadLoadline(found *saved.Saved) []string {
	set := found.Set
	wrong := loadline.Reread(set)
	known := reportKind(set.Loadline.Workload).Known(set.Loadline.Workload)
	if found.Path != "" {
		wrong = append(wrong, rereadMembers(found, func(m *setdoc.Member, run *rundoc.Run) []string {
			return loadline.RereadMember(set, m, run, known)
		})...)
	}
	const most = 8 // of a document that was edited a lot
	return wrong[:min(most, len(wrong))]
}
