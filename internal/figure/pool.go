package figure

import (
	"cmp"

	"github.com/plimsoll/plimsoll/rundoc"
)

// A Pool holds the times of a figure from several runs, whose statistic it tells exactly: their histograms are merged.
type Pool struct {
	spec  Spec
	times []rundoc.Summary // at most one: those of all runs together
	more  later
	err   error
}

// NewPool returns a pool without times. The figure must be one of times.
func NewPool(s Spec) *Pool { return &Pool{spec: s} }

// Add adds the times of a run.
func (p *Pool) Add(run *rundoc.Run) {
	if p.spec.source.Later != nil {
		n, why := p.spec.source.Later(run)
		p.more.n, p.more.why = p.more.n+n, cmp.Or(p.more.why, why)
	}
	if p.err != nil {
		return
	}
	one, err := together(append(p.times, p.spec.source.Times(run, p.spec.labels)...))
	if err != nil {
		p.err = err
		return
	}
	p.times = []rundoc.Summary{one}
}

// Value returns what the figure came to in the times of all runs together.
func (p *Pool) Value() Value {
	if p.err != nil {
		return Value{Unit: Time, Why: "its times cannot be read: " + p.err.Error()}
	}
	return p.spec.ofTimes(p.times, nil, p.more).checked()
}
