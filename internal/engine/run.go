package engine

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/engine/wire"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/instrument"
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
	// AllSamples says that Samples take the warm-up's and the ramp's operations, too.
	AllSamples bool
	// Picker is offered the window's operations as they end; nil for no one.
	Picker *record.Picker
	// Progress is told about once a second how the run goes, and when a phase begins, on a goroutine of its own; nil
	// for no one.
	Progress func(Progress)
	// Live, if not nil, is given what the window came to so far, about four times a second while it is open, on a
	// goroutine of its own; true ends the window as a stop does, and the result says that it was aborted.
	Live func(*record.SoFar) (abort bool)
	// Enough, if not nil, looks at the window as Live does, behind it; true ends the window as its length does, which is
	// the most then.
	Enough func(*record.SoFar) bool
	// Steady is Enough for the warm-up.
	Steady func(*record.SoFar) bool
	// Showing, if not nil, is given, when the load begins, what tells what the window has come to, so that others may look
	// at it when they like: at any time, from any goroutine, until the run's document is made. It tells nil before the
	// window has opened.
	Showing func(soFar func() *record.SoFar)
	// TargetCPU tells what the target has used so far, when it can be known; nil when not.
	TargetCPU func() (user, system time.Duration)
	// Turn, if not nil, has the window go on in slices, by turns with another load. The load has no ramp and no stages
	// then, and its clients have no order of their own.
	Turn *Turn
	// Alarms wake the slots, and send for those that can; nil for schedulers of the run's own, which are the
	// precise ones.
	Alarms *wake.Scheduler
	// Meter says how the run watches itself: what is switched off is what a system would be like that does not have
	// it. Run fills in its clock.
	Meter instrument.Config
}

// warmupIndex is the first operation of the warm-up, so that the window's begin at 0 and are
// the same however long the warm-up was.
const warmupIndex = 1 << 62

// runner is a run that goes on.
type runner struct {
	Config
	clock       *op.Clock
	alarms      *wake.Scheduler // wake the slots
	pacer       *wake.Scheduler // sends for them; nil where none can
	meter       *instrument.Meter
	times       *wire.Times // of what the kernel receives; nil where it stamps nothing
	connections *record.Connections
	kinds       []record.Kind
	run         *record.Run
	stop        <-chan struct{}
	missed      chan struct{} // closed when Live has said to end the window
	news        chan Progress // the latest that was not passed on yet; nil when nobody wants to know
	pace        Pace          // of the warm-up
	warmedUp    int64         // operations of the warm-up, or flows
	warmedFor   time.Duration
	warmClients int // that the warm-up's rate needed; 0 when it added none
}

// Run carries a plan out and returns what was recorded.
//
// When stop is closed, the window ends: what is in flight is waited for within the drain's
// bound, and the result says that it was interrupted. When ctx ends, nothing is waited for
// any more. The result is nil only with an error: no client could connect, or the run was
// stopped before its window began.
func Run(ctx context.Context, stop <-chan struct{}, c Config) (*record.Run, error) {
	if c.Turn != nil {
		defer c.Turn.close()
		if err := takesTurns(&c.Load); err != nil {
			return nil, err
		}
	}
	e := &runner{Config: c, clock: op.NewClock(), connections: record.NewConnections(), stop: stop,
		missed: make(chan struct{})}
	if e.alarms = c.Alarms; e.alarms == nil {
		e.alarms = wake.New()
		defer e.alarms.Close()
	}
	defer e.stopPacer()
	defer e.startTelling()()
	c.Meter.Now, c.Meter.Epoch = e.clock.Now, e.clock.Epoch()
	e.meter = instrument.Start(c.Meter)
	defer e.meter.Stop()
	if stamped, can := c.Workload.(workload.Stamped); can && c.Meter.Off&instrument.Stamps == 0 {
		e.times = wire.NewTimes(e.clock.Epoch())
		stamped.Stamp(e.times)
	}
	for _, k := range c.Workload.Kinds() {
		e.kinds = append(e.kinds, record.Kind{Name: k.Name, Labels: k.Labels, Stages: k.Stages})
	}
	e.run = &record.Run{
		Started: e.clock.Epoch().UTC(), Clients: c.Load.Clients, Slots: c.Load.Pipeline,
		Kinds: e.kinds, Flows: e.flows(), Connections: e.connections,
	}
	if c.Load.Realtime { // before anybody connects: it may not be allowed
		if err := e.startPacer(); err != nil {
			return nil, err
		}
	}
	if beside, has := c.Workload.(workload.Opener); has {
		defer beside.Shut()
		open := func(ctx context.Context) error { return beside.Open(ctx, e.clock) }
		if err := e.unlessStopped(ctx, open, nil); err != nil {
			return nil, err
		}
	}
	if err := e.warmUp(ctx); err != nil {
		return nil, err
	}
	if err := e.measure(ctx); err != nil {
		return nil, err
	}
	e.run.ClockStep = instrument.ClockStep(e.clock.Epoch())
	e.run.Ended = e.clock.Wall(e.clock.Now())
	return e.run, nil
}

// flowing is the workload, if its operations come in flows.
func (e *runner) flowing() workload.Flowing {
	f, _ := e.Workload.(workload.Flowing)
	if f == nil || len(f.Flows()) == 0 {
		return nil
	}
	return f
}

// flows names what flowing has; nil for none.
func (e *runner) flows() []string {
	if f := e.flowing(); f != nil {
		return f.Flows()
	}
	return nil
}

// interrupted says that nothing was measured.
func interrupted(where string) error {
	return fault.New(fault.Interrupted, "interrupted %s: nothing was measured", where)
}

// usedUp says that an earlier phase left nothing to measure.
func usedUp(phase string, operations int64) error {
	return fault.New(fault.Usage, "the %s used all %d operations, so nothing was measured", phase, operations).
		Hint("increase the number of operations, or shorten the %s", phase)
}

func (e *runner) warmUp(ctx context.Context) error {
	load := &e.Load
	if load.WarmupClients == 0 || load.WarmupOperations == 0 && load.WarmupTime == 0 {
		return nil
	}
	ph := newPhase(e, load.WarmupClients, load.MostClients())
	ph.name, ph.length = "warm-up", load.WarmupTime
	if e.AllSamples {
		ph.samples = e.Samples
	}
	defer ph.hangUp()
	if err := e.connect(ctx, ph, ph.clients); err != nil {
		return err
	}
	if err := e.paced(ph); err != nil {
		return err
	}
	ph.makeSlots()
	ph.limit = never
	if load.WarmupOperations > 0 {
		ph.limit = load.WarmupOperations * int64(load.WarmupClients)
	}
	if load.Operations > 0 {
		ph.limit = min(ph.limit, load.Operations)
	}
	ph.window = record.New(
		record.Config{Kinds: e.kinds, Flows: e.flows(), Groups: e.Workload.Groups(), Open: load.Open(), Series: true})
	e.place(ph, 0, load.Ramp+load.Window())
	ph.begin(0)
	ph.source = e.source(ph, warmupIndex, false)
	watch := e.watch(ph)
	watch.look(nil, e.Steady)
	cause := e.drive(ctx, ph, func() {})
	watch.stop()
	e.warmedFor = time.Duration(e.clock.Now() - ph.loadStart)
	if e.Turn != nil && e.warmedFor > 0 {
		e.pace = Pace{time.Duration(ph.window.Median()), float64(ph.window.Inside()) / e.warmedFor.Seconds()}
	}
	if ph.mostClients() > len(ph.clients) || len(ph.clients) > load.WarmupClients {
		e.warmClients = len(ph.clients)
	}
	_, operations := ph.source.finish()
	_, steps := ph.source.followed()
	e.warmedUp = operations - steps
	e.addPhase(ph.name, ph.loadStart, ph.windowEnd(), ph.window, operations)
	if cause == stopped || e.stopping() {
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
	ph := newPhase(e, max(load.Clients, e.warmClients), 0)
	ph.name, ph.length, ph.samples, ph.main = "window", load.Window(), e.Samples, true
	ph.turn, ph.picker = e.Turn, e.Picker
	ph.sampleRamp = e.AllSamples
	defer ph.hangUp()
	from := e.clock.Now()
	if at := max(1, load.StartClients); len(load.ClientStages) > 0 {
		if err := e.connect(ctx, ph, ph.clients[:at]); err != nil {
			return err // the others connect when the stages ask for them
		}
	} else if load.Open() || load.Ramp == 0 {
		if err := e.connect(ctx, ph, ph.clients); err != nil {
			return err
		}
	} else if err := e.connect(ctx, ph, ph.clients[:1]); err != nil {
		return err // the others connect at their place in the ramp
	}
	if err := e.paced(ph); err != nil {
		return err
	}
	ph.makeSlots()
	recorder := record.Config{Kinds: e.kinds, Flows: e.flows(), Groups: e.Workload.Groups(), Open: load.Open(),
		Series: true, Gaps: ph.gaps}
	ph.window = record.New(recorder)
	if load.Ramp > 0 {
		recorder.Groups = 0
		ph.ramp = record.New(recorder)
	}
	ph.limit = never
	if load.Operations > 0 {
		ph.limit = load.Operations - e.warmedUp
	}
	e.place(ph, e.warmedFor, 0)
	e.run.Unsent = make([]int64, len(e.kinds))
	if load.Ramp == 0 {
		e.meter.Ready()
	}
	if e.Turn != nil {
		e.clock.Hold()
	}
	ph.begin(load.Ramp)
	e.addPhase("connect", from, ph.loadStart, nil, 0)
	ph.source = e.source(ph, 0, true)
	if ph.turn != nil {
		ph.turn.begin(ph, e.times, e.pace)
	}

	watch := e.watch(ph)
	watch.openWindow()
	watch.look(e.Live, e.Enough)
	if e.Showing != nil {
		e.Showing(watch.showing())
	}
	cause := e.drive(ctx, ph, watch.closeWindow)
	if ph.turn != nil {
		ph.turn.wound(ctx, e.stop)
	}
	watch.stop()
	switch {
	case ph.windowEnd() > ph.start:
	case cause == allDone:
		return usedUp("ramp", load.Operations-e.warmedUp)
	default:
		return interrupted("before the measurement window")
	}
	e.run.Interrupted, e.run.Aborted = cause == stopped || e.stopping(), cause == aborted
	e.collect(ph, watch)
	return nil
}

// connect connects clients of a phase before its load begins.
func (e *runner) connect(ctx context.Context, ph *phase, clients []*client) error {
	begun := e.clock.Now()
	return e.unlessStopped(ctx, func(ctx context.Context) error { return connectAll(ctx, ph, clients) },
		func() { e.tell(ph.connecting(clients, begun)) })
}

// unlessStopped does what comes before the load; tell, if not nil, says from time to time how it goes. A stop ends it:
// there is nothing to save yet.
func (e *runner) unlessStopped(ctx context.Context, do func(context.Context) error, tell func()) error {
	bounded, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	// goroutine: done tells of its end, which each way out below waits for.
	go func() { done <- do(bounded) }()
	news := time.NewTicker(tellEvery)
	defer news.Stop()
	for {
		if tell != nil {
			tell()
		}
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
		case <-news.C:
		}
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

// source makes the phase's source of operations. The main one counts what it never sends.
func (e *runner) source(ph *phase, first uint64, main bool) source {
	load := &e.Load
	if !load.Open() {
		return newClosedSource(first, ph.limit, ph.start)
	}
	s := &openSource{
		first: first, limit: ph.limit, start: ph.start, begin: ph.loadStart,
		waiting: int(load.MaxWaiting), unsent: func(turn) {},
	}
	if !main {
		s.arrivals = newArrivals(load.Arrivals, load.Seed^warmupIndex, 0, load.WarmupRate(), nil)
		return s.open()
	}
	s.unsent = func(t turn) {
		if !t.early {
			atomic.AddInt64(&e.run.Unsent[e.Workload.Kind(t.index)], 1) // which Live reads meanwhile
			ph.window.Unsent(t.intended)
		}
	}
	if past, is := e.Workload.(workload.Recorded); is && load.Arrivals == plan.AsRecorded {
		s.arrivals = &recorded{at: past.At}
		return s.open()
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
	aborted
	enough // was seen of it
)

// drive launches the slots, ends the window at its length or when all operations are done,
// and drains. atEnd is called as soon as the window has ended.
func (e *runner) drive(ctx context.Context, ph *phase, atEnd func()) ending {
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	var end int64 // where it is known before
	var bell <-chan time.Time
	if ph.length > 0 {
		end = ph.start + int64(ph.length)
		// The end is known before it comes: what ends behind it, while the bell is late, is
		// not the window's.
		ph.source.stop(end)
		ph.end.Store(end)
		ph.window.End(end)
		if ph.turn != nil {
			bell = ph.turn.bell
		} else {
			timer := time.NewTimer(time.Duration(end - e.clock.Now()))
			defer timer.Stop()
			bell = timer.C
		}
	}
	ph.launch(running)
	cause := e.wait(ctx, ph, bell)
	switch {
	case cause == timeUp:
		ph.close(end)
	case cause == allDone && e.Load.Ramp == 0:
		ph.closeNow(ph.start + 1) // a window has some length, however quick its operations were
	default:
		ph.closeNow(ph.loadStart)
	}
	atEnd()
	if cause == allDone {
		e.complete(ctx, ph)
	}
	var cut <-chan struct{}
	if !ph.main || ph.windowEnd() <= ph.start { // nothing of it is reported after a stop
		cut = e.stop
	}
	ph.drain(ctx, cut, cancel)
	return cause
}

// complete waits for what a schedule of so many operations held: none is given up for having been one of the last.
func (e *runner) complete(ctx context.Context, ph *phase) {
	select {
	case <-ph.over:
	case <-ctx.Done():
	case <-e.stop:
	case <-e.missed:
	}
}

// wait waits for the end of the window: its length, or the end of a schedule of so many operations, or the last of
// them if that is behind the schedule. Where ctx ends there is nobody left to wait for.
func (e *runner) wait(ctx context.Context, ph *phase, bell <-chan time.Time) ending {
	over, last := ph.over, ph.source.last()
	var schedule *time.Timer
	var scheduled <-chan time.Time
	ends := func(at int64) {
		schedule = time.NewTimer(time.Duration(at - e.clock.Now()))
		scheduled, last = schedule.C, nil
	}
	defer func() {
		if schedule != nil {
			schedule.Stop()
		}
	}()
	for {
		select {
		case <-bell:
			return timeUp
		case <-e.stop:
			return stopped
		case <-ctx.Done():
			return stopped
		case <-e.missed:
			return aborted
		case <-ph.enough:
			return enough
		case at := <-last:
			ends(at)
		case <-scheduled:
			// Those who wait for a client, and the flows that have begun, have steps before them that the window has to have.
			if scheduled = nil; over == nil || !ph.source.queued() && ph.flowing.underWay.Load() == 0 {
				return allDone
			}
		case <-over:
			over = nil // where the schedule has not ended yet, the rest of the time is the clients' to be idle
			select {
			case at := <-last:
				ends(at)
			default:
			}
			if scheduled == nil && (ph.source.exhausted() || ph.length == 0) {
				return allDone
			}
		}
	}
}
