package several

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
)

// Given is a setting that was given, with its values.
type Given struct {
	Name   string
	Values []string
}

// Call is one call of a kind's command, of which several runs are made.
type Call struct {
	Kind  run.Kind
	Args  []string // what stands behind the command without a flag
	Given []Given
}

// Command is the call with more settings, resolved. The presets are for settings that nobody gave.
func (c *Call) Command(presets []run.Preset, more ...Given) (run.Command, error) {
	made := c.Kind.New()
	settings := made.Settings()
	given := map[string]bool{}
	set := func(name string, values ...string) error {
		one := settings.Lookup(name)
		if one == nil {
			return fault.New(fault.RunFailed, "%s has no setting %s", c.Kind.Name, name)
		}
		given[one.Name] = true
		for _, value := range values {
			if err := one.Set(value); err != nil {
				return fault.New(fault.Usage, "--%s: %w", name, err)
			}
		}
		return nil
	}
	var all []error
	for _, g := range slices.Concat(c.Given, more) {
		all = append(all, set(g.Name, g.Values...))
	}
	for _, p := range presets {
		if !given[p.Setting] && !slices.ContainsFunc(p.Unless, func(name string) bool { return given[name] }) {
			all = append(all, set(p.Setting, p.Value))
		}
	}
	if err := errors.Join(all...); err != nil {
		return nil, err
	}
	return made, made.Resolve(c.Args, func(name string) bool { return given[name] })
}

// Length is about how long one run takes, from its plan; 0 when that does not say.
func Length(plan json.RawMessage) time.Duration {
	var p struct {
		Load struct {
			Duration time.Duration `json:"duration_ns"`
			Warmup   time.Duration `json:"warmup_time_ns"`
			Ramp     time.Duration `json:"ramp_ns"`
			Stages   []struct {
				Duration time.Duration `json:"duration_ns"`
			} `json:"stages"`
		} `json:"load"`
		// of kinds that measure one thing after the other
		RepeatFor  time.Duration `json:"repeat_for_ns"`
		Time       time.Duration `json:"time_ns"`
		Warmup     time.Duration `json:"warmup_ns"`
		Operations []string      `json:"operations"`
	}
	if err := json.Unmarshal(plan, &p); err != nil {
		return 0
	}
	window := p.Load.Duration + p.RepeatFor
	for _, s := range p.Load.Stages {
		window += s.Duration
	}
	if p.Time > 0 {
		window += (p.Time + p.Warmup) * time.Duration(max(1, len(p.Operations)))
	}
	if window == 0 {
		return 0
	}
	const beside = 500 * time.Millisecond // to start a server, connect, drain and save
	return window + p.Load.Warmup + p.Load.Ramp + beside
}
