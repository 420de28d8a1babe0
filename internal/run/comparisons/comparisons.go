package comparisons

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/contrast"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/pair"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Comparison is a comparison that goes on.
type Comparison struct {
	*several.Set
	request *Request
	env     *run.Env
	rows    []row
	of      *setdoc.Comparison // in the set's document
	each    time.Duration      // how long a launch takes, about; 0: nobody knows yet
	idle    int                // launches in a row in which nothing was measured
	dropped int                // launches in a row that were dropped
	longer  bool               // --duration says how long a side is measured
	fits    bool               // a pilot launch decides that
	pools   []pool             // by row
	shown   *progress

	// launch is pair.Launch, how contrast judges, and what others use of the CPUs: for tests to say it.
	launch  func(soft, hard context.Context, env *run.Env, jobs [2]run.Job, o pair.Options) *pair.Made
	analyze func(*setdoc.Comparison)
	others  func(context.Context) (share float64, known bool)
}

// asked is what a set document has of what a comparison was asked to do.
type asked struct {
	Launches  int      `json:"launches"`
	Way       string   `json:"interleave"`
	SliceNS   int64    `json:"slice_ns,omitempty"`
	MinEffect float64  `json:"min_effect,omitempty"`
	BusyLimit *float64 `json:"busy_limit,omitempty"` // absent: as suits the machine
	Seed      uint64   `json:"seed"`
	setdoc.AskedOfComparison
}

// New checks both sides. It starts nothing.
func New(env *run.Env, r *Request) (*Comparison, error) {
	both, err := r.resolve(env)
	if err != nil {
		return nil, err
	}
	way, err := r.way()
	if err != nil {
		return nil, err
	}
	c := &Comparison{request: r, env: env, launch: pair.Launch, analyze: contrast.Analyze, others: othersNow}
	if c.rows, err = r.rows(r.kind(), both[0].job.Operations); err != nil {
		return nil, err
	}
	c.each = both[0].each + both[1].each
	if both[0].each == 0 || both[1].each == 0 {
		c.each = 0
	}
	c.longer = both[0].longer && both[1].longer
	c.fits = r.fitsItself(c.rows)
	a := asked{Launches: r.Launches, Way: way, SliceNS: int64(r.Slice), MinEffect: r.MinEffect, Seed: r.Seed,
		AskedOfComparison: r.Asked}
	if r.BusyLimit >= 0 {
		a.BusyLimit = &r.BusyLimit
	}
	if c.Set, err = several.Begin(env, &r.Forms, setdoc.KindCompare, a); err != nil {
		return nil, err
	}
	looks := contrast.Looks(r.Launches)
	c.of = &setdoc.Comparison{
		Workload: r.kind().Name, Way: way, Seed: r.Seed, MinEffect: r.MinEffect, BusyLimit: max(0, r.BusyLimit),
		Looks: looks, Figures: compared(c.rows),
	}
	c.of.Alphas = contrast.Alphas(looks, contrast.Judged(c.of.Figures))
	if way == setdoc.BySlices {
		c.of.RoundNS = int64(pair.RoundLength)
	}
	for side, one := range r.Sides {
		call := one.Call
		call.Given = slices.Concat(call.Given, r.Both)
		c.of.Sides[side] = setdoc.Side{Name: one.Name, Command: one.Command, Plan: both[side].plan}
		if one.Command == "" || len(r.Both) > 0 {
			c.of.Sides[side].Command = CommandOf(&call)
		}
	}
	c.Doc.Comparison = c.of
	c.Doc.Planned = 2 * r.Launches
	c.analyze(c.of)
	return c, nil
}

// Run makes the launches, until all is decided, as many were made as may be, or somebody interrupts. Without anything
// that was measured there is nothing to show, and its error says why; else that is for Outcome.
func (c *Comparison) Run(ctx context.Context) error {
	view := run.NewView(c.env, c.request.Forms.Quiet, c.request.kind().Report)
	soft, hard, release := run.Interrupts(ctx, c.env, view.Ending)
	defer release()
	c.limit(soft)
	c.shown = c.show(view)
	defer c.shown.end()
	if err := c.pilot(soft, hard); err != nil {
		return err
	}
	return c.Set.Run(soft, func(at int) error {
		jobs, err := c.jobs(at)
		if err != nil {
			return err
		}
		o := c.options(at)
		c.shown.at.Store(int64(at))
		begun := time.Now()
		made := c.launch(soft, hard, c.env, jobs, o)
		if c.each == 0 {
			c.each = time.Since(begun)
			c.shown.each.Store(int64(c.each))
		}
		if err := c.hopeless(at, made); err != nil {
			return err
		}
		c.take(at, o, made)
		return nil
	})
}

// jobs are those of both sides in a launch.
func (c *Comparison) jobs(at int) (jobs [2]run.Job, err error) {
	for side := range jobs {
		command, err := c.request.command(side, at)
		if err == nil {
			jobs[side], err = command.Job(c.env)
		}
		if err != nil {
			return jobs, of(side, err)
		}
		jobs[side].Forms.Quiet = c.request.Forms.Quiet
	}
	return jobs, nil
}

// options are those of a launch.
func (c *Comparison) options(at int) pair.Options {
	return pair.Options{
		Way: c.of.Way, Slice: c.request.Slice, First: First(c.request.Seed, at), Seed: c.request.Seed + uint64(at),
		Member: run.Member{
			Set: c.Dir(), Show: c.Show, At: at, Of: c.request.Launches, Each: c.each,
			What: fmt.Sprintf("launch %d of up to %d", at+1, c.request.Launches),
		},
	}
}

// First is the side that begins a launch: of two launches, one after the other, each begins one, and which is the first
// is drawn by lot.
func First(seed uint64, launch int) int {
	lot := rand.New(rand.NewPCG(seed, uint64(launch/2))).IntN(2)
	return (lot + launch) % 2
}

// mostIdle is how many launches in a row may measure nothing before there is an end of it.
const mostIdle = 3

// hopeless is why there is no sense in more launches: what keeps a side from starting in the first would keep it from
// that in all others.
func (c *Comparison) hopeless(at int, made *pair.Made) error {
	if at > 0 {
		return nil
	}
	for side, err := range made.Errs {
		switch measured := made.Docs[1-side] != nil; {
		case made.Docs[side] != nil || err == nil || errors.Is(err, pair.ErrOther):
		case fault.CodeOf(err) != fault.Interrupted:
			return of(side, err)
		case !measured:
			return err
		}
	}
	return nil
}

// take puts what became of a launch into the document.
func (c *Comparison) take(at int, o pair.Options, made *pair.Made) {
	l := setdoc.Launch{
		First: o.First, SliceNS: int64(made.Slice), Slices: made.Slices, Others: made.Others, Rounds: made.Rounds,
	}
	order := [2]int{o.First, 1 - o.First}
	var lost []string
	for _, side := range order {
		doc, err := made.Docs[side], made.Errs[side]
		c.Add(setdoc.Member{
			Name: fmt.Sprintf("launch %d, %s", at+1, letter(side)), Workload: c.of.Workload, Repeat: at + 1,
			Settings: map[string]string{"side": letter(side)},
		}, doc, err)
		switch {
		case doc == nil && err != nil:
			lost = append(lost, letter(side)+": "+several.Shortly(err))
		case doc == nil:
			lost = append(lost, letter(side)+" has no result")
		case doc.Interrupted:
			lost = append(lost, letter(side)+" was interrupted")
		default:
			l.Values[side] = valuesOf(c.rows, c.of.Way, doc, c.longer)
		}
		if doc != nil {
			l.Members[side] = doc.ID
			c.target(side)
		}
	}
	if l.Lost = strings.Join(lost, "; "); l.Lost != "" {
		l.Values = [2][]setdoc.Known{}
	}
	if c.idle++; made.Docs[0] != nil && made.Docs[1] != nil {
		c.idle = 0
	}
	c.of.Launches = append(c.of.Launches, l)
	c.analyze(c.of)
	if l := &c.of.Launches[at]; l.Lost == "" && !l.Dropped && c.merge(l, made.Docs) {
		c.analyze(c.of)
	}
	if c.dropped++; !c.of.Launches[at].Dropped {
		c.dropped = 0
	}
	c.plan()
	c.tell(at)
	if at == 0 {
		c.foretell(made)
	}
}

// target keeps what a side measured, from the member that was added last.
func (c *Comparison) target(side int) {
	if c.of.Sides[side].Target == "" {
		c.of.Sides[side].Target = c.Doc.Members[len(c.Doc.Members)-1].Target
	}
}

// plan decides how many runs there are to be: for each launch that was dropped or lost another one, up to twice as many
// as were asked for.
func (c *Comparison) plan() {
	made, good := len(c.of.Launches), 0
	for i := range c.of.Launches {
		if l := &c.of.Launches[i]; !l.Dropped && l.Lost == "" {
			good++
		}
	}
	most := c.request.Launches
	more := min(most-good, 2*most-made)
	if contrast.Over(c.of) || c.idle >= mostIdle || c.dropped >= mostDropped {
		more = 0
	}
	c.Doc.Planned = len(c.Doc.Members) + 2*max(0, more)
}

// Announce says what is going to be done, and how long that takes, as far as anybody knows.
func (c *Comparison) Announce() string {
	text := fmt.Sprintf("up to %s of both sides, %s", units.Count(int64(c.request.Launches), "launch", "launches"),
		map[string]string{
			setdoc.BySlices: "in alternating slices", setdoc.ByRuns: "one whole run after the other",
			setdoc.AtOnce: "both at the same time",
		}[c.of.Way])
	if looks := c.of.Looks; len(looks) > 1 {
		text += fmt.Sprintf(", tested after %s", list(looks))
	}
	text += fmt.Sprintf(" (--seed %d)", c.request.Seed)
	if c.fits {
		return text + "; a pilot launch determines how long each side is measured"
	}
	if c.each > 0 {
		all := time.Duration(c.request.Launches) * c.each
		text += ", up to about " + all.Round(time.Second).String()
	}
	return text
}

// list is numbers for a person: "10, 20 and 30".
func list(numbers []int) string {
	var b strings.Builder
	for i, n := range numbers {
		switch {
		case i == len(numbers)-1 && i > 0:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	return b.String()
}
