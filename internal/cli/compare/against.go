package compare

import (
	"context"
	"slices"

	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/comparisons"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// Against makes the comparison that a kind's command asked for in place of a run. settings are those of the command,
// with what was given: all of them but the comparison's own are for both sides.
func Against(ctx context.Context, env *run.Env, house House, k run.Kind, args []string, settings *setting.Set,
	asked *run.Against) error {
	o := &options{house: house, env: env, launches: asked.Launches, minEffect: asked.MinEffect,
		conclusive: asked.RequireConclusive, Forms: asked.Forms}
	if asked.FailIfWorse {
		o.failIf = worse
	}
	r := &comparisons.Request{
		Figures: asked.Figures, Launches: asked.Launches, MinEffect: asked.MinEffect, BusyLimit: asked.BusyLimit,
		Seed: plan.RandomSeed(), Forms: asked.Forms,
	}
	own := slices.Clone(asked.Own)
	for _, one := range new(run.Forms).Settings() {
		own = append(own, one.Name)
	}
	for side := range r.Sides {
		call := several.Call{Kind: k, Args: args}
		for _, one := range settings.All() {
			texts := slices.Clone(one.Texts())
			if value, differs := asked.Baseline[one.Name]; differs && side == 0 {
				texts = []string{value}
			}
			if len(texts) > 0 && !slices.Contains(own, one.Name) {
				call.Given = append(call.Given, several.Given{Name: one.Name, Values: texts})
			}
		}
		r.Sides[side] = comparisons.Side{Name: asked.Names[side], Call: call}
	}
	return o.measure(ctx, r)
}
