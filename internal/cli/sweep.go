package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/run/sweeps"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/vary"
)

const sweepText = `Run the same test at several settings, repeat each in random order, and report
how throughput and response times scale and which setting is best.
All flags %s are accepted.

The report names the best setting, what happens beyond it, and where efficiency
is lost. If the setting is a concurrency, such as --clients, the report also
checks Little's law and fits the Universal Scalability Law.`

func newSweep(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "sweep", Short: "Run the same test at several settings and report how it scales",
		Long: fmt.Sprintf(sweepText, "of the swept command"),
		Example: "  plimsoll sweep chat --vary clients=1,2,4,8,16,32\n\n" +
			"  plimsoll sweep bandwidth --vary policy=sequential,prefetch",
		Args: command.Known, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, k := range kinds() {
		cmd.AddCommand(newSweepOf(env, k))
	}
	return cmd
}

// sweepOptions holds the settings of a sweep.
type sweepOptions struct {
	vary    []string
	repeats int
	figure  string
	order   string
	pause   time.Duration
	seed    uint64 // of a kind that has no such setting
	chart   string
	run.Forms
}

// The orders of a sweep.
const (
	orderRandom = "random"
	orderGiven  = "given"
)

// settings declares the options for a kind. They replace settings of the kind that have the same names.
func (o *sweepOptions) settings(k run.Kind) *setting.Set {
	kind := k.New().Settings()
	var names []string
	for _, one := range kind.All() {
		if one.Name != "" && whyUnfit(one) == "" {
			names = append(names, one.Name+"=")
		}
	}
	varied := setting.List(&o.vary, "vary", "name=values", "setting and values: clients=1,2,4,8, clients=1..64*2 "+
		"(doubling) or clients=10..50+10 (steps of 10); twice for a grid").Offer(names...)
	varied.Unended = true
	all := []*setting.Setting{
		varied,
		setting.Count(&o.repeats, "repeat", "count", "how often each setting is measured; confidence intervals "+
			"need at least 2").Formerly("repeats").
			Between(1, sweeps.MostRuns),
		setting.Text(&o.figure, "metric", "name", "metric that decides which setting is best (default: the main "+
			"one of the kind); see 'plimsoll help metrics'").Formerly("figure").Offer(k.Report.Headline...),
		setting.Text(&o.order, "order", "kind", "order of the runs: random, or given (as listed, repetition by "+
			"repetition)").OneOf(orderRandom, orderGiven),
		setting.Duration(&o.pause, "pause", "pause between two runs").
			Rule(func(flag string) error {
				if o.pause < 0 || o.pause > time.Hour {
					return fault.New(fault.Usage, "%s is %v: it must be from 0 to 1h", flag, o.pause)
				}
				return nil
			}),
	}
	if kind.Lookup("seed") == nil {
		all = append(all, setting.Count(&o.seed, "seed", "number", "seed of the order (default: random, shown in "+
			"the report)"))
	}
	return new(setting.Set).Group("Sweep", all...).Group("Results", append(setSettings(&o.Forms, "sweep"),
		plan.Chart(&o.chart, "draw throughput and times over the settings to this .svg or .png file"))...)
}

// whyUnfit returns why a setting cannot be varied, or "".
func whyUnfit(one *setting.Setting) string {
	switch {
	case one.Results:
		return "it does not affect the measurement"
	case one.Name == "seed":
		return "each repetition has a seed of its own"
	}
	return ""
}

func newSweepOf(env *Env, k run.Kind) *cobra.Command {
	o := &sweepOptions{repeats: 3, order: orderRandom}
	own := o.settings(k)
	theirs := without(k.New().Settings(), own)
	concurrency := "NAME"
	for _, one := range theirs.All() {
		if one.Concurrency {
			concurrency = one.Name
			break
		}
	}
	cmd := &cobra.Command{
		Use: k.Name + " [ARGUMENTS]", Short: "Sweep a setting of 'plimsoll " + k.Name + "'",
		Long:    fmt.Sprintf(sweepText, "of 'plimsoll "+k.Name+"'") + sweepDefaults(k),
		Example: "  plimsoll sweep " + k.Name + " --vary " + concurrency + "=1,2,4,8,16,32",
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
		return o.sweep(cmd.Context(), env, r)
	}
	return cmd
}

// sweepDefaults describes the defaults of a run that is one of many.
func sweepDefaults(k run.Kind) string {
	text := ""
	for _, p := range k.AmongMany {
		text += fmt.Sprintf(" --%s %s", p.Setting, p.Value)
	}
	if text == "" {
		return ""
	}
	return "\n\nDefaults of a run in a sweep:\n " + text
}

// without returns the settings of a kind that are not among own.
func without(kind, own *setting.Set) *setting.Set {
	rest := new(setting.Set)
	for _, one := range kind.All() {
		if one.Name != "" && own.Lookup(one.Name) == nil {
			one.Often = 0
			rest.Group(one.Heading, one)
		}
	}
	return rest
}

// request builds the request from the command line.
func (o *sweepOptions) request(k run.Kind, args []string, theirs *setting.Set) (*sweeps.Request, error) {
	if err := o.settings(k).Check(); err != nil {
		return nil, err
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	r := &sweeps.Request{
		Kind: k, Args: args, Figure: o.figure, Repeats: o.repeats,
		Random: o.order == orderRandom, Seed: plan.RandomSeed(), Pause: o.pause,
		Forms: o.Forms,
	}
	if o.seed != 0 {
		r.Seed = o.seed
	}
	for _, text := range o.vary {
		v, err := vary.Parse(text, func() *setting.Set { return k.New().Settings() })
		if err != nil {
			return nil, err
		}
		if why := whyUnfit(k.New().Settings().Lookup(v.Name)); why != "" {
			return nil, fault.New(fault.Usage, "--vary %s: %s", v.Name, why).Hint("choose a setting of the load or of the " +
				"target")
		}
		r.Vary = append(r.Vary, v)
	}
	for _, one := range theirs.All() {
		texts := one.Texts()
		switch {
		case len(texts) == 0:
		case one.Name == "seed":
			seed, err := strconv.ParseUint(one.String(), 10, 64)
			if err != nil {
				return nil, fault.New(fault.Usage, "--seed: %w", err)
			}
			r.Seed = seed
		default:
			r.Given = append(r.Given, several.Given{Name: one.Name, Values: slices.Clone(texts)})
		}
	}
	return r, nil
}

// sweep makes the runs and shows the result, including a partial one.
func (o *sweepOptions) sweep(ctx context.Context, env *Env, r *sweeps.Request) error {
	if err := o.CheckFiles(env, run.File{Flag: "chart", What: report.ChartFile, Path: o.chart}); err != nil {
		return err
	}
	s, err := sweeps.New(env, r)
	if err != nil {
		return err
	}
	if !o.Quiet {
		fmt.Fprintln(env.Stderr, s.Announce())
	}
	if err := s.Run(ctx); err != nil {
		return o.Lost(env, "sweep "+r.Kind.Name, err)
	}
	outcome := s.End(s.Outcome())
	return gravest(o.show(env, s), outcome)
}

// show draws and shows a sweep in the requested form. A chart that cannot be drawn does not suppress the report.
func (o *sweepOptions) show(env *Env, s *sweeps.Sweep) error {
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
