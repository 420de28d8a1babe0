package throughput

import "time"

// quickWrite is in what time a request is written that nothing can be told of if the answer
// comes at once.
const quickWrite = time.Millisecond

// Below timerSlack a timer of the runtime, which may be a millisecond late in an idle process,
// is too coarse, and the goroutine naps in the kernel.
const timerSlack = time.Millisecond

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
		a.due = now + next
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
		now, _ := a.now().Offset()
		if rest := a.due - now; rest > 0 && !a.stopped { // a timer that was not late
			a.mu.Unlock()
			a.exchange.transport.sleep(rest)
			continue
		}
		next, more := a.lookAgain()
		if !more {
			a.polling = false
			a.unlockAndDeliver()
			return
		}
		a.due = now + next
		if next > 2*timerSlack {
			a.timer.Reset(timerTime(next))
			a.mu.Unlock()
			return
		}
		a.mu.Unlock()
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
	if err != nil || l.queue < 0 {
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
