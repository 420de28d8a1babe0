package kv

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/kvapi"
)

// registry knows the runs and their publishers. What it holds is bounded: runs that have been
// silent for long are forgotten, and the most silent ones when there are too many. A batch of
// a publisher that was forgotten, delivered again, is applied again, which changes nothing
// in the store; only its counts are wrong then.
type registry struct {
	number func(delta.Publisher) uint32
	spans  atomic.Int64

	mu         sync.Mutex
	publishers map[delta.Publisher]*publisher
	runs       map[uint64]*run
	timed      []*run // those with times
	batches    int64  // that came in, of all runs
}

// run is what is known of a run.
type run struct {
	id         uint64
	publishers []*publisher // guarded by the registry
	active     time.Time    // likewise: of the last batch or request
	batches    int64        // likewise: that came in
	known      time.Time    // since when it is
	before     int64        // batches of all runs that came in before that
	applied    atomic.Int64 // when the last batch was, on the server's clock; 0: none yet
	refused    atomic.Int64 // deliveries that could not be kept
	refusal    atomic.Pointer[string]
	registered *kvapi.Registration // likewise; nil: it was not
	times      *times              // likewise; nil: they were dropped for those of later runs
	moments    *moments            // likewise; nil: nobody asked for them, or they went with the times
}

const (
	maxPublishers = 1 << 14
	maxRuns       = 1 << 12
	// keptTimes is of how many runs the times are kept: a megabyte or two each.
	keptTimes = 8
)

func newRegistry(number func(delta.Publisher) uint32) *registry {
	return &registry{number: number, publishers: make(map[delta.Publisher]*publisher), runs: make(map[uint64]*run)}
}

// use gives the publisher for a batch. It is not forgotten until it is released.
func (r *registry) use(id delta.Publisher) *publisher {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.publishers[id]
	if p == nil {
		if len(r.publishers) >= maxPublishers {
			r.forgetMostSilent()
		}
		p = &publisher{id: id, number: r.number(id), spans: &r.spans, claimed: make(map[uint64]struct{})}
		p.settled.L = &p.mu
		p.run = r.runLocked(id.Run)
		p.run.publishers = append(p.run.publishers, p)
		r.publishers[id] = p
	}
	p.users++
	p.run.batches++
	r.batches++
	p.run.active = time.Now()
	return p
}

func (r *registry) release(p *publisher) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p.users--
}

// runLocked gives the run, new if it was not known.
func (r *registry) runLocked(id uint64) *run {
	if known := r.runs[id]; known != nil {
		return known
	}
	if len(r.runs) >= maxRuns {
		r.forgetMostSilent()
	}
	now := time.Now()
	n := &run{id: id, times: newTimes(), active: now, known: now, before: r.batches}
	r.runs[id] = n
	r.timed = append(r.timed, n)
	r.dropTimes(n.active)
	return n
}

// lively is how long after its last batch or question a run counts as one that goes on: whoever
// makes up runs must not make the server forget what a real one measures, also while that only
// waits for what is missing.
const lively = 5 * time.Second

// dropTimes leaves times to the newest run, which is the last, and to those that matter most.
func (r *registry) dropTimes(now time.Time) {
	if len(r.timed) <= keptTimes {
		return
	}
	slices.SortFunc(r.timed[:keptTimes], byWorth(now))
	r.timed[0].times, r.timed[0].moments = nil, nil
	r.timed = slices.Delete(r.timed, 0, 1)
}

// byWorth orders runs by what would be lost with them: first those that do not go on, the most
// silent first, then those with few batches.
func byWorth(now time.Time) func(a, b *run) int {
	worth := func(n *run) int64 {
		if now.Sub(n.active) > lively {
			return 0
		}
		return n.batches
	}
	return func(a, b *run) int {
		return cmp.Or(cmp.Compare(worth(a), worth(b)), a.active.Compare(b.active), cmp.Compare(a.id, b.id))
	}
}

// forgetMostSilent makes room for other runs, by those that matter least. Those that are worked
// on stay.
func (r *registry) forgetMostSilent() {
	var silent []*run
	for _, n := range r.runs {
		if !n.used() {
			silent = append(silent, n)
		}
	}
	slices.SortFunc(silent, byWorth(time.Now()))
	for _, n := range silent[:min(len(silent), 1+len(silent)/16)] { // some at once: to find them takes a pass
		r.forget(n)
	}
}

func (n *run) used() bool {
	return slices.ContainsFunc(n.publishers, func(p *publisher) bool { return p.users > 0 })
}

func (r *registry) forget(n *run) {
	for _, p := range n.publishers {
		delete(r.publishers, p.id)
		p.mu.Lock()
		r.spans.Add(-int64(len(p.sequences.beyond) + len(p.partial)))
		p.mu.Unlock()
	}
	delete(r.runs, n.id)
	r.timed = slices.DeleteFunc(r.timed, func(other *run) bool { return other == n })
}

// forgetSilent forgets the runs that have been silent since before.
func (r *registry) forgetSilent(before time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.runs {
		if n.active.Before(before) && !n.used() {
			r.forget(n)
		}
	}
}

// knows says whether a publisher is remembered.
func (r *registry) knows(id delta.Publisher) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.publishers[id] != nil
}

// size counts the publishers.
func (r *registry) size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.publishers)
}

// register keeps what a run says of itself.
func (r *registry) register(id uint64, g kvapi.Registration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.runLocked(id)
	n.registered, n.active = &g, time.Now()
	if g.Moments && n.moments == nil && n.times != nil {
		n.moments = new(moments)
	}
}

// clockOf is what a run registered, and where its times are kept.
func (r *registry) clockOf(n *run) (*kvapi.Registration, *times) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return n.registered, n.times
}

// momentsOf is where a run's moments are kept; nil where they are not.
func (r *registry) momentsOf(id uint64) *moments {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := r.runs[id]; n != nil {
		return n.moments
	}
	return nil
}

// find gives the run, its publishers in the order of their numbers, and its times. A run that
// asks is no silent one.
func (r *registry) find(id uint64) (*run, []*publisher, *times) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.runs[id]
	if n == nil {
		return nil, nil, nil
	}
	n.active = time.Now()
	all := slices.Clone(n.publishers)
	slices.SortFunc(all, func(a, b *publisher) int { return cmp.Compare(a.id.Number, b.id.Number) })
	return n, all, n.times
}

// others counts what came of other runs since a run is known; nil is one that never was.
func (r *registry) others(of *run) kvapi.Others {
	r.mu.Lock()
	defer r.mu.Unlock()
	var o kvapi.Others
	if o.Batches = r.batches; of != nil {
		o.Batches -= of.before + of.batches
	}
	for _, n := range r.runs {
		if n != of && n.batches > 0 && (of == nil || !n.active.Before(of.known)) {
			o.Runs++
		}
	}
	if o.Batches <= 0 {
		return kvapi.Others{} // what else is known came before
	}
	return o
}

// all are the publishers that are known.
func (r *registry) all() []*publisher {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.publishers))
}

// inPart sums up what was applied of batches that were refused, of these publishers.
func inPart(publishers []*publisher) (sum kvapi.Partial) {
	for _, p := range publishers {
		of := p.inPart()
		sum.Batches += of.Batches
		sum.Updates += of.Updates
	}
	return sum
}

// missingSince is the earliest moment at which a batch was seen to be missing that still is, of
// those after since; zero when there is none.
func (r *registry) missingSince(since time.Time) time.Time {
	var earliest time.Time
	for _, p := range r.all() {
		gap := p.missingSince()
		if gap.After(since) && (earliest.IsZero() || gap.Before(earliest)) {
			earliest = gap
		}
	}
	return earliest
}
