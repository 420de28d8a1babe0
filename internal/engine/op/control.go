package op

import (
	"sync/atomic"
	"time"
)

// Control is the engine's side of a slot's attempts: it begins them, bounds them and reads
// their stamps. One goroutine owns it: the slot's, or, from when the slot has set an alarm that is to send until that
// has sent or handed back, the alarm's. InFlight and Interrupt may be called from any goroutine.
type Control struct {
	Attempt

	timeout int64
	timer   *time.Timer
	armed   atomic.Bool
	cut     func(why *Failure)
	spent   int64 // of the attempt's time, on the connections before the present one
	reads   bool  // the workload reads the answer where it performs the attempt
}

// NewControl makes the control of a slot whose attempts may take timeout each. cut is called
// when an attempt that has not been sent ended, with why: it makes the workload's send return.
func NewControl(clock *Clock, timeout time.Duration, cut func(why *Failure)) *Control {
	c := &Control{
		Attempt: Attempt{clock: clock, ended: make(chan struct{}, 1), flight: flight{clock: clock}},
		timeout: int64(timeout),
		cut:     cut,
	}
	c.timer = time.AfterFunc(timeout, c.fire)
	c.timer.Stop()
	return c
}

// Reads says that the workload reads the answers itself, where it performs attempts: what ends one otherwise has to cut
// it, also when it was sent.
func (c *Control) Reads() { c.reads = true }

// Intend says when the operation of the attempts that follow was to start.
func (c *Control) Intend(stamp int64) { c.due = stamp }

// Measure says whether the operation of the attempts that follow belongs to the window.
func (c *Control) Measure(is bool) { c.measured = is }

// Begin starts an attempt at the stamp start, which must be the present.
//
// Its timer is set lazily: one that is running is left to fire, and then sets itself again
// for what remains. So an attempt costs no timer operation, and the timer fires about once
// per timeout.
func (c *Control) Begin(start int64) {
	c.start, c.begun, c.rounds = start, start, c.rounds[:0]
	c.sent.Store(unsent)
	c.first.Store(0)
	c.over.Store(0)
	c.last.Store(0)
	c.taken, c.moved = false, 0
	left := max(c.timeout-c.spent, 1)
	c.deadline.Store(start + left)
	state := c.state.Load()
	c.flight.enter(state%phases == failed)
	c.state.Store(state/phases*phases + phases + open)
	if c.armed.CompareAndSwap(false, true) {
		c.arm(left)
	}
}

// GoOn says that the next Begin goes on with the attempt that has ended: that has had a part of its time.
func (c *Control) GoOn() { c.spent += c.end - c.start }

// Anew says that the next Begin is that of another attempt.
func (c *Control) Anew() { c.spent = 0 }

func (c *Control) arm(after int64) { c.timer.Reset(time.Duration(after)) }

// A timer that is later than tardy tells that the generator did not run. Whoever reads answers then gets
// grace to find one that came meanwhile.
const (
	tardy = int64(5 * time.Millisecond)
	grace = int64(20 * time.Millisecond)
)

// fire runs on the timer's goroutine, one at a time.
func (c *Control) fire() {
	state := c.state.Load()
	left := c.deadline.Load() - c.clock.Now()
	// The deadline belongs to the state only if no attempt began between the two loads.
	if state == c.state.Load() && state%phases == open && left <= 0 {
		if -left > tardy && c.late.Swap(state) != state {
			c.arm(grace)
			return
		}
		c.expire(state, ErrTimeout)
		state = c.state.Load()
	}
	if c.runs(state) {
		c.arm(max(left, 1))
		return
	}
	// A Begin that comes now sees armed and leaves the timer alone, or comes after the store
	// and sets it; the second look finds the first kind.
	c.armed.Store(false)
	if c.runs(c.state.Load()) && c.armed.CompareAndSwap(false, true) {
		c.arm(max(c.deadline.Load()-c.clock.Now(), 1))
	}
}

// runs reports whether the time of the attempt that the state names may run out.
func (c *Control) runs(state uint64) bool { return state%phases == open && c.over.Load() == 0 }

// expire ends the attempt that the state names, and unblocks its sender: before it says so, since the slot may begin
// another attempt as soon as it knows, which nobody has to cut.
func (c *Control) expire(state uint64, why *Failure) {
	stuck := c.reads || c.sent.Load() == unsent
	if c.over.Load() != 0 || !c.close(state, 0, why) {
		return
	}
	if stuck {
		c.cut(why)
	}
	c.ended <- struct{}{}
}

// Interrupt ends the open attempt, if there is one, as unfinished.
func (c *Control) Interrupt() { c.expire(c.state.Load(), ErrUnfinished) }

// Enlist marks the operation as in flight before its first attempt or between two attempts.
func (c *Control) Enlist() {
	state := c.state.Load()
	c.flight.enter(state%phases == failed)
	c.state.Store(state/phases*phases + failed)
}

// End ends the attempt, when its performer has returned, with what that returned, unless the
// attempt had ended before. It returns how the attempt ended: of a timeout the performer may say
// more, by a failure that is one, too. After it no goroutine but the slot's own touches the
// attempt.
func (c *Control) End(why *Failure) *Failure {
	state := c.state.Load()
	if why == nil && c.late.Load() == state {
		why = c.afterOver()
	}
	if c.close(state, 0, why) {
		return why
	}
	ended := c.Await()
	if ended != nil && ended.Timeout && why != nil && why.Timeout {
		return why
	}
	return ended
}

// Retire says that the operation is over, however its last attempt ended.
func (c *Control) Retire() {
	if s := c.state.Load(); s%phases == failed {
		c.flight.leave()
		c.state.Store(s - failed + idle)
	}
}

// Span returns the stamps between which the last operation, which must be over, was in flight. They are clock readings
// of their own, independent of the stamps of its attempts.
func (c *Control) Span() (from, to int64) { return c.flight.span() }

// FlightTime returns for how long operations of this control were in flight until now, which must be the present. Any
// goroutine may call it.
func (c *Control) FlightTime(now int64) int64 { return c.flight.until(now) }

// InFlight reports whether an operation has begun and not ended: between two attempts it is
// still in flight. One of which the whole answer has been read is not, while that is looked at.
func (c *Control) InFlight() bool {
	phase := c.state.Load() % phases
	return phase == open && c.over.Load() == 0 || phase == failed
}

// Rounds are the requests of the last attempt, which must have ended, before the one that Stamps are of. An answer that
// was read after the attempt had ended counts until then.
func (c *Control) Rounds() []Round {
	for i := range c.rounds {
		r := &c.rounds[i]
		r.Start, r.Sent, r.End, r.Came = min(r.Start, c.end), min(r.Sent, c.end), min(r.End, c.end), min(r.Came, c.end)
	}
	return c.rounds
}

// Stamps are the times of the last attempt, which must have ended; where it had several requests, of the last. One that
// was never sent was sending to its end.
func (c *Control) Stamps() (start, sent, end int64) {
	if sent = c.sent.Load(); sent == unsent || sent > c.end {
		sent = c.end
	}
	return min(c.begun, c.end), sent, c.end
}

// Came is when the answer of the last attempt, which must have ended, came to this machine, by the kernel's
// stamp. It is 0 where there is none, or none that can be: an answer cannot come before its attempt began,
// nor after it was read. It may come before the attempt was sent, since that is stamped when the system has
// taken the request, and the target may be quicker. An attempt without an answer in time has its deadline.
func (c *Control) Came() (stamp int64, refused bool) {
	switch {
	case c.why == ErrTimeout:
		return min(c.deadline.Load(), c.end), false
	case c.came == 0:
		return 0, false
	case c.came < c.begun || c.came > c.end:
		return 0, true
	}
	return c.came, false
}

// Answered is when the answer of the last attempt, which must have ended, began to come; 0 when that is not known.
func (c *Control) Answered() int64 { return c.first.Load() }

// WasSent reports whether the request of the present attempt was handed to the network.
func (c *Control) WasSent() bool { return c.sent.Load() != unsent }

// Ended gives a token when the present attempt ends. Whoever takes it says so by Took.
func (c *Control) Ended() <-chan struct{} { return c.ended }

// Took says that the token of Ended was taken, so that nobody waits for it any more.
func (c *Control) Took() { c.taken = true }

// Payload is the number of bytes of payload that the last attempt moved.
func (c *Control) Payload() int64 { return c.moved }

// Stop releases the timer, when no further attempt begins.
func (c *Control) Stop() { c.timer.Stop() }
