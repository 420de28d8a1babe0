package engine

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/instrument"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/wake"
	"github.com/plimsoll/plimsoll/internal/workload"
)

// phase is a set of clients under load: the warm-up's, or the main one with its ramp, its
// window and its drain.
type phase struct {
	name        string        // of its window, as a phase
	length      time.Duration // of its window; 0 when the number of operations ends it
	limit       int64         // of operations, or never
	load        *plan.Load
	clock       *op.Clock
	alarms      *wake.Scheduler
	pacer       *wake.Scheduler // nil where no client can send without waiting, and in the closed model
	meter       *instrument.Meter
	connections *record.Connections
	samples     *record.Samples // nil when none are kept
	sampleRamp  bool            // they take the ramp's operations, too
	picker      *record.Picker  // nil when nobody picks
	kinds       int
	main        bool             // it is not the warm-up
	turn        *Turn            // nil where the load has the window to itself
	flows       workload.Flowing // nil where operations do not come in flows
	flowing     flowCount        // and 0

	before, behind time.Duration  // what of the whole is over when it begins, and what follows it; for people who watch
	tell           func(Progress) // takes how it goes

	newClient func(i int) workload.Client
	running   sync.WaitGroup // of the slots, and of what adds clients
	most      int            // clients that there may be

	mu      sync.Mutex // held while clients and slots change, and while another goroutine than grow's reads them
	clients []*client
	slots   []*slot
	source  source
	ramp    *record.Recorder // nil when there is none
	window  *record.Recorder

	loadStart int64         // a stamp, as start is
	start     int64         // of the window
	end       atomic.Int64  // of the window; never while that is open, unsaid while it is being said: see windowEnd
	saying    sync.Mutex    // held while it is being said
	soft      chan struct{} // closed when the window has ended
	over      chan struct{} // closed when every slot has ended
	enough    chan struct{} // closed when what was seen of it is enough
}

func newPhase(e *runner, clients, firstNumber int) *phase {
	ph := &phase{
		load: &e.Load, clock: e.clock, alarms: e.alarms, meter: e.meter, connections: e.connections,
		kinds: len(e.kinds), tell: e.tell, soft: make(chan struct{}), over: make(chan struct{}),
		enough: make(chan struct{}),
	}
	ph.end.Store(never)
	ph.flows = e.flowing()
	ph.newClient = func(i int) workload.Client { return e.Workload.NewClient(firstNumber+i, ph.load.Pipeline) }
	for i := range clients {
		ph.clients = append(ph.clients, &client{Client: ph.newClient(i)})
	}
	return ph
}

// begin says that the load begins now, with a ramp of this length. All that takes time was done before.
func (ph *phase) begin(ramp time.Duration) {
	ph.loadStart = ph.clock.Now()
	ph.start = ph.loadStart + int64(ramp)
	ph.window.Begin(ph.start)
	if ph.ramp != nil {
		ph.ramp.Begin(ph.loadStart)
	}
}

// unsaid is no stamp.
const unsaid = math.MinInt64

// windowEnd is when the window ends; never while that is not known. A stamp that was taken before that is not behind
// the end.
func (ph *phase) windowEnd() int64 {
	if end := ph.end.Load(); end != unsaid {
		return end
	}
	return ph.said()
}

// said waits until the end is said.
func (ph *phase) said() int64 {
	ph.saying.Lock()
	defer ph.saying.Unlock()
	return ph.end.Load()
}

// recorder is the one that an operation belongs to.
func (ph *phase) recorder(t turn) *record.Recorder {
	if t.early {
		return ph.ramp
	}
	return ph.window
}

func (ph *phase) inside(stamp int64) bool { return stamp >= ph.start && stamp < ph.windowEnd() }

// clip is the length of the part of from…to that lies inside the window.
func (ph *phase) clip(from, to int64) int64 {
	return max(0, min(to, ph.windowEnd())-max(from, ph.start))
}

// gaps is the part of from…to in which the generator did not run.
func (ph *phase) gaps(from, to int64) int64 { return ph.meter.Overlap(from, to) }

// backoff is the pause after the n-th failed attempt (n from 0), a function of the seed.
func (ph *phase) backoff(index uint64, n int) time.Duration {
	r := rand.New(rand.NewPCG(ph.load.Seed^0xB0FF, index<<8|uint64(n)))
	b := backoff.Between{First: ph.load.Retry.InitialBackoff, Last: ph.load.Retry.MaxBackoff}
	return b.Pause(n, r.Int64N)
}

// makeSlots makes the clients' slots.
func (ph *phase) makeSlots() {
	for _, c := range ph.clients {
		for within := range ph.load.Pipeline {
			ph.slots = append(ph.slots, newSlot(ph, c, len(ph.slots), within))
		}
	}
}

// launch starts the slots. The bounds of the window must be set.
func (ph *phase) launch(ctx context.Context) {
	for _, s := range ph.slots {
		ph.running.Go(func() { s.run(ctx) })
	}
	ph.most = ph.mostClients()
	if source, open := ph.source.(*openSource); open && ph.most > len(ph.clients) {
		ph.running.Go(func() { ph.grow(ctx, source) })
	}
	// goroutine: it ends with the slots, and whoever waits for over waits for it.
	go func() {
		ph.running.Wait()
		close(ph.over)
	}()
}

// closeNow ends the window now, or at the end that was known before if that has passed, and not before least: from now
// on operations are only waited for. Who has a later stamp than the end waits until it is said, however long this
// goroutine is held up between the two, and does not charge it to the window.
func (ph *phase) closeNow(least int64) {
	ph.saying.Lock()
	known := ph.end.Swap(unsaid)
	stamp := max(min(known, ph.clock.Now()), least)
	ph.window.End(stamp)
	ph.end.Store(stamp)
	ph.saying.Unlock()
	ph.close(stamp)
}

// close has operations only waited for, behind the end of the window.
func (ph *phase) close(end int64) {
	ph.source.stop(end)
	close(ph.soft)
}

// drain waits for what is in flight, at most for the drain's time or until halt or cut, and then
// cuts it off.
func (ph *phase) drain(halt context.Context, cut <-chan struct{}, cancel context.CancelFunc) {
	ph.await(halt, cut)
	cancel()
	// A slot that was between two attempts may begin one after a sweep; the next one gets it.
	sweep := time.NewTicker(10 * time.Millisecond)
	defer sweep.Stop()
	for {
		for _, s := range ph.all() {
			s.ctl.Interrupt()
		}
		select {
		case <-ph.over:
			return
		case <-sweep.C:
		}
	}
}

// await waits until nothing is in flight, the drain's time is over, or halt or cut.
func (ph *phase) await(halt context.Context, cut <-chan struct{}) {
	bound := time.NewTimer(ph.load.Drain)
	defer bound.Stop()
	news := time.NewTicker(tellEvery)
	defer news.Stop()
	for begun := ph.clock.Now(); ; ph.tell(ph.draining(begun)) {
		select {
		case <-ph.over:
			return
		case <-bound.C:
			return
		case <-halt.Done():
			return
		case <-cut:
			return
		case <-news.C:
		}
	}
}

// hangUp closes the clients.
func (ph *phase) hangUp() {
	ph.tell(Progress{Phase: "ending", Done: -1, Left: -1})
	var closing sync.WaitGroup
	for _, c := range ph.clients {
		closing.Go(c.Close)
	}
	closing.Wait()
}

// inFlight counts the operations in flight now.
func (ph *phase) inFlight() (n int64) {
	for _, s := range ph.all() {
		if s.ctl.InFlight() {
			n++
		}
	}
	return n
}

// flightTime returns for how long operations were in flight until now, which must be the present, summed over slots.
func (ph *phase) flightTime(now int64) (sum int64) {
	for _, s := range ph.all() {
		sum += s.ctl.FlightTime(now)
	}
	return sum
}
