package sweeps

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/sweep"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/internal/vary"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Sweep is a sweep that goes on.
type Sweep struct {
	*several.Set
	request *Request
	env     *run.Env
	cells   [][]string
	order   []vary.Run
	plan    sweep.Plan
	figure  figure.Spec
	rows    []setdoc.Row  // in the order in which they were made
	each    time.Duration // how long a run takes, about; 0: nobody knows yet
}

// asked is what a set document has of what a sweep was asked to do.
type asked struct {
	Vary    []setdoc.Vary   `json:"vary"`
	Repeats int             `json:"repeats"`
	Random  bool            `json:"random_order"`
	Seed    uint64          `json:"seed"`
	PauseNS int64           `json:"pause_ns,omitempty"`
	Run     json.RawMessage `json:"run"` // the plan of the first cell
}

// New resolves every cell. It starts nothing.
func New(env *run.Env, r *Request) (*Sweep, error) {
	of, err := r.resolve(env)
	if err != nil {
		return nil, err
	}
	s := &Sweep{request: r, env: env, cells: vary.Cells(r.Vary), each: of.each}
	s.order = vary.Given(len(s.cells), r.Repeats)
	if r.Random {
		s.order = vary.Random(len(s.cells), r.Repeats, r.Seed)
	}
	if s.plan, s.figure, err = r.analysis(of.first); err != nil {
		return nil, err
	}
	s.Set, err = several.Begin(env, &r.Forms, setdoc.KindSweep, asked{
		Vary: s.plan.Vary, Repeats: r.Repeats, Random: r.Random, Seed: r.Seed, PauseNS: int64(r.Pause), Run: of.plan,
	})
	if err != nil {
		return nil, err
	}
	s.Doc.Planned = len(s.order)
	s.Doc.Sweep = sweep.Analyze(s.plan, nil)
	return s, nil
}

// analysis is what the analysis has to know.
func (r *Request) analysis(job run.Job) (sweep.Plan, figure.Spec, error) {
	p := sweep.Plan{Workload: r.Kind.Name, Repeats: r.Repeats, Seed: r.Seed}
	for _, v := range r.Vary {
		p.Vary = append(p.Vary, setdoc.Vary{
			Setting: v.Name, Values: v.Values, Numeric: v.Numeric, Concurrency: v.Concurrency, Size: v.Size,
		})
	}
	spec, err := r.throughput()
	p.Figure = setdoc.Figure{Name: spec.String(), Unit: string(spec.Unit()),
		Of: cmp.Or(spec.Counts(job.Operations), spec.String())}
	return p, spec, err
}

// rate is the common figure that stands for the throughput.
const rate = "rate"

// throughput is the figure that the settings are compared by: the one that was asked for, or the first of the kind's
// headline that is a rate, of which more is better, or a time, of which less is. A count is none: where runs are given
// so much to do, it says nothing, and where they are given a time, it is a rate.
func (r *Request) throughput() (spec figure.Spec, err error) {
	known := r.Kind.Report.Known(r.Kind.Name)
	name := r.Figure
	if name == "" && r.Kind.SweepBy != nil {
		name = r.Kind.SweepBy(r.value, r.varied)
	}
	if name != "" {
		if spec, err = figure.Parse(name, known); err != nil {
			return spec, fault.New(fault.Usage, "--metric: %w", err).Hint("%s", fault.HintOf(err))
		}
		if !compared(spec) {
			return spec, fault.New(fault.Usage, "--metric is %s: it must be a rate or a time", spec).
				Hint("for example: --metric rate or --metric p99")
		}
		return spec, nil
	}
	for _, name := range append(slices.Clone(r.Kind.Report.Headline), rate) {
		if spec, err = figure.Parse(name, known); err == nil && compared(spec) {
			return spec, nil
		}
	}
	return spec, fault.New(fault.RunFailed, "the throughput of %s is unknown: %w", r.Kind.Name, err)
}

func compared(spec figure.Spec) bool {
	switch spec.Unit() {
	case figure.PerSecond, figure.BytesPerSec, figure.Time:
		return true
	}
	return false
}

// value is what a setting was given for all runs, "" if it was not.
func (r *Request) value(name string) string {
	for _, g := range r.Given {
		if g.Name == name {
			return strings.Join(g.Values, ",")
		}
	}
	return ""
}

func (r *Request) varied(name string) bool {
	return slices.ContainsFunc(r.Vary, func(v vary.Setting) bool { return v.Name == name })
}

// Run makes the runs, until all are made or somebody interrupts. Without a run that was measured there is nothing to
// show, and its error says why; else that is for Outcome.
func (s *Sweep) Run(ctx context.Context) error {
	view := run.NewView(s.env, s.request.Forms.Quiet, s.request.Kind.Report)
	soft, hard, release := run.Interrupts(ctx, s.env, view.Ending)
	defer release()
	return s.Set.Run(soft, func(at int) error {
		if at > 0 {
			s.rest(soft)
		}
		if soft.Err() != nil {
			return nil
		}
		doc, err := s.measure(soft, hard, at)
		if doc == nil && at > 0 && soft.Err() == nil {
			wait(soft, settle)
			doc, err = s.measure(soft, hard, at)
		}
		if doc == nil && len(s.rows) == 0 && (at == 0 || fault.CodeOf(err) == fault.Interrupted) {
			return err // what keeps the first run from starting would keep all others
		}
		s.take(at, doc, err)
		return nil
	})
}

// settle is how long a run waits that could not begin, before it tries once more: a server with a limit may still hold
// the connections of the run before.
const settle = time.Second

// rest is the pause between two runs.
func (s *Sweep) rest(soft context.Context) {
	if s.request.Pause > 0 {
		wait(soft, s.request.Pause)
	}
}

// wait ends early at an interrupt.
func wait(soft context.Context, long time.Duration) {
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-soft.Done():
	}
}

// measure makes a run.
func (s *Sweep) measure(soft, hard context.Context, at int) (*rundoc.Run, error) {
	r := s.order[at]
	c, err := s.request.command(s.cells[r.Cell], r.Repeat)
	if err != nil {
		return nil, err
	}
	job, err := c.Job(s.env)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	doc, err := run.MakeMember(soft, hard, s.env, job, run.Member{
		Set: s.Dir(), Show: s.Show, At: at, Of: len(s.order), Each: s.each + s.request.Pause,
		What: fmt.Sprintf("run %d of %d: %s", at+1, len(s.order), s.name(r)),
	})
	if doc != nil && s.each == 0 {
		s.each = time.Since(begun)
	}
	return doc, err
}

// name is a run for a person.
func (s *Sweep) name(r vary.Run) string {
	name := s.request.words(s.cells[r.Cell])
	if s.request.Repeats > 1 {
		name += fmt.Sprintf(", repeat %d", r.Repeat)
	}
	return name
}

// take puts what became of a run into the document. A run that was cut short is a member, and no row: what came of so
// little says nothing of its setting.
func (s *Sweep) take(at int, doc *rundoc.Run, err error) {
	r := s.order[at]
	cell := s.cells[r.Cell]
	m := setdoc.Member{Name: s.name(r), Workload: s.request.Kind.Name, Repeat: r.Repeat, Settings: map[string]string{}}
	for i, v := range s.request.Vary {
		m.Settings[v.Name] = cell[i]
	}
	s.Add(m, doc, err)
	if doc != nil && fault.CodeOf(err) != fault.Interrupted {
		s.rows = append(s.rows, sweep.RowOf(doc, s.plan.Figure, s.figure.Of(doc), cell, r.Repeat))
	}
	if doc == nil && fault.CodeOf(err) != fault.Interrupted {
		s.rows = append(s.rows, setdoc.Row{
			Values: cell, Repeat: r.Repeat, Validity: string(rundoc.Invalid),
			Reasons: []string{"The run produced no result: " + several.Shortly(err) + "."},
		})
	}
	s.Doc.Sweep = sweep.Analyze(s.plan, s.rows)
	s.tell(at, doc, err)
}

// tell says in a line how a run went, where no bar shows it.
func (s *Sweep) tell(at int, doc *rundoc.Run, err error) {
	if s.request.Forms.Quiet || s.env.IsTerminal(s.env.Stderr) && err == nil {
		return
	}
	text := "no result"
	if doc != nil {
		text = "no " + s.plan.Figure.Of
		if v := s.figure.Of(doc); v.Why == "" {
			text = s.shown(v)
		}
		text += ", " + string(doc.Verdict.Validity)
	}
	if err != nil {
		text += ": " + several.Shortly(err)
	}
	fmt.Fprintf(s.env.Stderr, "run %d of %d: %s: %s\n", at+1, len(s.order), s.name(s.order[at]), text)
}

// shown is the throughput of a run.
func (s *Sweep) shown(v figure.Value) string {
	if v.Unit == figure.PerSecond {
		return units.PerSecond(v.Raw) + " " + s.plan.Figure.Of + "/s"
	}
	return v.Unit.Text(v.Raw)
}

// Announce says what is going to be done, and how long that takes, as far as anybody knows.
func (s *Sweep) Announce() string {
	text := fmt.Sprintf("%s: %s", units.Count(int64(len(s.order)), "run", "runs"),
		units.Count(int64(len(s.cells)), "setting", "settings"))
	if s.request.Repeats > 1 {
		text += fmt.Sprintf(", %d runs each", s.request.Repeats)
	}
	if s.request.Random {
		text += ", in random order"
	}
	text += fmt.Sprintf(" (--seed %d)", s.request.Seed)
	if s.each > 0 {
		all := time.Duration(len(s.order)) * (s.each + s.request.Pause)
		text += ", about " + all.Round(time.Second).String()
	}
	return text
}
