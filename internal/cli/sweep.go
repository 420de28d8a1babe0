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

const sweepText = `Measure the same at several settings, to see how throughput and times follow:
each setting several times, all runs in random order. The report has a line for
each setting, says which is best and why, how it ends beyond that, and where the
efficiency went; of a setting that says how much goes on at once also what
Little's law and the Universal Scalability Law make of it.

`

func newSweep(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "sweep", Short: "Measure at several settings, and see how it scales", Long: sweepText +
			"Any setting of a kind of run can be varied, by the name of its flag.",
		Example: "  plimsoll sweep chat --vary clients=1,2,4,8,16,32\n" +
			"  plimsoll sweep bandwidth --vary policy=sequential,prefetch",
		Args: command.Known, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, k := range kinds() {
		cmd.AddCommand(newSweepOf(env, k))
	}
	return cmd
}

// sweepOptions are the settings of a sweep.
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

// settings declares them; k is the kind, some of whose settings they stand for.
func (o *sweepOptions) settings(k run.Kind) *setting.Set {
	kind := k.New().Settings()
	var names []string
	for _, one := range kind.All() {
		if one.Name != "" && whyUnfit(one) == "" {
			names = append(names, one.Name+"=")
		}
	}
	varied := setting.List(&o.vary, "vary", "name=values", "a setting, and what it is to be: clients=1,2,4,8 or "+
		"clients=1..64*2 (each the double of the last) or clients=10..50+10; twice for a grid of two").Offer(names...)
	varied.Unended = true
	all := []*setting.Setting{
		varied,
		setting.Count(&o.repeats, "repeats", "count", "how often each setting is measured; with one there are no intervals").
			Between(1, sweeps.MostRuns),
		setting.Text(&o.figure, "figure", "name", "what the settings are compared by: a rate, of which the most is "+
			"best, or a time, of which the least is, as 'plimsoll help figures' has them (default: what this kind's runs "+
			"go by)").Offer(k.Report.Headline...),
		setting.Text(&o.order, "order", "kind", "random over all runs, or given: as the values stand, all of them once "+
			"and then again").OneOf(orderRandom, orderGiven),
		setting.Duration(&o.pause, "pause", "time between two runs, for what has to cool down (default none)").
			Rule(func(flag string) error {
				if o.pause < 0 || o.pause > time.Hour {
					return fault.New(fault.Usage, "%s is %v: it must be from 0 to 1h", flag, o.pause)
				}
				return nil
			}),
	}
	if kind.Lookup("seed") == nil {
		all = append(all, setting.Count(&o.seed, "seed", "number", "of the order: the same number, the same order "+
			"(default random, shown in the report)"))
	}
	return new(setting.Set).Group("Sweep", all...).Group("Results", append(setSettings(&o.Forms, "sweep"),
		plan.Chart(&o.chart, "draw throughput and times over the settings to this file, .svg or .png"))...)
}

// whyUnfit says why a setting makes no sense to be varied, or "".
func whyUnfit(one *setting.Setting) string {
	switch {
	case one.Results:
		return "it says what is made of a run, and changes nothing of its figures"
	case one.Name == "seed":
		return "each repeat has another one already"
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
		Use: k.Name + " [ARGUMENTS]", Short: "Sweep over a setting of 'plimsoll " + k.Name + "'",
		Long: sweepText + sweepDefaults(k) + "All flags and arguments of 'plimsoll " + k.Name +
			"' are taken, too, for each run:\nsee 'plimsoll " + k.Name + " --help'.",
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

// sweepDefaults says what a run takes that is one of many.
func sweepDefaults(k run.Kind) string {
	text := ""
	for _, p := range k.AmongMany {
		text += fmt.Sprintf(" --%s %s", p.Setting, p.Value)
	}
	if text == "" {
		return ""
	}
	return "Unless you say otherwise each run has\n " + text + ".\n\n"
}

// without are the flags of a kind that a sweep has not got itself.
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

// request is what the command line asks for.
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
			return nil, fault.New(fault.Usage, "--vary %s: %s", v.Name, why).Hint("vary a setting of the load or the target")
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

// sweep makes the runs, and shows what they came to. What was measured is shown also when the end of it was not
// reached.
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

// show draws and shows a sweep in the form that was asked for. That there is no chart is told, and hides no report.
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
