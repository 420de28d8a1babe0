package op

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const timeout = time.Second

// attempt runs f in a bubble of fake time with a control of one second and a count of cuts.
func attempt(t *testing.T, f func(t *testing.T, clock *Clock, c *Control, cuts *atomic.Int32)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		clock := NewClock()
		var cuts atomic.Int32
		c := NewControl(clock, timeout, func(*Failure) { cuts.Add(1) })
		defer c.Stop()
		f(t, clock, c, &cuts)
	})
}

// synctest: attempt runs the test in a bubble.
func TestResponseEndsTheAttempt(t *testing.T) {
	attempt(t, func(t *testing.T, clock *Clock, c *Control, cuts *atomic.Int32) {
		time.Sleep(time.Minute)
		c.Begin(clock.Now())
		time.Sleep(3 * time.Millisecond)
		c.Sent()
		go func() {
			time.Sleep(40 * time.Millisecond)
			if !c.Complete(nil) {
				t.Error("the first end was refused")
			}
			if c.InFlight() {
				t.Error("answered, and still in flight")
			}
		}()
		if why := c.End(c.Await()); why != nil {
			t.Errorf("ended with %v", why)
		}
		time.Sleep(time.Second) // the stamps are the events', not the reader's
		start, sent, end := c.Stamps()
		if sent-start != 3e6 || end-start != 43e6 {
			t.Errorf("sent after %d ns, ended after %d ns", sent-start, end-start)
		}
		if cuts.Load() != 0 {
			t.Error("the sender was cut off")
		}
	})
}

// synctest: attempt runs the test in a bubble.
func TestAttemptKnowsDueAndStartTimes(t *testing.T) {
	attempt(t, func(t *testing.T, clock *Clock, c *Control, _ *atomic.Int32) {
		time.Sleep(time.Minute)
		due := time.Now()
		c.Intend(clock.Now())
		for range 2 { // each attempt begins at its own time, and all are of one operation
			time.Sleep(5 * time.Millisecond)
			began := time.Now()
			c.Begin(clock.Now())
			time.Sleep(time.Millisecond)
			if c.Due() != int64(due.Sub(clock.Epoch())) {
				t.Errorf("due at %v, which is the stamp %d", due, c.Due())
			}
			if !c.Intended().Equal(due) || !c.Began().Equal(began) {
				t.Errorf("due at %v and begun at %v, want %v and %v", c.Intended(), c.Began(), due, began)
			}
			c.End(&Failure{Cause: "reset"})
		}
	})
}

// The fake clock of a bubble has no monotonic readings.
func TestAttemptTimesAreMonotonic(t *testing.T) {
	c := NewControl(NewClock(), timeout, func(*Failure) {})
	if c.Began().Round(0) == c.Began() || c.Intended().Round(0) == c.Intended() {
		t.Error("a time lacks its monotonic reading")
	}
}

// synctest: attempt runs the test in a bubble.
func TestTimeoutIsOnTimeForEveryAttempt(t *testing.T) {
	attempt(t, func(t *testing.T, clock *Clock, c *Control, cuts *atomic.Int32) {
		// Attempts that end well leave the timer running; it must not end a later one early.
		for range 7 {
			c.Begin(clock.Now())
			c.Sent()
			time.Sleep(300 * time.Millisecond)
			if why := c.End(nil); why != nil {
				t.Fatalf("ended with %v", why)
			}
		}
		for range 3 {
			c.Begin(clock.Now())
			c.Sent()
			why := c.End(c.Await())
			start, _, end := c.Stamps()
			if !errors.Is(why, ErrTimeout) || end-start != int64(timeout) {
				t.Errorf("ended with %v after %d ns", why, end-start)
			}
			if !c.InFlight() {
				t.Error("an operation whose attempt failed is still in flight")
			}
			c.Retire()
			if c.InFlight() {
				t.Error("retired, and still in flight")
			}
			time.Sleep(10 * time.Second) // the timer disarms, and is armed again
		}
		if cuts.Load() != 0 {
			t.Error("a sent attempt was cut off")
		}
	})
}

// synctest: attempt runs the test in a bubble.
func TestTimeoutInterruptsAStuckSender(t *testing.T) {
	attempt(t, func(t *testing.T, clock *Clock, c *Control, cuts *atomic.Int32) {
		c.Begin(clock.Now())
		time.Sleep(2 * timeout) // stuck in a write
		if cuts.Load() != 1 {
			t.Errorf("%d cuts", cuts.Load())
		}
		why := c.End(&Failure{Cause: "reset"})
		if why != ErrTimeout {
			t.Errorf("ended with %v, want the timeout that came first", why)
		}
		if start, sent, end := c.Stamps(); sent != end || end-start != int64(timeout) {
			t.Errorf("sending for %d ns, ended after %d ns", sent-start, end-start)
		}
	})
}

// synctest: attempt runs the test in a bubble.
func TestOnlyTheFirstEndCounts(t *testing.T) {
	attempt(t, func(t *testing.T, clock *Clock, c *Control, _ *atomic.Int32) {
		c.Begin(clock.Now())
		c.Sent()
		c.Complete(&Failure{Cause: "reset"})
		time.Sleep(timeout / 2)
		if c.Complete(nil) {
			t.Error("a second end was accepted")
		}
		c.Interrupt()
		if why := c.End(nil); why == nil || why.Cause != "reset" {
			t.Errorf("ended with %v, want the first end", why)
		}
		start, _, end := c.Stamps()
		if end != start {
			t.Errorf("ended after %d ns, want at once", end-start)
		}
		c.Begin(clock.Now())
		c.Sent()
		if why := c.End(nil); why != nil {
			t.Errorf("the next attempt ended with %v", why)
		}
	})
}

// synctest: attempt runs the test in a bubble.
func TestInterruptLeavesAttemptUnfinished(t *testing.T) {
	attempt(t, func(t *testing.T, clock *Clock, c *Control, _ *atomic.Int32) {
		c.Interrupt() // nothing is open
		c.Begin(clock.Now())
		c.Sent()
		go func() {
			time.Sleep(100 * time.Millisecond)
			c.Interrupt()
		}()
		if why := c.End(c.Await()); why != ErrUnfinished {
			t.Errorf("ended with %v", why)
		}
		if start, _, end := c.Stamps(); end-start != 100e6 {
			t.Errorf("lasted %d ns", end-start)
		}
	})
}

// synctest: attempt runs the test in a bubble.
func TestResponseBeforeSendReturns(t *testing.T) {
	attempt(t, func(t *testing.T, clock *Clock, c *Control, _ *atomic.Int32) {
		c.Begin(clock.Now())
		c.Complete(nil)
		time.Sleep(time.Millisecond)
		c.Sent()
		c.End(c.Await())
		if start, sent, end := c.Stamps(); sent != start || end != start {
			t.Errorf("sent at %d and ended at %d after start", sent-start, end-start)
		}
	})
}

func BenchmarkAttempt(b *testing.B) {
	clock := NewClock()
	c := NewControl(clock, timeout, func(*Failure) {})
	defer c.Stop()
	b.ReportAllocs()
	for b.Loop() {
		c.Begin(clock.Now())
		c.Sent()
		c.Complete(nil)
		c.End(c.Await())
	}
}

// TestResponseStart gives stamps before the attempt, within it, after it was read, and none.
//
// synctest: attempt runs the test in a bubble.
func TestResponseStart(t *testing.T) {
	for name, c := range map[string]struct {
		came, want time.Duration // after the attempt began
		from       bool          // a connection that knows stamps
	}{
		"within":     {3 * time.Millisecond, 3 * time.Millisecond, true},
		"before":     {-1, 7 * time.Millisecond, true},
		"after":      {8 * time.Millisecond, 7 * time.Millisecond, true},
		"not known":  {0, 7 * time.Millisecond, false},
		"as it read": {7 * time.Millisecond, 7 * time.Millisecond, true},
	} {
		t.Run(name, func(t *testing.T) {
			attempt(t, func(t *testing.T, clock *Clock, ctl *Control, _ *atomic.Int32) {
				time.Sleep(time.Minute)
				start := clock.Now()
				ctl.Begin(start)
				time.Sleep(7 * time.Millisecond)
				if c.from {
					ctl.Answering(stamped(start + int64(c.came)))
				} else {
					ctl.Answering(nil)
				}
				ctl.End(nil)
				if got := ctl.Answered() - start; got != int64(c.want) {
					t.Errorf("began at %d, want %d", got, c.want)
				}
				ctl.Begin(clock.Now())
				ctl.End(nil)
				if ctl.Answered() != 0 {
					t.Error("the next attempt has the answer of this one")
				}
			})
		})
	}
}

// An attempt ends when its response has been read. Checking the response takes none of its time and cannot time out.
//
// synctest: attempt runs the test in a bubble.
func TestCheckingTheResponseTakesNoTime(t *testing.T) {
	bad := &Failure{Cause: "check"}
	for name, want := range map[string]*Failure{"well": nil, "not well": bad} {
		t.Run(name, func(t *testing.T) {
			attempt(t, func(t *testing.T, clock *Clock, c *Control, _ *atomic.Int32) {
				time.Sleep(time.Minute)
				start := clock.Now()
				c.Begin(start)
				c.Sent()
				time.Sleep(7 * time.Millisecond)
				c.Over(stamped(start + 6e6))
				time.Sleep(10 * timeout)
				c.Interrupt()
				if why := c.End(want); why != want {
					t.Errorf("ended with %v, want %v", why, want)
				}
				if _, _, end := c.Stamps(); end-start != 7e6 {
					t.Errorf("lasted %d ns", end-start)
				}
				if came, refused := c.Came(); came != start+6e6 || refused {
					t.Errorf("came at %d, refused %v", came-start, refused)
				}
				c.Begin(clock.Now())
				time.Sleep(10 * timeout)
				if why := c.End(nil); why != ErrTimeout {
					t.Errorf("the next one ended with %v", why)
				}
			})
		})
	}
}

// Each round of an attempt with several requests has its own times; they share the timeout of the attempt.
//
// synctest: attempt runs the test in a bubble.
func TestRoundsHaveTheirOwnTimes(t *testing.T) {
	const ms = int64(time.Millisecond)
	attempt(t, func(t *testing.T, clock *Clock, c *Control, _ *atomic.Int32) {
		time.Sleep(time.Minute)
		start := clock.Now()
		c.Begin(start)
		for i := range 3 {
			time.Sleep(time.Millisecond)
			c.Sent()
			time.Sleep(20 * time.Millisecond)
			now := clock.Now()
			c.Answering(stamped(now - ms))
			switch i {
			case 0:
				c.Onward(stamped(now - ms))
			case 1:
				c.Onward(stamped(start)) // a stamp of the round before
			default:
				c.Over(stamped(now - ms))
			}
		}
		if why := c.End(nil); why != nil {
			t.Fatal(why)
		}
		rounds := c.Rounds()
		want := []Round{{start, start + ms, start + 21*ms, start + 20*ms}, {start + 21*ms, start + 22*ms, start + 42*ms, 0}}
		if !slices.Equal(rounds, want) {
			t.Errorf("%v, want %v", rounds, want)
		}
		begun, sent, end := c.Stamps()
		if begun != start+42*ms || sent != start+43*ms || end != start+63*ms || c.Answered() != start+62*ms {
			t.Errorf("the last began at %d, was sent at %d, ended at %d", begun-start, sent-start, end-start)
		}
		c.Begin(clock.Now())
		if len(c.Rounds()) != 0 {
			t.Error("the next attempt has the rounds of this one")
		}
		time.Sleep(timeout / 2)
		c.Onward(nil)
		time.Sleep(timeout)
		c.Onward(nil) // too late
		if why := c.End(nil); why != ErrTimeout {
			t.Errorf("ended with %v", why)
		}
		_, _, end = c.Stamps()
		if begun, _, _ := c.Stamps(); begun > end || c.Rounds()[1].End > end {
			t.Errorf("%v, %d behind the end %d", c.Rounds(), begun, end)
		}
	})
}

// A workload that reads responses itself is interrupted at the timeout, also after it has sent.
func TestTimeoutInterruptsAReader(t *testing.T) {
	attempt(t, func(t *testing.T, clock *Clock, c *Control, cuts *atomic.Int32) {
		for i, reads := range []bool{false, true} {
			if reads {
				c.Reads()
			}
			c.Begin(clock.Now())
			c.Sent()
			if why := c.End(c.Await()); why != ErrTimeout || int(cuts.Load()) != i {
				t.Errorf("reads itself %v: ended with %v, cut %d times", reads, why, cuts.Load())
			}
		}
	})
}

// stamped is a connection whose last data came at this stamp.
type stamped int64

func (s stamped) Received() int64 { return int64(s) }

// TestKernelStampMustLieInTheAttempt gives stamps before the attempt, within it and after it was read.
//
// synctest: attempt runs the test in a bubble.
func TestKernelStampMustLieInTheAttempt(t *testing.T) {
	for name, c := range map[string]struct {
		came    time.Duration // after the attempt began
		refused bool
	}{
		"within": {3 * time.Millisecond, false}, "before": {-1, true}, "after": {8 * time.Millisecond, true},
	} {
		t.Run(name, func(t *testing.T) {
			attempt(t, func(t *testing.T, clock *Clock, ctl *Control, _ *atomic.Int32) {
				time.Sleep(time.Minute)
				start := clock.Now()
				ctl.Begin(start)
				time.Sleep(7 * time.Millisecond)
				ctl.CompleteBy(stamped(start+int64(c.came)), nil)
				ctl.End(ctl.Await())
				came, refused := ctl.Came()
				if want := start + int64(c.came); refused != c.refused || !refused && came != want {
					t.Errorf("came at %d, refused %v", came-start, refused)
				}
			})
		})
	}
}

// TestResponseInTimeIsNoTargetTimeout reads an answer after the deadline, as a generator does that
// was stopped: the timer comes late, too.
//
// synctest: attempt runs the test in a bubble.
func TestResponseInTimeIsNoTargetTimeout(t *testing.T) {
	reset := &Failure{Cause: "reset"}
	for name, c := range map[string]struct {
		came time.Duration // after the attempt began; 0: not known
		want *Failure
	}{
		"in time": {timeout - 1, ErrOwnTimeout}, "late": {timeout + 1, ErrTimeout}, "not known": {0, ErrOwnTimeout},
		"never": {-1, ErrTimeout}, "lost": {-2, reset},
	} {
		t.Run(name, func(t *testing.T) {
			attempt(t, func(t *testing.T, clock *Clock, ctl *Control, _ *atomic.Int32) {
				time.Sleep(time.Minute)
				start := clock.Now()
				ctl.Begin(start)
				ctl.Sent()
				// A timer that comes late finds the deadline of long ago.
				ctl.deadline.Store(start + int64(timeout) - 2*tardy)
				time.Sleep(timeout + time.Millisecond)
				switch {
				case c.came > 0:
					ctl.CompleteBy(stamped(start+int64(c.came)-2*tardy), nil)
				case c.came == 0:
					ctl.Complete(nil)
				case c.came == -2:
					ctl.Complete(reset)
				}
				if why := ctl.End(ctl.Await()); why != c.want {
					t.Errorf("ended with %v, want %v", why, c.want)
				}
				if came, _ := ctl.Came(); c.want == ErrTimeout && came != ctl.deadline.Load() {
					t.Errorf("a timeout's answer came at %d, want the deadline", came-start)
				}
			})
		})
	}
}

// TestOwnTimeoutKeepsFinality has a failure that must not be retried.
func TestOwnTimeoutKeepsFinality(t *testing.T) {
	theirs := &Failure{Cause: "timeout", Final: true, Timeout: true, Err: errors.New("no answer within 3s")}
	own := theirs.Own()
	if *own != (Failure{Cause: "own-timeout", Final: true, Timeout: true, Err: theirs.Err}) || theirs.Cause != "timeout" {
		t.Errorf("%+v of %+v", own, theirs)
	}
}

func TestFailureReportsCauseAndError(t *testing.T) {
	reset := errors.New("connection reset by peer")
	said, bare := &Failure{Cause: "reset", Err: reset}, &Failure{Cause: "refused"}
	if said.Error() != "reset: connection reset by peer" || bare.Error() != "refused" {
		t.Errorf("%q and %q", said.Error(), bare.Error())
	}
	if !errors.Is(said, reset) {
		t.Error("what the program said is not within it")
	}
	if got := AsFailure(fmt.Errorf("reading: %w", said)); got != said {
		t.Errorf("one within another error is %v", got)
	}
	if got := AsFailure(reset); got.Cause != "other" || got.Err != reset {
		t.Errorf("an error without a cause is %v", got)
	}
}

// A Clock does not advance while it is held.
func TestClockStopsWhileHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewClock()
		is := func(now, held time.Duration, still bool) {
			t.Helper()
			if got := time.Duration(c.Now()); got != now || c.Held() != held || c.Still() != still {
				t.Errorf("at %v, held for %v, still: %v; want %v, %v, %v", got, c.Held(), c.Still(), now, held, still)
			}
		}
		is(0, 0, false)
		c.Hold()
		is(0, 0, true)
		c.Go()
		is(0, 0, false)
		time.Sleep(3 * time.Second)
		c.Hold()
		time.Sleep(5 * time.Second)
		is(3*time.Second, 0, true)
		c.Hold() // of one that stands still already
		c.Go()
		is(3*time.Second, 5*time.Second, false)
		time.Sleep(time.Second)
		is(4*time.Second, 5*time.Second, false)
		c.Go() // of one that goes
		is(4*time.Second, 5*time.Second, false)
		if at := c.Time(c.Now()); !at.Equal(time.Now()) {
			t.Errorf("it is %v by the clock's stamp, and %v", at, time.Now())
		}
		if at := c.Wall(c.Now()); at != time.Now().Round(0).UTC() {
			t.Errorf("it is %v by the clock's stamp, and %v", at, time.Now())
		}
	})
}

// The end of an attempt is signalled once; a reader that received it calls Took.
func TestEndIsSignalledOnce(t *testing.T) {
	attempt(t, func(t *testing.T, clock *Clock, c *Control, _ *atomic.Int32) {
		reset := &Failure{Cause: "reset"}
		for range 2 {
			c.Begin(clock.Now())
			if !c.Complete(reset) || c.Complete(nil) {
				t.Fatal("the first end counts, and no second one")
			}
			<-c.Ended()
			c.Took()
			if why := c.End(nil); why != reset {
				t.Errorf("ended with %v", why)
			}
		}
	})
}

// An attempt that continues on another connection has only the rest of its timeout; a new attempt has all of it.
//
// synctest: attempt runs the test in a bubble.
func TestTimeoutContinuesAcrossConnections(t *testing.T) {
	attempt(t, func(t *testing.T, clock *Clock, c *Control, _ *atomic.Int32) {
		lost := &Failure{Cause: "reset", GoesOn: true}
		left := func(want time.Duration) {
			t.Helper()
			c.Begin(clock.Now())
			if got := time.Until(c.Deadline()); got != want {
				t.Errorf("%v are left, want %v", got, want)
			}
		}
		left(timeout)
		time.Sleep(timeout / 4)
		c.End(lost)
		c.GoOn()
		left(3 * timeout / 4)
		time.Sleep(timeout / 2)
		c.End(lost)
		c.GoOn()
		left(timeout / 4)
		c.Anew()
		c.End(lost)
		left(timeout)
		c.End(lost)
		c.spent = int64(timeout) // nothing is left: its time is up at once, but not before it began
		left(1)
		if why := c.End(c.Await()); why != ErrTimeout {
			t.Errorf("ended with %v", why)
		}
	})
}

// A timer that fires late waits a little for a response; one that fires early waits for the rest.
//
// synctest: attempt runs the test in a bubble.
func TestLateTimerWaitsForAResponse(t *testing.T) {
	for _, late := range []struct {
		by, ends time.Duration // behind the deadline
	}{{-time.Second, 0}, {-1, 0}, {0, 0}, {5 * time.Millisecond, 5 * time.Millisecond}, {5*time.Millisecond + 1, 25*time.Millisecond + 1}} {
		t.Run(late.by.String(), func(t *testing.T) {
			attempt(t, func(t *testing.T, clock *Clock, c *Control, _ *atomic.Int32) {
				time.Sleep(time.Minute)
				c.Begin(clock.Now())
				deadline := clock.Now() + int64(timeout-late.by) // which the timer does not know
				c.deadline.Store(deadline)
				why := c.End(c.Await())
				if _, _, end := c.Stamps(); why != ErrTimeout || time.Duration(end-deadline) != late.ends {
					t.Errorf("ended with %v, %v behind the deadline", why, time.Duration(end-deadline))
				}
			})
		})
	}
}

// The slot that reads the response ends an attempt whose deadline has passed.
//
// synctest: attempt runs the test in a bubble.
func TestResponseReadBesideALateTimer(t *testing.T) {
	reset := &Failure{Cause: "reset"}
	for name, c := range map[string]struct {
		over, came time.Duration // behind the deadline; over 0 with came -1: nobody said so
		by, want   *Failure
	}{
		"read in time":         {-1, 1, nil, nil},
		"read at the deadline": {0, 0, nil, nil},
		"there in time":        {1, -1, nil, ErrOwnTimeout},
		"there at the end":     {1, 0, nil, ErrOwnTimeout},
		"late":                 {1, 1, nil, ErrTimeout},
		"lost":                 {1, 1, reset, reset},
	} {
		t.Run(name, func(t *testing.T) {
			attempt(t, func(t *testing.T, clock *Clock, ctl *Control, _ *atomic.Int32) {
				time.Sleep(time.Minute)
				ctl.Begin(clock.Now())
				time.Sleep(timeout / 2)
				ctl.deadline.Store(clock.Now() - int64(c.over))
				ctl.late.Store(ctl.state.Load())
				ctl.Over(stamped(ctl.deadline.Load() + int64(c.came)))
				if why := ctl.End(c.by); why != c.want {
					t.Errorf("ended with %v, want %v", why, c.want)
				}
			})
		})
	}
	attempt(t, func(t *testing.T, clock *Clock, ctl *Control, _ *atomic.Int32) {
		time.Sleep(time.Minute)
		ctl.Begin(clock.Now())
		ctl.late.Store(ctl.state.Load())
		if why := ctl.End(nil); why != ErrOwnTimeout {
			t.Errorf("of an answer of which nothing is known, ended with %v", why)
		}
	})
}

// TestLateTimerCannotEndTheNextAttempt keeps the state of one attempt, as a late timer does, and tries to end the next
// attempt with it.
func TestLateTimerCannotEndTheNextAttempt(t *testing.T) {
	attempt(t, func(t *testing.T, clock *Clock, c *Control, _ *atomic.Int32) {
		c.Begin(clock.Now())
		c.Sent()
		late := c.state.Load()
		if why := c.End(nil); why != nil {
			t.Fatalf("ended with %v", why)
		}
		c.Begin(clock.Now())
		c.Sent()
		if c.close(late, 0, ErrTimeout) {
			t.Error("the end of an attempt that is over was taken for that of the next")
		}
		c.expire(late, ErrTimeout)
		if why := c.End(nil); why != nil {
			t.Errorf("ended with %v by the timer of the attempt before", why)
		}
		c.Begin(clock.Now())
		if c.Retire(); !c.InFlight() {
			t.Error("an open attempt was retired")
		}
		c.End(&Failure{Cause: "reset"})
		if !c.InFlight() {
			t.Error("a failed attempt does not end its operation")
		}
		if c.Retire(); c.InFlight() {
			t.Error("retired, and in flight")
		}
		if c.Enlist(); !c.InFlight() {
			t.Error("enlisted, and not in flight")
		}
	})
}

func TestAttemptCountsItsPayload(t *testing.T) {
	attempt(t, func(t *testing.T, clock *Clock, c *Control, _ *atomic.Int32) {
		for _, measured := range []bool{true, false} {
			c.Measure(measured)
			c.Begin(clock.Now())
			if c.WasSent() {
				t.Error("sent before Sent was called")
			}
			c.Moved(300)
			c.Moved(40)
			if c.Sent(); !c.WasSent() {
				t.Error("not sent after Sent was called")
			}
			if c.End(nil); c.Payload() != 340 || c.Measured() != measured {
				t.Errorf("%d bytes, measured: %v, want %v", c.Payload(), c.Measured(), measured)
			}
		}
	})
}

// TestSpanIsOfTheWholeOperation: an operation is in flight from its beginning until the whole response of its last
// attempt has been read, pauses between attempts included, however long it takes until that is noticed.
//
// synctest: attempt runs the test in a bubble.
func TestSpanIsOfTheWholeOperation(t *testing.T) {
	refused := &Failure{Cause: "refused"}
	for name, test := range map[string]struct {
		perform func(clock *Clock, c *Control)
		want    time.Duration
	}{
		"answered": {func(clock *Clock, c *Control) {
			c.Begin(clock.Now())
			time.Sleep(3 * time.Millisecond)
			c.End(nil)
		}, 3 * time.Millisecond},
		"read, then checked": {func(clock *Clock, c *Control) {
			c.Begin(clock.Now())
			time.Sleep(3 * time.Millisecond)
			c.Over(nil)
			time.Sleep(20 * time.Millisecond)
			c.End(refused)
		}, 3 * time.Millisecond},
		"read, checked and retried": {func(clock *Clock, c *Control) {
			c.Begin(clock.Now())
			c.Over(nil)
			time.Sleep(20 * time.Millisecond)
			c.End(refused)
			c.Begin(clock.Now())
			time.Sleep(3 * time.Millisecond)
			c.End(nil)
		}, 23 * time.Millisecond},
		"connected first": {func(clock *Clock, c *Control) {
			c.Enlist()
			time.Sleep(20 * time.Millisecond)
			c.Begin(clock.Now())
			time.Sleep(3 * time.Millisecond)
			c.End(refused)
		}, 23 * time.Millisecond},
		"stopped while it backed off": {func(clock *Clock, c *Control) {
			c.Begin(clock.Now())
			time.Sleep(3 * time.Millisecond)
			c.End(refused)
			c.Enlist()
			time.Sleep(20 * time.Millisecond)
		}, 23 * time.Millisecond},
		"timed out": {func(clock *Clock, c *Control) {
			c.Begin(clock.Now())
			c.Sent()
			time.Sleep(timeout + 20*time.Millisecond)
			c.End(c.Await())
		}, timeout},
	} {
		t.Run(name, func(t *testing.T) {
			attempt(t, func(t *testing.T, clock *Clock, c *Control, _ *atomic.Int32) {
				var sum time.Duration
				for range 2 {
					time.Sleep(time.Second)
					began := clock.Now()
					test.perform(clock, c)
					c.Retire()
					sum += test.want
					if from, to := c.Span(); from != began || to-from != int64(test.want) {
						t.Errorf("in flight for %v, want %v", time.Duration(to-from), test.want)
					}
					if got := c.FlightTime(clock.Now()); got != int64(sum) {
						t.Errorf("%v in flight in all, want %v", time.Duration(got), sum)
					}
				}
				c.Begin(clock.Now())
				time.Sleep(time.Millisecond)
				if got := c.FlightTime(clock.Now()); got != int64(sum+time.Millisecond) {
					t.Errorf("%v in flight with the one under way, want %v", time.Duration(got), sum+time.Millisecond)
				}
				c.End(nil)
			})
		})
	}
}
