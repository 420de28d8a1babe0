package engine

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/wake"
)

// stage is a set of clients under load: the warm-up's, or the main one with its ramp, its
// window and its drain.
type stage struct {
	name        string        // of its window, as a phase
	length      time.Duration // of its window; 0 when the number of operations ends it
	limit       int64         // of operations, or never
	load        *plan.Load
	clock       *op.Clock
	alarms      *wake.Scheduler
	connections *record.Connections
	samples     *record.Samples // nil when none are kept
	kinds       int

	clients []*client
	slots   []*slot
	source  source
	ramp    *record.Recorder // nil when there is none
	window  *record.Recorder

	begin int64         // of the load, a stamp
	start int64         // of the window
	end   atomic.Int64  // of the window; never while that is open
	soft  chan struct{} // closed when the window has ended
	over  chan struct{} // closed when every slot has ended
}

func newStage(e *runner, clients, firstNumber int) *stage {
	st := &stage{
		load: &e.Load, clock: e.clock, alarms: e.alarms, connections: e.connections,
		kinds: len(e.kinds), soft: make(chan struct{}), over: make(chan struct{}),
	}
	st.end.Store(never)
	for i := range clients {
		st.clients = append(st.clients, &client{Client: e.Workload.NewClient(firstNumber+i, st.load.Pipeline)})
	}
	return st
}

// recorder is the one that an operation belongs to.
func (st *stage) recorder(t turn) *record.Recorder {
	if t.early {
		return st.ramp
	}
	return st.window
}

func (st *stage) inside(stamp int64) bool { return stamp >= st.start && stamp < st.end.Load() }

// clip is the length of the part of from…to that lies inside the window.
func (st *stage) clip(from, to int64) int64 {
	return max(0, min(to, st.end.Load())-max(from, st.start))
}

// backoff is the pause after the n-th failed attempt (n from 0), a function of the seed.
func (st *stage) backoff(index uint64, n int) time.Duration {
	r := rand.New(rand.NewPCG(st.load.Seed^0xB0FF, index<<8|uint64(n)))
	b := backoff.Between{First: st.load.Retry.InitialBackoff, Last: st.load.Retry.MaxBackoff}
	return b.Pause(n, r.Int64N)
}

// makeSlots makes the clients' slots.
func (st *stage) makeSlots() {
	for _, c := range st.clients {
		for within := range st.load.Pipeline {
			st.slots = append(st.slots, newSlot(st, c, len(st.slots), within))
		}
	}
}

// launch starts the slots. The bounds of the window must be set.
func (st *stage) launch(ctx context.Context) {
	var running sync.WaitGroup
	for _, s := range st.slots {
		running.Go(func() { s.run(ctx) })
	}
	// goroutine: it ends with the slots, and whoever waits for over waits for it.
	go func() {
		running.Wait()
		close(st.over)
	}()
}

// close ends the window at this stamp: from now on operations are only waited for.
func (st *stage) close(stamp int64) {
	st.end.Store(stamp)
	st.window.End(stamp)
	st.source.stop(stamp)
	close(st.soft)
}

// drain waits for what is in flight, at most for the drain's time or until halt, and then
// cuts it off.
func (st *stage) drain(halt context.Context, cancel context.CancelFunc) {
	bound := time.NewTimer(st.load.Drain)
	defer bound.Stop()
	select {
	case <-st.over:
	case <-bound.C:
	case <-halt.Done():
	}
	cancel()
	// A slot that was between two attempts may begin one after a sweep; the next one gets it.
	sweep := time.NewTicker(10 * time.Millisecond)
	defer sweep.Stop()
	for {
		for _, s := range st.slots {
			s.ctl.Interrupt()
		}
		select {
		case <-st.over:
			return
		case <-sweep.C:
		}
	}
}

// hangUp closes the clients.
func (st *stage) hangUp() {
	var closing sync.WaitGroup
	for _, c := range st.clients {
		closing.Go(c.Close)
	}
	closing.Wait()
}

// inFlight counts the operations in flight now.
func (st *stage) inFlight() (n int64) {
	for _, s := range st.slots {
		if s.ctl.InFlight() {
			n++
		}
	}
	return n
}
