package sweeps

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/vary"
)

// MostRuns is how many runs a sweep may make.
const MostRuns = 1000

// Request is what a sweep is to do.
type Request struct {
	Kind    run.Kind
	Figure  string   // that the settings are compared by; "": the kind's
	Args    []string // of the kind's command
	Given   []several.Given
	Vary    []vary.Setting
	Repeats int
	Random  bool // the order of the runs
	Seed    uint64
	Pause   time.Duration // between two runs
	Forms   run.Forms     // of the set
}

// check refuses what cannot be a sweep, before any cell is looked at.
func (r *Request) check() error {
	switch n := len(r.Vary); {
	case n == 0:
		return fault.New(fault.Usage, "a sweep needs --vary").
			Hint("for example: --vary %s=1,2,4,8", r.example())
	case n > 2:
		return fault.New(fault.Usage, "--vary is given %d times: at most 2 settings can vary", n).
			Hint("run one sweep for each value of the others")
	case n == 2 && r.Vary[0].Name == r.Vary[1].Name:
		return fault.New(fault.Usage, "--vary %s is given twice", r.Vary[0].Name).Hint("put all values into one list")
	}
	for _, v := range r.Vary {
		i := slices.IndexFunc(r.Given, func(g several.Given) bool { return g.Name == v.Name })
		one := r.Kind.New().Settings().Lookup(v.Name)
		if i >= 0 && !one.Several {
			return fault.New(fault.Usage, "--vary %s and --%s cannot be combined", v.Name, v.Name).Hint("remove one of them")
		}
	}
	cells := 1
	for _, v := range r.Vary {
		cells *= len(v.Values)
	}
	if cells*r.Repeats > MostRuns {
		return fault.New(fault.Usage, "this sweep has %d runs (%d settings, %d times each): the maximum is %d",
			cells*r.Repeats, cells, r.Repeats, MostRuns).Hint("use fewer values or a lower --repeat")
	}
	return nil
}

// example is a setting of the kind that a sweep may vary.
func (r *Request) example() string {
	for _, one := range r.Kind.New().Settings().All() {
		if one.Concurrency {
			return one.Name
		}
	}
	return "NAME"
}

// command is that of one run: what was given, what is varied, and for what nobody said what a run takes that is one of
// many. All settings of a repeat have the same seed, so that they get the same traffic, and each repeat has another.
func (r *Request) command(cell []string, repeat int) (run.Command, error) {
	more := make([]several.Given, 0, len(r.Vary)+2)
	for i, v := range r.Vary {
		more = append(more, several.Given{Name: v.Name, Values: []string{cell[i]}})
	}
	settings := r.Kind.New().Settings()
	if settings.Lookup("seed") != nil {
		seed := strconv.FormatUint(r.Seed+uint64(repeat-1), 10)
		more = append(more, several.Given{Name: "seed", Values: []string{seed}})
	}
	if settings.Lookup("quiet") != nil && r.Forms.Quiet {
		more = append(more, several.Given{Name: "quiet", Values: []string{"true"}})
	}
	call := several.Call{Kind: r.Kind, Args: r.Args, Given: r.Given}
	return call.Command(r.Kind.AmongMany, more...)
}

// resolved is what the commands of all cells came to.
type resolved struct {
	first run.Job
	plan  json.RawMessage // of the first
	each  time.Duration   // how long one takes, the mean of them; 0: the plans do not say
}

// resolve checks the command of every cell.
func (r *Request) resolve(env *run.Env) (*resolved, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	var of resolved
	cells := vary.Cells(r.Vary)
	known := true
	for i, cell := range cells {
		job, plan, err := r.job(env, cell)
		if err != nil {
			if _, _, last := r.job(env, cells[len(cells)-1]); i == 0 && last != nil && last.Error() == err.Error() {
				return nil, err // of the command, whatever is varied
			}
			return nil, r.of(cell, err)
		}
		if err := r.files(job); err != nil {
			return nil, err
		}
		if i == 0 {
			of.first, of.plan = job, plan
		}
		one := several.Length(plan)
		known = known && one > 0
		of.each += one / time.Duration(len(cells))
	}
	if !known {
		of.each = 0
	}
	return &of, nil
}

// job is that of a cell, with its plan. It starts nothing.
func (r *Request) job(env *run.Env, cell []string) (job run.Job, plan json.RawMessage, err error) {
	c, err := r.command(cell, 1)
	if err != nil {
		return job, nil, err
	}
	if job, err = c.Job(env); err != nil {
		return job, nil, err
	}
	if plan, err = json.Marshal(c.Settings()); err != nil {
		return job, nil, fault.New(fault.RunFailed, "cannot encode the plan: %w", err)
	}
	return job, plan, nil
}

// files refuses what each run would write anew.
func (r *Request) files(job run.Job) error {
	for _, f := range job.Files {
		if f.Path != "" {
			return fault.New(fault.Usage, "--%s: each run of a sweep would overwrite %s", f.Flag, f.Path).
				Hint("remove it; 'plimsoll report' can write the file for a saved run")
		}
	}
	return nil
}

// of says which cell an error is of, unless it names what is varied itself.
func (r *Request) of(cell []string, err error) error {
	e := fault.New(fault.CodeOf(err), "with %s: %w", r.words(cell), err)
	if hint := fault.HintOf(err); hint != "" {
		return e.Hint("%s", hint)
	}
	return e
}

// words are a cell for a person: "clients 8, policy prefetch".
func (r *Request) words(cell []string) string {
	var words []string
	for i, v := range r.Vary {
		words = append(words, v.Name+" "+cell[i])
	}
	return strings.Join(words, ", ")
}
