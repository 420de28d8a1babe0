package launches

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/internal/until"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Most is how many launches there may be.
const Most = 1000

const (
	// looks is how many launches in a row have to find the interval narrow.
	looks = 2
	// lacking is how many launches may lack the figure that was asked for before any has had it.
	lacking = 3
)

// Request is what is to be made.
type Request struct {
	several.Call
	Until []string // the figure, and how well it is to be known; none: as many launches as there may be are made
	Most  int
	Seed  uint64 // of the first launch; each has another
	Forms run.Forms
	Flag  string // the name of the flag for Most; "": repeat
}

func (r *Request) flag() string { return cmp.Or(r.Flag, "repeat") }

// Launches are launches that go on.
type Launches struct {
	*several.Set
	request *Request
	env     *run.Env
	figure  figure.Spec
	longer  bool // a launch is made longer by --duration
	each    time.Duration
	narrow  int
}

// asked is what a set document has of what was asked for.
type asked struct {
	Most  int             `json:"launches"`
	Until string          `json:"until,omitempty"`
	Seed  uint64          `json:"seed"`
	Run   json.RawMessage `json:"run"` // the plan of the first
}

// New checks what is asked for. It starts nothing.
func New(env *run.Env, r *Request) (*Launches, error) {
	if r.Most < 2 || r.Most > Most {
		return nil, fault.New(fault.Usage, "--%s is %d: it must be from 2 to %d", r.flag(), r.Most, Most)
	}
	l := &Launches{request: r, env: env, longer: r.Kind.New().Settings().Lookup("duration") != nil}
	of := &setdoc.Launches{Workload: r.Kind.Name, Least: until.LeastLaunches, Most: r.Most}
	known := r.Kind.Report.Known(r.Kind.Name)
	text := ""
	if len(r.Until) > 0 {
		a, err := run.ParseUntil(r.Until, known)
		if err != nil {
			return nil, err
		}
		if r.Most < until.LeastKnown+looks-1 {
			return nil, fault.New(fault.Usage, "--%s is %d: --until needs at least %d", r.flag(), r.Most,
				until.LeastKnown+looks-1).Hint("increase it, or remove --until")
		}
		l.figure, of.Within, text = a.Figure, a.Within, a.String()
	} else if err := l.choose(known); err != nil {
		return nil, err
	}
	of.Figure = setdoc.Figure{Name: l.figure.String(), Unit: string(l.figure.Unit()), Of: l.figure.String()}
	command, job, err := l.job(0)
	if err != nil {
		return nil, err
	}
	for _, f := range job.Files {
		if f.Path != "" {
			return nil, fault.New(fault.Usage, "--%s: each run would overwrite %s", f.Flag, f.Path).
				Hint("remove it; 'plimsoll report' can write the file for a saved run")
		}
	}
	plan, err := json.Marshal(command.Settings())
	if err != nil {
		return nil, fault.New(fault.RunFailed, "cannot encode the plan: %w", err)
	}
	l.each = several.Length(plan)
	l.Set, err = several.Begin(env, &r.Forms, setdoc.KindLaunches,
		asked{Most: r.Most, Until: text, Seed: r.Seed, Run: plan})
	if err != nil {
		return nil, err
	}
	l.Doc.Planned, l.Doc.Launches = r.Most, of
	until.Launches(of)
	return l, nil
}

// choose takes the figure of launches of which nothing was asked: the first of the kind's headline.
func (l *Launches) choose(known figure.Known) (err error) {
	for _, name := range append(append([]string{}, l.request.Kind.Report.Headline...), "rate") {
		if l.figure, err = figure.Parse(name, known); err == nil {
			return nil
		}
	}
	return fault.New(fault.RunFailed, "%s has no metric: %w", l.request.Kind.Name, err)
}

// job is that of a launch, with its command. It starts nothing.
func (l *Launches) job(at int) (run.Command, run.Job, error) {
	var more []several.Given
	if l.request.Kind.New().Settings().Lookup("seed") != nil {
		seed := strconv.FormatUint(l.request.Seed+uint64(at), 10)
		more = append(more, several.Given{Name: "seed", Values: []string{seed}})
	}
	c, err := l.request.Command(l.request.Kind.InTurn, more...)
	if err != nil {
		return nil, run.Job{}, err
	}
	job, err := c.Job(l.env)
	job.Forms.Quiet = l.request.Forms.Quiet
	return c, job, err
}

// Run makes the launches, until the figure is known, as many were made as may be, or somebody interrupts. What keeps
// the first from being measured is its error; else that is for Outcome.
func (l *Launches) Run(ctx context.Context) error {
	view := run.NewView(l.env, l.request.Forms.Quiet, l.request.Kind.Report)
	soft, hard, release := run.Interrupts(ctx, l.env, view.Ending)
	defer release()
	return l.Set.Run(soft, func(at int) error {
		_, job, err := l.job(at)
		if err != nil {
			return err
		}
		begun := time.Now()
		doc, err := run.MakeMember(soft, hard, l.env, job, run.Member{
			Set: l.Dir(), Show: l.Show, At: at, Of: l.request.Most, Each: l.each,
			What: fmt.Sprintf("run %d of at most %d", at+1, l.request.Most),
		})
		if doc == nil && at == 0 {
			return err
		}
		if l.each == 0 {
			l.each = time.Since(begun)
		}
		l.take(at, doc, err)
		return nil
	})
}

// take puts what became of a launch into the document. One that was cut short says nothing.
func (l *Launches) take(at int, doc *rundoc.Run, err error) {
	m := setdoc.Member{Name: fmt.Sprintf("run %d", at+1), Workload: l.request.Kind.Name, Repeat: at + 1}
	if doc != nil && !l.request.Kind.Report.Mixed {
		if total, err := doc.Totals(); err == nil {
			m.RatePerS, m.P99NS = &total.RatePerS, total.ResponseTime.P99NS
		}
	}
	l.Add(m, doc, err)
	of := l.Doc.Launches
	value := setdoc.Known{Why: "the run produced no result"}
	switch {
	case fault.CodeOf(err) == fault.Interrupted:
		value.Why = "interrupted"
	case doc != nil && doc.Verdict.Validity == rundoc.Invalid:
		value.Why = "the run cannot be trusted"
	case doc != nil:
		if v := l.figure.Of(doc); v.Why != "" {
			value.Why = cmp.Or(several.TooFew(l.figure, doc, l.longer), v.Why)
		} else {
			value = setdoc.Known{Value: &v.Raw}
		}
	}
	of.Values = append(of.Values, value)
	if until.Launches(of); of.Known {
		l.narrow++
	} else {
		l.narrow = 0
	}
	if l.narrow >= looks || l.hopeless() {
		l.Doc.Planned = len(l.Doc.Members)
	}
}

// hopeless reports whether the first launches lack the figure that was asked for: the others would, too.
func (l *Launches) hopeless() bool {
	of := l.Doc.Launches
	return of.Within > 0 && len(of.Values) >= lacking &&
		!slices.ContainsFunc(of.Values, func(v setdoc.Known) bool { return v.Value != nil })
}

// Outcome is how the launches went: as the gravest of them, or, where these went well and the figure that was asked for
// is not known, that it is not.
func (l *Launches) Outcome() error {
	err := l.Set.Outcome()
	of := l.Doc.Launches
	if of.Within == 0 || of.Known || err != nil {
		return err
	}
	return fault.New(fault.Untrusted, "%s is not known to within %s: %s", units.Clean(of.Figure.Name),
		units.Percent(of.Within), of.Why).Hint("increase --%s or --duration, or ask for less precision", l.request.flag())
}

// Reread says what of a set of launches does not follow from their own values; any other has nothing that could.
func Reread(set *setdoc.Set) []string { return until.Reread(set.Launches) }
