package engine

import (
	"context"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/wake"
	"github.com/plimsoll/plimsoll/internal/workload"
)

// Config is what a run needs.
type Config struct {
	Load     plan.Load // must be valid
	Workload workload.Workload
	Samples  *record.Samples // takes the window's operations; nil for none. Run does not close it.
	// Progress is told about once a second how the run goes, on a goroutine of its own; nil
	// for no one.
	Progress func(Progress)
	// TargetCPU tells what the target has used so far, when it can be known; nil when not.
	TargetCPU func() (user, system time.Duration)
	// Alarms wake the slots; nil for a scheduler of the run's own, which is the precise one.
	Alarms *wake.Scheduler
}

// warmupIndex is the first operation of the warm-up, so that the window's begin at 0 and are
// the same however long the warm-up was.
const warmupIndex = 1 << 62

// runner is a run that goes on.
type runner struct {
	Config
	clock       *op.Clock
	alarms      *wake.Scheduler
	connections *record.Connections
	kinds       []record.Kind
	run         *record.Run
	stop        <-chan struct{}
	warmedUp    int64 // operations of the warm-up
}

// Run carries a plan out and returns what was recorded.
//
// When stop is closed, the window ends: what is in flight is waited for within the drain's
// bound, and the result says that it was interrupted. When ctx ends, nothing is waited for
// any more. The result is nil only with an error: no client could connect, or the run was
// stopped before its window began.
func Run(ctx context.Context, stop <-chan struct{}, c Config) (*record.Run, error) {
	e := &runner{Config: c, clock: op.NewClock(), connections: record.NewConnections(), stop: stop}
	if e.alarms = c.Alarms; e.alarms == nil {
		e.alarms = wake.New()
		defer e.alarms.Close()
	}
	for _, k := range c.Workload.Kinds() {
		e.kinds = append(e.kinds, record.Kind{Name: k.Name, Labels: k.Labels})
	}
	e.run = &record.Run{
		Started: e.clock.Epoch().UTC(), Clients: c.Load.Clients, Slots: c.Load.Pipeline,
		Kinds: e.kinds, Connections: e.connections,
	}
	if err := e.warmUp(ctx); err != nil {
		return nil, err
	}
	if err := e.measure(ctx); err != nil {
		return nil, err
	}
	e.run.Clock = record.ReadUsage(e.clock.Epoch())
	e.run.Ended = e.clock.Wall(e.clock.Now())
	return e.run, nil
}

// interrupted says that nothing was measured.
func interrupted(where string) error {
	return fault.New(fault.Interrupted, "interrupted %s: nothing was measured", where)
}

// usedUp says that an earlier phase left nothing to measure.
func usedUp(phase string, operations int64) error {
	return fault.New(fault.Usage, "the %s took all of the %d operations: nothing was measured", phase, operations).
		Hint("ask for more of them, or for a shorter %s", phase)
}

func (e *runner) warmUp(ctx context.Context) error {
	load := &e.Load
	if load.WarmupClients == 0 || load.WarmupOperations == 0 && load.WarmupTime == 0 {
		return nil
	}
	st := newStage(e, load.WarmupClients, load.Clients)
	st.name, st.length = "warm-up", load.WarmupTime
	defer st.hangUp()
	if err := e.connect(ctx, st, st.clients); err != nil {
		return err
	}
	st.makeSlots()
	st.begin = e.clock.Now()
	st.start = st.begin
	st.limit = never
	if load.WarmupOperations > 0 {
		st.limit = load.WarmupOperations * int64(load.WarmupClients)
	}
	if load.Operations > 0 {
		st.limit = min(st.limit, load.Operations)
	}
	st.window = record.New(
		record.Config{Kinds: e.kinds, Groups: e.Workload.Groups(), Open: load.Open(), Start: st.start, Series: true})
	st.source = e.source(st, warmupIndex, false)
	watch := e.watch(st)
	cause := e.drive(ctx, st, func() {})
	watch.stop()
	_, e.warmedUp = st.source.finish()
	e.phase(st.name, st.begin, st.end.Load(), st.window, e.warmedUp)
	if cause == stopped {
		return interrupted("during the warm-up")
	}
	if load.Operations > 0 && e.warmedUp >= load.Operations {
		return usedUp("warm-up", load.Operations)
	}
	return nil
}

// measure takes the main clients through connect, ramp, window and drain.
func (e *runner) measure(ctx context.Context) error {
	load := &e.Load
	st := newStage(e, load.Clients, 0)
	st.name, st.length, st.samples = "window", load.Window(), e.Samples
	defer st.hangUp()
	from := e.clock.Now()
	if load.Open() || load.Ramp == 0 {
		if err := e.connect(ctx, st, st.clients); err != nil {
			return err
		}
	} else if err := e.connect(ctx, st, st.clients[:1]); err != nil {
		return err // the others connect at their place in the ramp
	}
	st.makeSlots()
	st.begin = e.clock.Now()
	st.start = st.begin + int64(load.Ramp)
	e.phase("connect", from, st.begin, nil, 0)
	recorder := record.Config{Kinds: e.kinds, Groups: e.Workload.Groups(), Open: load.Open(), Start: st.start,
		Series: true}
	st.window = record.New(recorder)
	if load.Ramp > 0 {
		recorder.Start, recorder.Groups = st.begin, 0
		st.ramp = record.New(recorder)
	}
	st.limit = never
	if load.Operations > 0 {
		st.limit = load.Operations - e.warmedUp
	}
	e.run.Unsent = make([]int64, len(e.kinds))
	st.source = e.source(st, 0, true)

	watch := e.watch(st)
	cause := e.drive(ctx, st, watch.closeWindow)
	watch.stop()
	switch {
	case st.end.Load() > st.start:
	case cause == allDone:
		return usedUp("ramp", load.Operations-e.warmedUp)
	default:
		return interrupted("before the measurement window")
	}
	e.run.Interrupted = cause == stopped || e.stopping()
	e.collect(st, watch)
	return nil
}

// connect connects clients of a stage before its load begins. A stop ends it: there is
// nothing to save yet.
func (e *runner) connect(ctx context.Context, st *stage, clients []*client) error {
	bounded, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	// goroutine: done tells of its end, which each way out below waits for.
	go func() { done <- connectAll(bounded, st, clients) }()
	select {
	case err := <-done:
		if ctx.Err() != nil {
			return interrupted("while the clients connected")
		}
		return err
	case <-e.stop:
		cancel()
		<-done
		return interrupted("while the clients connected")
	}
}

// stopping reports whether a stop was asked for.
func (e *runner) stopping() bool {
	select {
	case <-e.stop:
		return true
	default:
		return false
	}
}

// source makes the stage's source of operations. The main one counts what it never sends.
func (e *runner) source(st *stage, first uint64, main bool) source {
	load := &e.Load
	if !load.Open() {
		return newClosedSource(first, st.limit, st.start)
	}
	s := &openSource{
		first: first, limit: st.limit, start: st.start, begin: st.begin,
		waiting: int(load.MaxWaiting), unsent: func(turn) {},
	}
	if !main {
		s.arrivals = newArrivals(load.Arrivals, load.Seed^warmupIndex, 0, load.WarmupRate(), nil)
		return s.open()
	}
	s.unsent = func(t turn) {
		if !t.early {
			e.run.Unsent[e.Workload.Kind(t.index)]++
		}
	}
	s.arrivals = newArrivals(load.Arrivals, load.Seed, load.Ramp, load.Rate, load.Stages)
	return s.open()
}

// The reasons why a window ends.
type ending int

const (
	timeUp ending = iota
	allDone
	stopped
)

// drive launches the slots, ends the window at its length or when all operations are done,
// and drains. atEnd is called as soon as the window has ended.
func (e *runner) drive(ctx context.Context, st *stage, atEnd func()) ending {
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	end := int64(never)
	var bell <-chan time.Time
	if st.length > 0 {
		end = st.start + int64(st.length)
		// The end is known before it comes: what ends behind it, while the bell is late, is
		// not the window's.
		st.source.stop(end)
		st.end.Store(end)
		st.window.End(end)
		timer := time.NewTimer(time.Duration(end - e.clock.Now()))
		defer timer.Stop()
		bell = timer.C
	}
	st.launch(running)
	cause := e.wait(st, bell)
	if cause != timeUp {
		end = e.clock.Now()
	}
	if cause == allDone && e.Load.Ramp == 0 {
		end = max(end, st.start+1) // a window has some length, however quick its operations were
	}
	st.close(end)
	atEnd()
	st.drain(ctx, cancel)
	return cause
}

// wait waits for the end of the window.
func (e *runner) wait(st *stage, bell <-chan time.Time) ending {
	select {
	case <-bell:
		return timeUp
	case <-e.stop:
		return stopped
	case <-st.over:
	}
	if st.source.exhausted() || st.length == 0 {
		return allDone
	}
	// What the schedule held is done, and the rest of the time is the clients' to be idle.
	select {
	case <-bell:
		return timeUp
	case <-e.stop:
		return stopped
	}
}
