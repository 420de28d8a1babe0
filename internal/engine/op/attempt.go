package op

import (
	"sync/atomic"
	"time"
)

// The ends of an attempt that the handle itself brings about.
var (
	// ErrTimeout ends an attempt that had no answer within its time.
	ErrTimeout = &Failure{Cause: "timeout", Timeout: true}
	// ErrOwnTimeout ends an attempt whose answer was not read within its time because the generator did
	// not run: it says nothing of the target.
	ErrOwnTimeout = &Failure{Cause: "own-timeout", Timeout: true}
	// ErrUnfinished ends an attempt when the run ends before it.
	ErrUnfinished = &Failure{Cause: "unfinished", Final: true}
)

// The phases of an attempt, in the low bits of its state; the bits above count attempts, so
// that a late timer cannot end the attempt after the one that it was set for.
const (
	idle     = 0 // no operation
	open     = 1 // begun and not ended
	answered = 2 // ended well; so has its operation
	failed   = 3 // ended badly; its operation goes on until it is retired
	phases   = 4
)

// unsent stands for the stamp of an attempt that was not sent yet.
const unsent = -1

// Attempt is one try of an operation, as a workload sees it.
type Attempt struct {
	clock *Clock
	state atomic.Uint64
	due   int64 // intended start of its operation
	// measured says that its operation belongs to the window.
	measured bool
	start    int64
	begun    int64        // of its present request; start, where it has but one
	sent     atomic.Int64 // or unsent
	first    atomic.Int64 // when its answer began to come; 0 when not known
	over     atomic.Int64 // when its answer had been read, before it was looked at; 0 when nobody said so
	last     atomic.Int64 // when the last of that came to this machine; 0 when not known
	end      int64
	came     int64 // when the answer came to this machine, as the kernel stamped it; 0 when not known
	why      *Failure
	ended    chan struct{} // one token for each attempt that Complete, a timeout or a stop ended
	moved    int64         // bytes of payload
	// rounds are its requests before the present one, whose answers led on.
	rounds []Round
	taken  bool // Await has taken this attempt's token
	// late is the state of the attempt that has outlived its deadline, since the timer came late and gives
	// the reader a little time to find an answer that is there.
	late     atomic.Uint64
	deadline atomic.Int64
	flight   flight
}

// Sent says that the request has now been handed to the network.
func (a *Attempt) Sent() { a.sent.Store(a.clock.Now()) }

// Answering says that the first of the answer has been read, from a connection that may know when it came; nil for
// none. A workload of which Kinds say Stages calls it once in each attempt that is answered, before the attempt ends.
func (a *Attempt) Answering(r Receiver) {
	now := a.clock.Now()
	if r != nil {
		if came := r.Received(); came >= a.begun && came <= now {
			now = came
		}
	}
	a.first.Store(now)
}

// FirstCame is when Answering was told of the answer, as Began gives the attempt's beginning.
func (a *Attempt) FirstCame() time.Time { return a.clock.Time(a.first.Load()) }

// Over says that the whole of the answer has been read now, from a connection that may know when it came; nil for none.
// What is looked at of the answer from here on takes no time of the attempt, and its time cannot run out any more: it
// ends with what the workload returns.
func (a *Attempt) Over(r Receiver) {
	if r != nil {
		a.last.Store(r.Received())
	}
	a.over.Store(a.clock.Now())
	a.flight.leave()
}

// Round is a request of an attempt that has several one after the other, and its answer.
type Round struct {
	Start, Sent, End int64
	Came             int64 // when the answer came to this machine; 0 when not known
}

// Onward says that the whole of an answer has been read now, from a connection that may know when it came, nil for
// none, and that it leads on: another request of the same attempt follows, for which Sent and Answering are told anew.
func (a *Attempt) Onward(r Receiver) {
	done := Round{Start: a.begun, Sent: a.sent.Load(), End: a.clock.Now()}
	if done.Sent == unsent {
		done.Sent = done.End
	}
	if r != nil {
		if came := r.Received(); came >= done.Start && came <= done.End {
			done.Came = came
		}
	}
	a.rounds = append(a.rounds, done)
	a.begun = done.End
	a.sent.Store(unsent)
	a.first.Store(0)
}

// Moved adds n bytes of payload that the attempt sent or received. Only the slot's goroutine
// may call it.
func (a *Attempt) Moved(n int) { a.moved += int64(n) }

// Began is when the attempt began, as a date to label the request with. It has a monotonic
// reading, which is exact.
func (a *Attempt) Began() time.Time { return a.clock.Time(a.start) }

// Deadline is when the attempt's time runs out, as Began gives its beginning.
func (a *Attempt) Deadline() time.Time { return a.clock.Time(a.deadline.Load()) }

// Overdue reports whether the attempt's time has run out, even if its timer has not fired yet.
func (a *Attempt) Overdue() bool { return a.clock.Now() >= a.deadline.Load() }

// Intended is the intended start of the attempt's operation, as Began gives the actual one. In
// the closed model it is when the first attempt began.
func (a *Attempt) Intended() time.Time { return a.clock.Time(a.due) }

// Due is Intended as a stamp of the run's clock.
func (a *Attempt) Due() int64 { return a.due }

// Measured reports whether the attempt's operation belongs to the window: it is one of those that the figures of the
// run are made of.
func (a *Attempt) Measured() bool { return a.measured }

// Receiver is a connection that knows when the data of its last read came to this machine: a stamp of
// the run's clock, or 0 when it is not known.
type Receiver interface{ Received() int64 }

// Complete ends the attempt now: with nil when its answer has come, else with what went
// wrong. It reports whether it was the first to do so; a later end changes nothing.
func (a *Attempt) Complete(why *Failure) bool { return a.CompleteBy(nil, why) }

// CompleteBy is Complete for an answer that was read from a connection which may know when it came;
// nil for none.
func (a *Attempt) CompleteBy(r Receiver, why *Failure) bool {
	var came int64
	if r != nil {
		came = r.Received()
	}
	state := a.state.Load()
	if why == nil && a.late.Load() == state {
		why = a.afterDeadline(came)
	}
	if !a.close(state, came, why) {
		return false
	}
	a.ended <- struct{}{}
	return true
}

// afterOver is afterDeadline for what Over has told; nil when the answer had been read in time.
func (a *Attempt) afterOver() *Failure {
	if over := a.over.Load(); over != 0 && over <= a.deadline.Load() {
		return nil
	}
	return a.afterDeadline(a.last.Load())
}

// afterDeadline judges an answer that was read when the attempt's time had run out, and the generator was
// too late itself to say so: the answer may have been there in time, and then nobody but the generator is late.
func (a *Attempt) afterDeadline(came int64) *Failure {
	if came > a.deadline.Load() {
		return ErrTimeout
	}
	return ErrOwnTimeout
}

// close ends the attempt that the state names, if that one is open.
func (a *Attempt) close(state uint64, came int64, why *Failure) bool {
	if state%phases != open {
		return false
	}
	to := state - open + answered
	if why != nil {
		to = state - open + failed
	}
	end := a.over.Load()
	if end != 0 {
		came = a.last.Load()
	} else {
		end = a.clock.Now()
	}
	if !a.state.CompareAndSwap(state, to) {
		return false
	}
	a.flight.leave()
	a.end, a.came, a.why = end, came, why
	return true
}

// Await waits until the attempt has ended (by Complete, by its timeout or by the end of the
// run) and returns what went wrong, or nil.
func (a *Attempt) Await() *Failure {
	if !a.taken {
		<-a.ended
		a.taken = true
	}
	return a.why
}
