package updates

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/search"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// The lengths of a trial. It has to be long enough for a queue that grows to show.
const (
	trialTime   = 3 * time.Second
	trialWarmup = time.Second
	trialSettle = 10 * time.Second
	// The full-length run may show what the trials were too short for, such as a store that gets
	// slower as it grows; then a rate below is tried, first by 5 % and then by more and more, so
	// that the last one is less than half of the first.
	maxConfirm = 7
)

// maxSearch is a search for the largest rate.
type maxSearch struct {
	env       *run.Env
	c         *Command
	once      func(soft, hard context.Context, p Plan) (*oneRun, *run.Found, error)
	line      search.Line
	held      float64 // the largest rate that was sustained; 0 for none
	exceeded  float64 // the smallest that was not
	trials    []rundoc.UpdateTrial
	trying    string   // what a person calls the one that goes on
	best      trialRun // of the largest rate that was sustained, or the last one until there is any
	limit     string   // what kept the lowest rate that was not sustained from being so
	limitRate float64  // that rate
	why       string   // why the last trial was not sustained
}

// trialRun is one run of a search.
type trialRun struct {
	r     *oneRun
	found *run.Found
}

const (
	// precise is how far below the line a rate is measured that lies on it, and how far below that the next one.
	precise = 1.05
	// mostTrials are made behind the doubling: each takes some seconds.
	mostTrials = 30
	// The search stays within what a plan accepts and what a short run can tell.
	lowestRate  = 2
	highestRate = 1_000_000
)

// ratesFrom is a search for a rate in batches a second.
func ratesFrom(start float64) search.Line {
	return search.Line{
		Start: start, Lowest: min(lowestRate, start), Highest: max(highestRate, start), Most: mostTrials,
	}
}

// runMax searches for the largest rate that is sustained, and measures it at full length.
func runMax(ctx context.Context, env *run.Env, c *Command) error {
	soft, hard, release := run.Interrupts(ctx, env, c.ending(env))
	defer release()
	if err := c.newRun(env, c.Plan, c.Forms).life.Prepare(); err != nil {
		return err // before minutes of search, and not after
	}
	m := &maxSearch{env: env, c: c, line: ratesFrom(c.Plan.Load.Rate)}
	m.once = func(soft, hard context.Context, p Plan) (*oneRun, *run.Found, error) {
		return c.once(soft, hard, env, p, m.trying)
	}
	for {
		rate, ok := m.line.Next()
		if !ok {
			break
		}
		if err := m.weigh(soft, hard, rate); err != nil {
			return m.endEarly(err)
		}
	}
	if m.held == 0 {
		return m.endEarly(unsustained(m.exceeded, m.why))
	}
	return m.confirm(soft, hard)
}

// sustainable is the rate that the trials say is sustained: the lower end of the interval of the line at which a trial
// is as likely to be sustained as not, and at least nearly that line.
func (m *maxSearch) sustainable() float64 {
	f := m.line.Found()
	switch {
	case f.Ending == setdoc.LineAbove:
		return m.held
	case f.Ending == setdoc.LineBelow || f.Load <= 0:
		return min(m.held, m.line.Lowest)
	}
	return max(f.Low, f.Load/precise)
}

// weigh tries a rate, and once more where all arrived and only the publisher did not keep time: such a trial tells
// nothing of the server.
func (m *maxSearch) weigh(soft, hard context.Context, rate float64) error {
	for again := true; ; again = false {
		t, err := m.try(soft, hard, m.trial(rate), "trial")
		if err != nil {
			return err
		}
		last := &m.trials[len(m.trials)-1]
		if last.Sustained && rate > m.held || m.held == 0 && (!last.Interrupted || m.best.found == nil) {
			m.best = t
		}
		if soft.Err() != nil {
			return fault.New(fault.Interrupted, "interrupted") // endEarly says in what
		}
		switch {
		case last.Sustained:
			m.held = max(m.held, rate)
		case again && t.r.detail.Proof.Complete && t.found.Doc.StartedLate():
			continue
		default:
			if m.exceeded == 0 || rate < m.exceeded {
				m.exceeded = rate
			}
			m.bound(t, rate)
		}
		m.line.Took(rate, last.Sustained)
		return nil
	}
}

// bound notes what kept a rate from being sustained, if it is the lowest such.
func (m *maxSearch) bound(t trialRun, rate float64) {
	if m.limit == "" || rate < m.limitRate {
		m.limit, m.limitRate = limit(t.found.Doc, t.r, m.why), rate
	}
}

// endEarly saves and shows the best run of a search that could not go on, with its trials. The
// error is why it could not.
func (m *maxSearch) endEarly(why error) error {
	if m.best.found == nil {
		return why
	}
	d := &m.best.r.detail
	outcome, figures := "ended early", "one trial; a larger rate may be sustained"
	switch {
	case fault.CodeOf(why) == fault.Interrupted:
		why = fault.New(fault.Interrupted,
			"interrupted in the search for the largest rate: the report is that of its best trial so far")
	case m.held == 0:
		outcome, figures = "found none", "a rate that was not sustained"
	}
	d.Notes = append(d.Notes,
		fmt.Sprintf("The search for the largest rate %s, after %d trials: %s. These are the figures of %s.",
			outcome, len(m.trials), fault.OneLine(why.Error()), figures))
	if err := m.finish(m.best); err != nil && fault.CodeOf(err) != fault.Interrupted {
		return errors.Join(why, err)
	}
	return why
}

// trial is the plan of a short run.
func (m *maxSearch) trial(rate float64) Plan {
	p := m.c.Plan
	p.Load.Duration = min(p.Load.Duration, trialTime)
	p.Load.WarmupTime = min(p.Load.WarmupTime, trialWarmup)
	p.Settle = min(p.Settle, trialSettle)
	p.SetRate(rate)
	return p
}

// try makes a run, and notes what it showed.
func (m *maxSearch) try(soft, hard context.Context, p Plan, name string) (trialRun, error) {
	rate := p.Load.Rate
	m.trying = fmt.Sprintf("%s %d", name, len(m.trials)+1)
	r, found, err := m.once(soft, hard, p)
	if err != nil {
		return trialRun{}, err
	}
	t := rundoc.UpdateTrial{
		RatePerS: rate, AppliedPerS: r.detail.AppliedPerS, E2EP99NS: int64(slowest(&r.detail)),
		BacklogNS:   int64(r.backlog),
		Interrupted: r.interrupted(found.Doc),
	}
	shown := units.Number(int64(t.AppliedPerS)) + " updates/s applied: "
	if t.Interrupted {
		shown = "interrupted" // what came of so little says nothing of a second
	} else if t.Why = r.sustained(found.Doc); t.Why != "" {
		m.why = t.Why
		shown += "not sustained: " + t.Why
	} else {
		t.Sustained = true
		shown += "sustained"
	}
	m.trials = append(m.trials, t)
	m.c.tell(m.env, "%s: %.4g batches/s, %s", m.trying, rate, shown)
	return trialRun{r, found}, nil
}

// confirm measures the rate that was found, and one that is lower while that is not sustained.
func (m *maxSearch) confirm(soft, hard context.Context) error {
	rate := m.sustainable()
	for n := range maxConfirm {
		p := m.c.Plan
		p.SetRate(rate)
		t, err := m.try(soft, hard, p, "confirmation")
		if err != nil {
			return m.endEarly(err)
		}
		if last := &m.trials[len(m.trials)-1]; last.Sustained || soft.Err() != nil {
			if err = m.finish(t); fault.CodeOf(err) == fault.Interrupted {
				return fault.New(fault.Interrupted,
					"in the measurement of the largest rate, which the trials found: %w", err)
			}
			return err
		}
		m.bound(t, rate)
		if n < maxConfirm-1 {
			rate = lower(rate, n+1)
		}
	}
	return m.endEarly(unsustained(rate, m.why))
}

// lower is the rate to try after n that failed at full length: at first a step of 5 % below the last, and then more and
// more.
func lower(rate float64, n int) float64 { return rate / (1 + float64(n)*(precise-1)) }

// finish saves and shows a run, with the search that led to it.
func (m *maxSearch) finish(t trialRun) error {
	d := &t.r.detail
	d.Search = m.trials
	if m.limit != "" {
		d.Notes = append(d.Notes, m.limit)
	}
	if err := t.r.life.Judge(t.found); err != nil {
		return err
	}
	if err := t.r.life.Prepare(); err != nil {
		return err
	}
	return t.r.life.Finish(t.found)
}
