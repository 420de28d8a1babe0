package throughput

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// quickWrite is in what time a request is written that nothing can be told of if the answer
// comes at once.
const quickWrite = time.Millisecond

// When the queue of such a request is first looked at. Nothing that takes less than 4 ms in all
// can be told within Tolerance.
const (
	firstWait = time.Millisecond
	// quickWait is for a request that will be answered sooner, as the one before it was. While a
	// timer is due before the kernel's next tick (4 ms, mostly), the kernel sets a timer of its own
	// each time that the process sleeps: on a virtual machine that is 1 µs for each request.
	quickWait = 5 * time.Millisecond
)

// Below timerSlack a timer of the runtime, which may be a millisecond late in an idle process,
// is too coarse, and the goroutine naps in the kernel.
const timerSlack = time.Millisecond

// A watch looks at the queue of an attempt's connection. It is under the attempt's lock.
type watch struct {
	probe prober
	path  *path // nil if it is not known
	port  uint16
	base  int64 // bytes acknowledged on the connection before the attempt; -1 if unknown
	began look  // at the attempt's beginning; zero if it was not asked
	drain drain
	timer *time.Timer   // of the looks after the first
	due   time.Duration // when the next look is
}

// looking is how far an attempt is with its looks. It is one byte, as each attempt has it.
type looking uint8

const (
	notAtAll looking = iota
	awaited          // it waits for the first look, among others
	polled           // a timer is set, or a goroutine looks
)

// openWatch returns the attempt's watch, or nil if its connection cannot be asked. The caller holds
// the lock.
func (a *attempt) openWatch() *watch {
	if a.watch == nil && a.conn != nil {
		if p := a.exchange.transport.system.probe(a.conn); p != nil {
			a.watch = &watch{probe: p, base: -1}
			a.watch.path, a.watch.port = a.exchange.transport.paths.of(a.conn)
		} else {
			a.conn = nil
		}
	}
	return a.watch
}

// follow begins when the request was written. What was written within a millisecond is first
// looked at a little later: if the answer has come by then, nothing could have been told, and
// nothing was spent on it. The caller holds the lock.
func (a *attempt) follow() {
	t := &a.timeline
	if a.sendsCopy() {
		return // its reads say nothing of when it was sent
	}
	written, _ := t.RequestWritten.Offset()
	first, ok := a.sent.first.get().Offset()
	if !ok || !a.sent.last.get().Happened() || a.conn == nil || a.gaveUp || t.FirstResponseByte.Happened() {
		return // no body, nobody to ask, or a server that did not wait for the body
	}
	if written-first < quickWrite {
		a.looking = awaited
		a.exchange.transport.first.add(a, a.sent.start.Add(written))
		return
	}
	next, more := a.lookAgain()
	if w := a.watch; w != nil && w.drain.polls > 0 && !t.Drained.Happened() {
		t.Queued = SizeOf(w.drain.left)
	}
	if more {
		a.looking = polled
		a.lookIn(next)
	}
}

// firstLooks waits with one timer for the first looks of all attempts, most of which have been
// answered by then. A timer for each of them was half of what an attempt cost: 1.7 µs, much of it
// for waking a thread that waits for the network.
type firstLooks struct {
	quick atomic.Bool // the last request was answered before its look

	mu      sync.Mutex
	waiting []firstLook // those that were answered are still there
	fires   time.Time   // when the timer does
}

type firstLook struct {
	attempt *attempt
	due     time.Time
}

// add lets an attempt wait whose request was written at a time. The caller holds its lock.
func (f *firstLooks) add(a *attempt, written time.Time) {
	look := firstLook{a, written.Add(firstWait)}
	if f.quick.Load() {
		look.due = written.Add(quickWait)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting = append(f.waiting, look)
	f.set(written, look.due)
}

// set sets the timer unless it fires in time. One that should have fired is late, or belongs to
// a test with a clock of its own that is over: it is not relied on. The caller holds the lock.
func (f *firstLooks) set(now, due time.Time) {
	if f.fires.After(now) && !f.fires.After(due) {
		return
	}
	f.fires = due
	time.AfterFunc(due.Sub(now), f.fire)
}

// fire begins the polling of the attempts that are due, and forgets those that were answered.
func (f *firstLooks) fire() {
	f.mu.Lock()
	looks := f.waiting
	f.waiting = nil
	f.mu.Unlock() // who adds an attempt holds the lock of that
	now, next := time.Now(), time.Time{}
	looks = slices.DeleteFunc(looks, func(l firstLook) bool {
		waits := l.attempt.firstLook(l.due.Sub(now))
		if waits && (next.IsZero() || l.due.Before(next)) {
			next = l.due
		}
		return !waits
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting = append(looks, f.waiting...)
	if !next.IsZero() {
		f.set(now, next)
	}
}

// answered tells how long after its writing a request was answered that still waited.
func (f *firstLooks) answered(after time.Duration) {
	if quick := after < firstWait; quick != f.quick.Load() {
		f.quick.Store(quick)
	}
}

// firstLook begins to poll if nothing is left of the wait. It reports whether the attempt waits on.
func (a *attempt) firstLook(left time.Duration) bool {
	if !a.lock() {
		return false
	}
	defer a.mu.Unlock()
	if a.looking == awaited && left <= 0 {
		a.looking = polled
		a.exchange.transport.first.quick.Store(false)
		// goroutine: it ends with its attempt, in which nobody may wait: the attempt is the application's own.
		go a.poll()
	}
	return a.looking == awaited
}

// lookIn sets the timer of the next look. The caller holds the lock.
func (a *attempt) lookIn(wait time.Duration) {
	now, _ := a.now().Offset()
	a.watch.due = now + wait
	if wait > 2*timerSlack { // the last of it is left to the kernel's timer
		wait -= timerSlack
	}
	if a.watch.timer == nil {
		a.watch.timer = time.AfterFunc(wait, a.poll)
	} else {
		a.watch.timer.Reset(wait)
	}
}

// poll looks until the queue is empty, the answer has come, or the connection is gone. It
// runs on a goroutine of its own only while it looks.
func (a *attempt) poll() {
	for {
		a.mu.Lock()
		now, _ := a.now().Offset()
		if w := a.watch; w != nil && w.due > now && !a.stopped { // a timer that was not late
			rest := w.due - now
			a.mu.Unlock()
			a.exchange.transport.system.sleep(rest)
			continue
		}
		next, more := a.lookAgain()
		if !more {
			a.looking = notAtAll
			a.unlockAndDeliver()
			return
		}
		if next > 2*timerSlack {
			a.lookIn(next)
			a.mu.Unlock()
			return
		}
		a.watch.due = now + next
		a.mu.Unlock()
	}
}

// lookAgain looks once. It returns how long to wait for the next look, and whether there is
// to be one. The caller holds the lock.
func (a *attempt) lookAgain() (time.Duration, bool) {
	if a.stopped {
		return 0, false
	}
	w := a.openWatch()
	if w == nil {
		return 0, false
	}
	if w.drain.polls == 0 {
		first, _ := a.sent.first.get().Offset()
		last, _ := a.sent.last.get().Offset()
		waited, _ := a.sent.waited()
		w.drain.start(first, last, min(waited, last-first), a.sent.bytes.Load())
	}
	asked := time.Since(a.sent.start)
	l, err := w.probe.probe()
	if err != nil || l.queue < 0 {
		return 0, false
	}
	l.asked, l.told = asked, time.Since(a.sent.start)
	if w.due > 0 {
		l.late = max(l.asked-w.due, 0)
	}
	l.minRTT, l.minRTTError = w.leastRTT(l.minRTT)
	if l.minRTT > 0 {
		a.timeline.MinRTT, a.timeline.MinRTTError = l.minRTT, l.minRTTError
	}
	if l.queue == 0 {
		a.drained(l)
		return 0, false
	}
	next, more := w.drain.saw(l)
	a.timeline.Polls = w.drain.polls
	return next, more
}

// lastLook is due when the answer begins. The caller holds the lock.
func (a *attempt) lastLook() {
	if a.watch != nil && a.watch.drain.polls > 0 && !a.stopped {
		a.lookAgain()
	}
	if a.looking == awaited {
		a.exchange.transport.first.answered(time.Duration(a.timeline.FirstResponseByte - a.timeline.RequestWritten))
	}
	a.stopPolling()
}

// lookOn begins again where an answer that was not the final one had ended it. The caller holds the lock.
func (a *attempt) lookOn() {
	t := &a.timeline
	a.stopped = t.Drained.Happened()
	if a.stopped || a.looking != notAtAll || !t.RequestWritten.Happened() {
		return
	}
	if a.watch == nil || a.watch.drain.polls == 0 {
		a.follow()
		return
	}
	a.looking = polled
	a.lookIn(pollFloor)
}

// stopPolling ends the watch. If the timer cannot be stopped its function is about to run, and
// ends by itself; so does a goroutine that looks. The caller holds the lock.
func (a *attempt) stopPolling() {
	if a.looking == notAtAll {
		return
	}
	a.stopped = true
	if a.looking == awaited || a.watch != nil && a.watch.timer != nil && a.watch.timer.Stop() {
		a.looking = notAtAll
	}
}

func (a *attempt) drained(l look) {
	w, t := a.watch, &a.timeline
	a.stopped = true
	if w.base >= 0 && l.acked >= w.base && l.acked-w.base < a.sent.bytes.Load() {
		return // a layer above the socket still has some of it
	}
	moment, doubt := w.drain.empty(l)
	t.Drained, t.DrainedError, t.Polls = At(moment), doubt, w.drain.polls
	if w.base >= 0 && l.acked >= w.base {
		t.WireBytes = SizeOf(l.acked - w.base)
	}
	if l.counted && w.began.counted {
		t.Sending = l.sending.since(w.began.sending)
	}
	if a.place != nil {
		a.place.was = a.exchange.transport.lanes.alone(a.place)
	}
}
