package engine

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/engine/wire"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/instrument"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
)

// Turn lets the window of a load go on in slices, so that another load of the same process has its turns in between.
//
// A slice ends for what is not due yet; what has begun is waited for. Then nothing of the load goes on, and its clock
// stands still until the next slice: all figures are those of its slices alone. The schedule of the open model does not
// go on while a slice drains. What no slot has to do then is in the ledger as waiting, and in the closed model as
// idle: a load's rate within its slices is that of the time which was not idle.
//
// Slice and Release belong to one goroutine, and so do Ready and Over; the run's own use of it is its own.
type Turn struct {
	ready   chan struct{} // closed when all slots have come to rest before the window
	over    chan struct{} // closed when no slot is left, or none ever came
	release chan struct{} // closed by Release
	bell    chan time.Time

	mu      sync.Mutex
	clock   *op.Clock
	times   *wire.Times // nil where the kernel stamps nothing
	window  *record.Recorder
	moves   func(by int64) // puts the schedule off; nil in the closed model
	pace    Pace
	alive   int           // slots
	resting []*rester     // those of them that have nothing to do
	until   atomic.Int64  // what is due behind it rests
	end     int64         // of the window, a stamp; never when its operations end it
	rung    bool          // the bell
	rested  chan struct{} // has an entry when all slots have come to rest
	since   int64         // when the slice began
	worked  int64         // by slots that have come to rest in this slice
	began   bool          // the first slice
	first   sync.Once     // they have come to rest
	last    sync.Once     // of them has ended

	used   *instrument.Part // within the slices
	slices int
}

// rester is a slot that may have nothing to do. Each has a wake-up of its own: at the beginning of a slice only those
// run that have something to do in it, and not all that look when it is their turn.
type rester struct {
	due       int64
	scheduled bool
	putOff    int64 // for how long its due was, while it rested
	worked    int64 // in the slice in which it came to rest
	waits     bool
	goes      chan struct{}
}

func newRester() *rester { return &rester{goes: make(chan struct{}, 1)} }

// Pace is how fast the warm-up went; 0: not known.
type Pace struct {
	Median time.Duration // service time
	PerS   float64       // operations that ended ok
}

// Slice is what a load came to in a slice.
type Slice struct {
	OK int64 // operations that ended ok
	// Busy is the time that they took: in the closed model that of all slots, until each came to rest; in the open one
	// the sum of their service times. OK ÷ Busy is how fast a slot, or the target, was.
	Busy   time.Duration
	Length time.Duration // with its drain
}

// NewTurn makes a turn for one run.
func NewTurn() *Turn {
	return &Turn{
		ready: make(chan struct{}), over: make(chan struct{}), release: make(chan struct{}),
		bell: make(chan time.Time, 1), rested: make(chan struct{}, 1), end: never, used: instrument.NewPart(),
	}
}

// takesTurns refuses a load that depends on how long ago it began.
func takesTurns(load *plan.Load) error {
	what := ""
	switch {
	case load.Ramp > 0:
		what = "a ramp"
	case load.Staged():
		what = "stages"
	case load.Arrivals == plan.AsRecorded:
		what = "recorded times"
	default:
		return nil
	}
	return fault.New(fault.Usage, "a load with %s cannot be interleaved in slices", what).
		Hint("omit it, or alternate whole runs with --interleave runs")
}

// Ready is closed when the window can begin: the clients are connected, and the warm-up is over.
func (t *Turn) Ready() <-chan struct{} { return t.ready }

// Over is closed when nothing of the load goes on any more, however that came.
func (t *Turn) Over() <-chan struct{} { return t.over }

// Release has the run sum up, which would otherwise take the CPU from the other's last slice.
func (t *Turn) Release() { close(t.release) }

// Pace is how fast the warm-up went.
func (t *Turn) Pace() Pace {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pace
}

// Slice lets the load go on for so long, and waits until all that began has ended. False: it has no more to do, or ctx
// has ended.
func (t *Turn) Slice(ctx context.Context, length time.Duration) (Slice, bool) {
	t.mu.Lock()
	if t.alive == 0 || t.rung {
		t.mu.Unlock()
		return Slice{}, false
	}
	ok, service := t.window.OK(), t.window.ServiceTime()
	t.used.Begin()
	t.open(length)
	t.slices++
	t.mu.Unlock()

	if !t.wait(ctx) {
		return Slice{}, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clock.Hold()
	t.used.End()
	slice := Slice{
		OK: t.window.OK() - ok, Busy: time.Duration(t.worked), Length: time.Duration(t.clock.Now() - t.since),
	}
	if t.moves != nil {
		slice.Busy = t.window.ServiceTime() - service
	}
	return slice, true
}

// open begins a slice, for those who have something to do in it.
func (t *Turn) open(length time.Duration) {
	by := int64(0) // for which the slice before drained
	if t.began && t.moves != nil {
		by = max(0, t.clock.Now()-t.until.Load())
		t.moves(by)
	}
	select {
	case <-t.rested:
	default:
	}
	t.clock.Go()
	if t.times != nil {
		t.times.Skip(t.clock.Held())
	}
	t.since = t.clock.Now()
	t.began, t.worked = true, 0
	t.until.Store(min(t.since+int64(length), t.end))
	left := t.resting[:0]
	for _, r := range t.resting {
		if r.scheduled {
			r.putOff, r.due = r.putOff+by, r.due+by
		}
		if r.worked = 0; !t.goes(r.due) {
			left = append(left, r)
			continue
		}
		r.waits = false
		r.goes <- struct{}{}
	}
	clear(t.resting[len(left):])
	t.resting = left
}

// wait waits for the end of the slice, and until all slots have come to rest, or have ended.
func (t *Turn) wait(ctx context.Context) bool {
	for {
		t.mu.Lock()
		left := t.until.Load() - t.clock.Now()
		done := left <= 0 && len(t.resting) == t.alive
		if left <= 0 && t.until.Load() >= t.end && !t.rung {
			t.ring()
		}
		last := t.rung
		t.mu.Unlock()
		if done && !last {
			return true
		}
		var timer *time.Timer
		var due <-chan time.Time
		if left > 0 {
			timer = time.NewTimer(time.Duration(left))
			due = timer.C
		}
		select {
		case <-due:
		case <-t.rested:
		case <-t.over:
			return true
		case <-ctx.Done():
			return false
		}
		if timer != nil {
			timer.Stop()
		}
	}
}

// begin takes the slots of a phase, before they are launched, while the clock stands still.
func (t *Turn) begin(ph *phase, times *wire.Times, pace Pace) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clock, t.times, t.window, t.pace, t.alive = ph.clock, times, ph.window, pace, len(ph.slots)
	t.until.Store(ph.start - 1)
	if ph.length > 0 {
		t.end = ph.start + int64(ph.length)
	}
	if s, open := ph.source.(*openSource); open {
		t.moves = s.putOff
	}
}

// join says that n more slots are at work.
func (t *Turn) join(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.alive += n
}

// rest holds a slot until what is due at a stamp may begin, and gives by how much the schedule was put off meanwhile.
// The end of the window ends it.
func (t *Turn) rest(r *rester, due int64, scheduled bool, soft <-chan struct{}) (putOff int64) {
	t.mu.Lock()
	if t.goes(due) {
		t.mu.Unlock()
		return 0
	}
	r.due, r.scheduled, r.putOff, r.waits = due, scheduled, 0, true
	t.resting = append(t.resting, r)
	r.worked = t.stopped()
	t.mu.Unlock()
	select {
	case <-r.goes:
		return r.putOff
	case <-soft:
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !r.waits { // a slice has begun
		<-r.goes
		return r.putOff
	}
	r.waits = false
	t.resting = slices.DeleteFunc(t.resting, func(other *rester) bool { return other == r })
	t.worked -= r.worked // which is counted anew when it leaves
	return r.putOff
}

// goes reports whether what is due at a stamp may begin in the slice that goes on.
func (t *Turn) goes(due int64) bool { return due <= t.until.Load() }

// stopped says that a slot has nothing more to do in this slice, in which it worked for so long.
func (t *Turn) stopped() (worked int64) {
	if t.began {
		worked = t.clock.Now() - t.since
		t.worked += worked
	}
	if len(t.resting) < t.alive {
		return worked
	}
	t.first.Do(func() { close(t.ready) })
	select {
	case t.rested <- struct{}{}:
	default:
	}
	return worked
}

// leave says that a slot has ended.
func (t *Turn) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.alive--
	t.stopped()
	if t.alive == 0 {
		t.last.Do(func() { close(t.over) })
		t.ring() // a window of which all slots were cut off would wait for its end
	}
}

// ring ends the window.
func (t *Turn) ring() {
	t.rung = true
	select {
	case t.bell <- time.Time{}:
	default:
	}
}

// wound waits for Release, behind a window that nobody interrupted.
func (t *Turn) wound(ctx context.Context, stop <-chan struct{}) {
	select {
	case <-t.release:
	case <-stop:
	case <-ctx.Done():
	}
}

// close says that the run is over, also if it never had a window.
func (t *Turn) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.alive = 0
	t.last.Do(func() { close(t.over) })
}

// tell has what was recorded say that it is of the slices alone.
func (t *Turn) tell(run *record.Run) {
	t.mu.Lock()
	defer t.mu.Unlock()
	run.Reading.Only(t.used, time.Duration(run.End-run.Start))
	run.Turns, run.Held = t.slices, t.clock.Held()
}
