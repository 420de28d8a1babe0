package comparisons

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Side is one of the two that are compared, as it was given.
type Side struct {
	Name    string // for a person, without secrets
	Command string // that makes a run of it; "": made of the call
	several.Call
}

// Request is what a comparison is to do.
type Request struct {
	Sides     [2]Side
	Both      []several.Given // settings of both sides
	Figures   []string        // rows in place of the kind's, or besides them where they begin with +
	Launches  int             // the most of them
	Fewer     bool            // where a launch takes long, there may be fewer
	Way       string          // setdoc.BySlices, ByRuns, AtOnce; "": as suits the kind
	Slice     time.Duration   // by slices; 0: as suits
	MinEffect float64         // the smallest change that matters, a share; 0: any does
	BusyLimit float64         // the share of the CPUs that others may use; 0: no launch is dropped; run.BusySuits
	Seed      uint64          // of the order of the sides, and of the traffic of the first launch
	Forms     run.Forms       // of the set
	Asked     setdoc.AskedOfComparison

	length time.Duration // for how long a side is measured, as a pilot launch has decided; 0: as the kind has it
}

// letters are the sides for a person.
const letters = "AB"

func letter(side int) string { return letters[side : side+1] }

// kind is that of both sides.
func (r *Request) kind() *run.Kind { return &r.Sides[0].Kind }

// of says which side an error is of.
func of(side int, err error) error {
	e := fault.New(fault.CodeOf(err), "%s: %w", letter(side), err)
	if hint := fault.HintOf(err); hint != "" {
		return e.Hint("%s", hint)
	}
	return e
}

// presets are what a side takes for settings that nobody gave: as one that is measured often, and as one of many.
func presets(k *run.Kind) []run.Preset { return slices.Concat(k.InTurn, k.AmongMany) }

// command is that of a side in a launch, from 0 on. Both sides have the same seed, so that they get the same traffic,
// and each launch has another.
func (r *Request) command(side, launch int) (run.Command, error) {
	call := r.Sides[side].Call
	more := append([]several.Given{}, r.Both...)
	if call.Kind.New().Settings().Lookup("seed") != nil {
		seed := strconv.FormatUint(r.Seed+uint64(launch), 10)
		more = append(more, several.Given{Name: "seed", Values: []string{seed}})
	}
	list := presets(&call.Kind)
	if r.length > 0 {
		list = slices.Insert(list, 0, run.Preset{Setting: lengthSetting, Value: r.length.String()})
	}
	return call.Command(list, more...)
}

// resolved is what the command of a side came to.
type resolved struct {
	job  run.Job
	plan json.RawMessage
	each time.Duration // how long a run takes, about; 0: the plan does not say

	longer bool // --duration says how long it measures
}

// resolve checks what the sides are, each and against each other. It starts nothing.
func (r *Request) resolve(env *run.Env) (both [2]resolved, err error) {
	if a, b := r.Sides[0].Kind.Name, r.Sides[1].Kind.Name; a != b {
		return both, fault.New(fault.Usage, "A is %s and B is %s: both sides must be of the same kind", a, b).
			Hint("give two sides of the same kind, such as two URLs of the same service")
	}
	for side := range both {
		if both[side], err = r.side(env, side); err != nil {
			return both, of(side, err)
		}
	}
	if a, b := model(both[0].plan), model(both[1].plan); a != b {
		return both, fault.New(fault.Usage, "A uses the %s model and B the %s model, so their times are not comparable",
			a, b).Hint("set --rate outside of the quotes, for both sides, or for neither")
	}
	return both, nil
}

func (r *Request) side(env *run.Env, side int) (of resolved, err error) {
	for _, given := range slices.Concat(r.Sides[side].Call.Given, r.Both) {
		if given.Name == "until" || given.Name == "until-most" {
			return of, fault.New(fault.Usage, "--%s cannot be used here: all launches of a comparison have the same length",
				given.Name).Hint("remove it; --duration sets the length of a launch")
		}
	}
	c, err := r.command(side, 0)
	if err != nil {
		return of, err
	}
	if of.job, err = c.Job(env); err != nil {
		return of, err
	}
	for _, f := range of.job.Files {
		if f.Path != "" {
			return of, fault.New(fault.Usage, "--%s: each launch would overwrite %s", f.Flag, f.Path).
				Hint("remove it; 'plimsoll report' can write the file for a saved run")
		}
	}
	if of.plan, err = json.Marshal(c.Settings()); err != nil {
		return of, fault.New(fault.RunFailed, "cannot encode the plan: %w", err)
	}
	of.each = several.Length(of.plan)
	of.longer = lasts(of.plan)
	return of, nil
}

// model is how the load of a plan comes: at a rate, whatever becomes of what was sent (open), or each client as soon as
// it has its answer (closed).
func model(plan json.RawMessage) string {
	var p struct {
		Load struct {
			RatePerS float64           `json:"rate_per_s"`
			Stages   []json.RawMessage `json:"stages"`
			Arrivals string            `json:"arrivals"`
		} `json:"load"`
	}
	_ = json.Unmarshal(plan, &p) // a plan of another shape has no rate
	if p.Load.RatePerS > 0 || len(p.Load.Stages) > 0 || p.Load.Arrivals == "recorded" {
		return "open"
	}
	return "closed"
}

// lasts reports whether a plan's window has a length of its own.
func lasts(plan json.RawMessage) bool {
	var p struct {
		Load struct {
			Duration time.Duration `json:"duration_ns"`
		} `json:"load"`
	}
	return json.Unmarshal(plan, &p) == nil && p.Load.Duration > 0
}

// way is how the sides take turns.
func (r *Request) way() (string, error) {
	k := r.kind()
	switch {
	case r.Way == setdoc.BySlices && !k.BySlices:
		return "", fault.New(fault.Usage, "--interleave is slices, but %s cannot be paused between slices", k.Name).
			Hint("remove it: whole runs alternate instead")
	case r.Slice > 0 && r.Way != "" && r.Way != setdoc.BySlices:
		return "", fault.New(fault.Usage, "--slice has no effect with --interleave %s", r.Way).
			Hint("remove one of them")
	case r.Slice > 0 && !k.BySlices:
		return "", fault.New(fault.Usage, "--slice: %s cannot be paused between slices", k.Name).
			Hint("remove it: whole runs alternate instead")
	case r.Way != "":
		return r.Way, nil
	case k.BySlices:
		return setdoc.BySlices, nil
	}
	return setdoc.ByRuns, nil
}
