package cli

import (
	"context"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The lengths of a trial. It has to be long enough for a queue that grows to show.
const (
	trialTime   = 3 * time.Second
	trialWarmup = time.Second
	trialSettle = 10 * time.Second
	// The full-length run may show what the trials were too short for; then a rate below is tried.
	maxConfirm = 6
)

// maxSearch is a search for the largest rate.
type maxSearch struct {
	env       *Env
	o         *updatesOptions
	search    search
	trials    []rundoc.UpdateTrial
	limit     string  // what kept the lowest rate that was not sustained from being so
	limitRate float64 // that rate
	why       string  // why the last trial was not sustained
}

// runMax searches for the largest rate that is sustained, and measures it at full length.
func runMax(ctx context.Context, env *Env, o *updatesOptions) error {
	soft, hard, release := interrupts(ctx, env)
	defer release()
	if _, err := prepareSaving(env, &o.forms, newID(time.Now())); err != nil {
		return err // before minutes of search, and not after
	}
	m := &maxSearch{env: env, o: o, search: search{start: max(o.plan.Load.Rate, lowestRate)}}
	for {
		rate, ok := m.search.next()
		if !ok {
			break
		}
		_, _, err := m.try(soft, hard, m.trial(rate), "trial")
		if err != nil {
			return err
		}
		if soft.Err() != nil {
			return fault.New(fault.Interrupted, "interrupted in the search for the largest rate: nothing was saved")
		}
	}
	if m.search.held == 0 {
		return unsustained(m.search.exceeded, m.why)
	}
	return m.confirm(soft, hard)
}

// trial is the plan of a short run.
func (m *maxSearch) trial(rate float64) plan.Updates {
	p := m.o.plan
	p.Load.Duration = min(p.Load.Duration, trialTime)
	p.Load.WarmupTime = min(p.Load.WarmupTime, trialWarmup)
	p.Settle = min(p.Settle, trialSettle)
	p.SetRate(rate)
	return p
}

// try makes a run, and notes what it showed.
func (m *maxSearch) try(soft, hard context.Context, p plan.Updates, name string) (*updatesRun, *rundoc.Run, error) {
	rate := p.Load.Rate
	r, doc, err := m.o.once(soft, hard, m.env, p)
	if err != nil {
		return nil, nil, err
	}
	why := r.sustained(doc)
	m.trials = append(m.trials, rundoc.UpdateTrial{
		RatePerS: rate, AppliedPerS: r.detail.AppliedPerS, E2EP99NS: int64(slowest(&r.detail)), BacklogNS: int64(r.backlog),
		Sustained: why == "", Why: why,
	})
	m.search.found(rate, why == "")
	shown := "sustained"
	if why != "" {
		m.why, shown = why, "not sustained: "+why
		if m.limit == "" || rate < m.limitRate {
			m.limit, m.limitRate = limit(doc, r, why), rate
		}
	}
	m.o.tell(m.env, "%s %d: %.4g batches/s, %s updates/s applied: %s", name, len(m.trials), rate, thousands(int64(r.detail.AppliedPerS)), shown)
	return r, doc, nil
}

// confirm measures the rate that was found, and one that is lower while that is not sustained.
func (m *maxSearch) confirm(soft, hard context.Context) error {
	rate := m.search.held
	for range maxConfirm {
		p := m.o.plan
		p.SetRate(rate)
		r, doc, err := m.try(soft, hard, p, "confirmation")
		if err != nil {
			return err
		}
		last := m.trials[len(m.trials)-1]
		if !last.Sustained && soft.Err() == nil {
			rate /= precise
			continue
		}
		return m.finish(r, doc)
	}
	return unsustained(rate*precise, m.why)
}

// finish saves and shows the run at the rate that was found.
func (m *maxSearch) finish(r *updatesRun, doc *rundoc.Run) error {
	r.detail.Search = m.trials
	if m.limit != "" {
		r.detail.Notes = append(r.detail.Notes, m.limit)
	}
	if err := r.judge(doc); err != nil {
		return err
	}
	to, err := prepareSaving(m.env, &m.o.forms, r.id)
	if err != nil {
		return err
	}
	return r.finish(doc, to)
}
