package throughput

import (
	"math"
	"time"
)

// A prober asks a connection of the operating system. It is called under the lock of the
// attempt. An error means that the connection is gone or cannot be asked.
type prober interface {
	probe() (look, error)
}

// A look is what a prober saw.
type look struct {
	queue  int64         // bytes written to the socket and not yet acknowledged
	acked  int64         // bytes acknowledged on the connection so far; -1 if unknown
	minRTT time.Duration // 0 if unknown
	rate   float64       // delivery rate in bytes per second, 0 if unknown
}

// How the queue is polled. Each poll costs about 2 µs, and an upload some 3 or 4 of them.
const (
	pollShare = 0.9                    // of the time that the queue should need
	pollFloor = 200 * time.Microsecond // between two polls
	pollGrain = 0.005                  // of what has passed, if that is longer
	maxPolls  = 64                     // then the answer is awaited without looking

	// tail is what a receiver may have and not acknowledge yet: two segments.
	tail = 2 * 1448

	// quickWrite is in what time a request is written that nothing can be told of if the answer
	// comes at once.
	quickWrite = time.Millisecond

	// Below this a timer of the runtime, which may be a millisecond late in an idle process,
	// is too coarse, and the goroutine naps in the kernel.
	timerSlack = time.Millisecond

	// extrapolationError is how far the rate at which the queue empties may at least be from
	// the one seen so far.
	extrapolationError = 0.33
)

// A drain finds out when a socket's queue has become empty from looks at it. The moment lies
// between the last look that saw something in it and the first that did not.
//
// Neither a queue that stands still nor its tail counts as something: a receiver may
// acknowledge what it has as much as 40 ms late, and a look that finds it waiting says nothing
// of when it arrived. So the last look before that, and the rate, foretell the moment, and the
// difference to when the queue was seen empty is the error.
//
// The rate is that of the acknowledgements, between two looks or from when the first could
// come. The kernel's own estimate is used only until then: after a small request it is too
// low by any factor.
type drain struct {
	bytes    int64
	first    time.Duration // when the first piece was taken from the body
	at       time.Duration // of the last one that also found more than the tail
	queue    int64         // then
	seen     time.Duration // of the last look that found less than the one before
	left     int64         // the queue then
	rate     float64
	mean     float64 // from the beginning
	measured int     // how often the rate was
	lump     int64   // as much is acknowledged together: the queue may be shorter by that
	still    int     // looks in a row without progress
	polls    int
}

// start begins with a body whose pieces were taken from first to last. When the last was
// taken it was certainly not acknowledged, and when the first was, nothing.
func (d *drain) start(first, last time.Duration, bytes int64) {
	*d = drain{bytes: bytes, first: first, at: last, seen: first, left: bytes}
}

// saw takes a look that found something, and returns how long to wait for the next, or
// false if enough is enough. A look that finds the queue as long as the one before changes
// nothing but the wait: what is in it may have arrived, and only be acknowledged late.
func (d *drain) saw(at time.Duration, l look) (time.Duration, bool) {
	d.polls++
	progress := d.left - l.queue
	since := max(d.seen, d.first+l.minRTT)
	if progress > 0 && at > since {
		d.rate, d.measured = float64(progress)/(at-since).Seconds(), d.measured+1
	}
	if begun := d.first + l.minRTT; at > begun {
		d.mean = float64(d.bytes-l.queue) / (at - begun).Seconds()
	}
	if d.measured == 0 {
		d.rate = l.rate
	}
	if progress > 0 && d.still > 0 { // it stood still before: acknowledgements come in lumps
		d.lump = max(d.lump, progress)
	}
	d.still++
	if progress > 0 || d.polls == 1 {
		d.seen, d.left, d.still = at, l.queue, 0
		if l.queue > tail || d.polls == 1 {
			d.at, d.queue = at, l.queue
		}
	}
	return d.wait(at, l.minRTT), d.polls < maxPolls
}

// wait is never longer than what has passed, or one round trip: a look that comes too late
// because the rate was still growing costs the accuracy, one too many costs 2 µs. Nor is it
// shorter than what would be seen in the result.
func (d *drain) wait(at, minRTT time.Duration) time.Duration {
	elapsed := at - d.first
	floor := max(pollFloor, time.Duration(pollGrain*float64(elapsed)))
	w := floor
	if d.rate > 0 {
		w = max(w, time.Duration(pollShare*float64(d.left)/d.rate*float64(time.Second)))
	}
	if d.still > 0 { // a receiver that does not read, or a late acknowledgement
		w = max(w, floor<<min(d.still, 10))
	}
	return min(w, max(floor, minRTT, elapsed))
}

// empty takes the look that found nothing, and returns when the queue became empty and how
// far that may be off: by as much of the time foretold as the rate was not steady, by what
// the queue needed more or less than that, and by half of what is acknowledged together.
func (d *drain) empty(at time.Duration) (moment, doubt time.Duration) {
	d.polls++
	span := max(at-d.at, 0)
	if d.measured == 0 || d.rate <= 0 {
		return d.at + span/2, span / 2
	}
	foretold := time.Duration(float64(d.queue) / d.rate * float64(time.Second))
	unsteady := 1.0
	if d.measured > 1 {
		unsteady = min(max(math.Abs(d.rate-d.mean)/d.rate, extrapolationError), 1)
	}
	off := min(max(foretold-span, span-foretold), span)
	foretold = min(foretold, span)
	lump := time.Duration(float64(d.lump) / d.rate * float64(time.Second))
	return d.at + foretold, off + lump/2 + time.Duration(unsteady*float64(foretold))
}

// watch begins when the request was written. What was written within a millisecond is first
// looked at a little later: if the answer has come by then, nothing could have been told, and
// nothing was spent on it. The caller holds the lock.
func (a *attempt) watch() {
	t := &a.timeline
	last, ok := a.sent.last.get().Offset()
	if !ok || a.conn == nil || a.gaveUp || t.FirstResponseByte.Happened() {
		return // no body, nobody to ask, or a server that did not wait for the body
	}
	first, _ := a.sent.first.get().Offset()
	now, _ := a.now().Offset()
	a.drain.start(first, last, a.sent.bytes.Load())
	next, more := pollFloor, true
	if now-first >= quickWrite {
		next, more = a.lookAgain()
		if a.drain.polls > 0 && !t.Drained.Happened() {
			t.Queued = SizeOf(a.drain.left)
		}
	}
	if more {
		a.polling = true
		a.timer = time.AfterFunc(timerTime(next), a.poll)
	}
}

// timerTime leaves the last of a wait to the kernel's timer, unless the wait is so short that
// the answer may spare it: then being late does not matter, as nothing can be told of it.
func timerTime(wait time.Duration) time.Duration {
	if wait > 2*timerSlack {
		return wait - timerSlack
	}
	return wait
}

// poll looks until the queue is empty, the answer has come, or the connection is gone. It
// runs on a goroutine of its own only while it looks.
func (a *attempt) poll() {
	for {
		a.mu.Lock()
		next, more := a.lookAgain()
		if !more {
			a.polling = false
			a.unlockAndDeliver()
			return
		}
		if next > 2*timerSlack {
			a.timer.Reset(timerTime(next))
			a.mu.Unlock()
			return
		}
		a.mu.Unlock()
		a.exchange.transport.sleep(next)
	}
}

// lookAgain looks once. It returns how long to wait for the next look, and whether there is
// to be one. The caller holds the lock.
func (a *attempt) lookAgain() (time.Duration, bool) {
	if a.stopped || a.conn == nil {
		return 0, false
	}
	if a.probe == nil {
		if a.probe = a.exchange.transport.connection(a.conn); a.probe == nil {
			a.conn = nil
			return 0, false
		}
	}
	l, err := a.probe.probe()
	if err != nil {
		return 0, false
	}
	a.note(l)
	now, _ := a.now().Offset()
	if l.queue == 0 {
		a.drained(now, l)
		return 0, false
	}
	return a.drain.saw(now, l)
}

// lastLook is due when the answer begins. The caller holds the lock.
func (a *attempt) lastLook() {
	if a.drain.polls > 0 && !a.stopped {
		a.lookAgain()
	}
	a.stopPolling()
}

// stopPolling ends the watch. If the timer cannot be stopped its function is about to run,
// and ends by itself. The caller holds the lock.
func (a *attempt) stopPolling() {
	if !a.polling {
		return
	}
	a.stopped = true
	if a.timer.Stop() {
		a.polling = false
	}
}

func (a *attempt) drained(now time.Duration, l look) {
	moment, doubt := a.drain.empty(now)
	t := &a.timeline
	t.Drained, t.DrainedError, t.Polls = At(moment), doubt, a.drain.polls
	if a.base >= 0 && l.acked >= a.base {
		t.WireBytes = SizeOf(l.acked - a.base)
	}
	a.stopped = true
}

func (a *attempt) note(l look) {
	if l.minRTT > 0 {
		a.timeline.MinRTT = l.minRTT
	}
	a.timeline.Polls = a.drain.polls
}

func (t *Transport) sleep(d time.Duration) {
	if t == nil {
		nap(d)
		return
	}
	t.system.sleep(d)
}
