package wake

import (
	"container/heap"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Scheduler calls functions at set times, in the order of the times.
type Scheduler struct {
	epoch   time.Time
	sleeper sleeper
	lead    time.Duration // before a call, for which the clock is watched
	least   time.Duration // the shortest sleep that is cut short by the lead
	thread  bool          // of its own: it gives the processor to no other goroutine between
	exact   bool          // it watches the clock before each call, for the lead that it has learned
	yield   func()        // lets others run while it watches the clock
	changed atomic.Bool   // there is another first alarm, or an end, since the last look
	done    chan struct{}

	mu     sync.Mutex
	set    alarms
	seq    uint64
	closed bool
}

// sleeper lets one goroutine sleep and others cut its sleep short.
type sleeper interface {
	// sleep returns after d, or soon after kick, whether that was called before or during it.
	sleep(d time.Duration)
	kick()
	close()
}

// forever is how long the scheduler sleeps when nothing is due.
const forever = time.Hour

// New starts a scheduler that is as precise as the system allows at little cost.
//
// After a sleep of longSleep or more the processor is likely to be asleep too, and takes
// some tens of microseconds to come back. The scheduler then gets up early by lead, and
// watches the clock for the rest: at most a fifteenth of a processor's time.
func New() *Scheduler {
	s := scheduler(newSleeper())
	s.lead, s.least = lead, longSleep
	return s.start(nil)
}

const (
	lead      = 70 * time.Microsecond
	longSleep = time.Millisecond
)

// Pacing is how a pacer waits.
type Pacing struct {
	// Spin has it watch the clock for the last Lead before each call: calls are late by a microsecond then as long as
	// it has a processor, and by what waking costs without.
	Spin bool
	// Realtime has its thread run before all others that may (SCHED_FIFO), where the system allows it.
	Realtime bool
}

// Lead is how long before a call a spinning pacer gets up.
const Lead = 60 * time.Microsecond

// NewPacer starts a scheduler on a thread of its own, for functions that themselves do what is due. To wake
// goroutines New is quicker: what they have to do is far from this thread. The error says that
// real-time priority is not to be had.
func NewPacer(p Pacing) (*Scheduler, error) {
	s := scheduler(newThreadSleeper())
	s.thread = true
	if p.Spin {
		s.lead = Lead
	}
	ready := make(chan error)
	s.start(func() { ready <- ownThread(p.Realtime) })
	if err := <-ready; err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// NewPortable starts a scheduler on the runtime's timers alone, for tests under a fake clock.
func NewPortable() *Scheduler { return scheduler(newTimerSleeper()).start(nil) }

func scheduler(sl sleeper) *Scheduler {
	return &Scheduler{epoch: time.Now(), sleeper: sl, yield: runtime.Gosched, done: make(chan struct{})}
}

// start starts the scheduler's goroutine, which calls first before all else, unless that is nil.
func (s *Scheduler) start(first func()) *Scheduler {
	// goroutine: Close waits for done.
	go func() {
		defer close(s.done)
		if first != nil {
			first()
		}
		s.run()
	}()
	return s
}

// Alarm makes an alarm that calls f; it is not set yet.
func (s *Scheduler) Alarm(f func()) *Alarm { return &Alarm{s: s, f: f, index: unset} }

// At calls f once, at the time t or at once if that has passed.
func (s *Scheduler) At(t time.Time, f func()) { s.Alarm(f).Set(t) }

// Alarm is a function with the time of its next call.
type Alarm struct {
	s     *Scheduler
	f     func()
	at    time.Duration // since the scheduler's epoch
	seq   uint64
	index int // in the heap, or unset
}

const unset = -1

// Set sets the next call to the time t, or to now if that has passed, in place of the one
// that was set before and has not come. Alarms that are due at the same time keep the order
// in which they were set. It allocates nothing once the scheduler has grown.
func (a *Alarm) Set(t time.Time) {
	s := a.s
	s.mu.Lock()
	s.seq++
	a.at, a.seq = t.Sub(s.epoch), s.seq
	if a.index == unset {
		heap.Push(&s.set, a)
	} else {
		heap.Fix(&s.set, a.index)
	}
	first := a.index == 0
	s.mu.Unlock()
	if first {
		s.lookAgain()
	}
}

// Stop takes back what was set. A call that is under way may still come.
func (a *Alarm) Stop() {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	if a.index != unset {
		heap.Remove(&a.s.set, a.index)
	}
}

// Close stops the scheduler, drops the calls that are not yet due, and waits for the one
// that runs.
func (s *Scheduler) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.lookAgain()
	<-s.done
	s.sleeper.close()
}

// lookAgain has the scheduler look again at what is due first.
func (s *Scheduler) lookAgain() {
	s.changed.Store(true)
	s.sleeper.kick()
}

func (s *Scheduler) run() {
	early := false
	for {
		f, wait, ok := s.next()
		switch {
		case !ok:
			return
		case f != nil:
			early = false
			f()
			if !s.thread {
				// Whom f woke runs now, and not after the system calls of the next sleep.
				runtime.Gosched()
			}
		case s.thread && wait <= s.lead:
			s.spin(wait)
		case (early || s.exact) && wait <= s.lead:
			s.yield()
		case s.exact:
			s.sleepToLead(wait)
		case wait >= s.least:
			s.sleeper.sleep(wait - s.lead)
			early = true
		default:
			s.sleeper.sleep(wait)
		}
	}
}

// spin watches the clock for so long, or until there is something else to look at.
func (s *Scheduler) spin(d time.Duration) {
	for from := time.Now(); !s.changed.Load() && time.Since(from) < d; {
	}
}

// next gives the function that is due, or how long to wait for one; ok is false at the end.
func (s *Scheduler) next() (f func(), wait time.Duration, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed.Store(false)
	if s.closed {
		return nil, 0, false
	}
	if len(s.set) == 0 {
		return nil, forever, true
	}
	if wait = s.set[0].at - time.Since(s.epoch); wait > 0 {
		return nil, wait, true
	}
	return heap.Pop(&s.set).(*Alarm).f, 0, true
}

// alarms is a heap, the next to ring first.
type alarms []*Alarm

func (h alarms) Len() int { return len(h) }

func (h alarms) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].seq < h[j].seq
}

func (h alarms) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *alarms) Push(x any) {
	a := x.(*Alarm)
	a.index = len(*h)
	*h = append(*h, a)
}

func (h *alarms) Pop() any {
	old := *h
	a := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	a.index = unset
	return a
}

// timerSleeper sleeps on a timer of the runtime.
type timerSleeper struct {
	timer  *time.Timer
	kicked chan struct{}
}

func newTimerSleeper() *timerSleeper {
	return &timerSleeper{timer: time.NewTimer(forever), kicked: make(chan struct{}, 1)}
}

func (t *timerSleeper) sleep(d time.Duration) {
	t.timer.Reset(d)
	select {
	case <-t.timer.C:
	case <-t.kicked:
	}
}

func (t *timerSleeper) kick() {
	select {
	case t.kicked <- struct{}{}:
	default:
	}
}

func (t *timerSleeper) close() { t.timer.Stop() }
