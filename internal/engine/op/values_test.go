package op

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestWhatAnEndSaysOfTrying: a timeout is one, whosever it is, and what a run leaves unfinished is not tried again.
func TestWhatAnEndSaysOfTrying(t *testing.T) {
	for _, c := range []struct {
		end            *Failure
		timeout, final bool
	}{{ErrTimeout, true, false}, {ErrOwnTimeout, true, false}, {ErrUnfinished, false, true}} {
		if c.end.Timeout != c.timeout || c.end.Final != c.final {
			t.Errorf("%v is a timeout: %v, final: %v", c.end, c.end.Timeout, c.end.Final)
		}
	}
}

func TestAFailureSaysItsCauseAndWhatTheProgramSaid(t *testing.T) {
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

// TestAClockStandsStillForAsLongAsItIsHeld: what its readers see is the time without the holds.
func TestAClockStandsStillForAsLongAsItIsHeld(t *testing.T) {
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

// TestAStampOfTheKernelCountsFromTheFirstToTheLastMoment: one of the very moment at which an attempt, or a round of it,
// began or ended belongs to it.
func TestAStampOfTheKernelCountsFromTheFirstToTheLastMoment(t *testing.T) {
	const ms = int64(time.Millisecond)
	for name, c := range map[string]struct {
		came, answered, round int64 // after the beginning
		refused               bool
	}{
		"before": {-1, 7 * ms, -1, true}, "at the beginning": {0, 0, 0, false}, "within": {3 * ms, 3 * ms, 3 * ms, false},
		"at the end": {7 * ms, 7 * ms, 7 * ms, false}, "behind": {7*ms + 1, 7 * ms, -1, true},
	} {
		t.Run(name, func(t *testing.T) {
			attempt(t, func(t *testing.T, clock *Clock, ctl *Control, _ *atomic.Int32) {
				time.Sleep(time.Minute)
				start := clock.Now()
				ctl.Begin(start)
				time.Sleep(7 * time.Millisecond)
				by := stamped(start + c.came)
				ctl.Answering(by)
				if got := ctl.Answered() - start; got != c.answered || ctl.FirstCame() != clock.Time(start+c.answered) {
					t.Errorf("the answer began to come after %d ns, at %v", got, ctl.FirstCame())
				}
				ctl.Onward(by)
				want := int64(0)
				if c.round >= 0 {
					want = start + c.round
				}
				if got := ctl.rounds[0].Came; got != want {
					t.Errorf("the round's answer came at %d, want %d", got, want)
				}
				if ctl.Answered() != 0 {
					t.Error("the next round is answered already")
				}
				ctl.End(nil)

				start = clock.Now()
				ctl.Begin(start)
				time.Sleep(7 * time.Millisecond)
				ctl.CompleteBy(stamped(start+c.came), nil)
				ctl.End(ctl.Await())
				came, refused := ctl.Came()
				if want := start + c.came; refused != c.refused || !refused && came != want || refused && came != 0 {
					t.Errorf("it came at %d, refused: %v", came-start, refused)
				}
			})
		})
	}
}

func TestWhatIsNotKnownOfAnAnswer(t *testing.T) {
	attempt(t, func(t *testing.T, clock *Clock, c *Control, _ *atomic.Int32) {
		time.Sleep(time.Minute)
		c.Begin(clock.Now())
		if c.WasSent() {
			t.Error("sent before it was")
		}
		c.Sent()
		time.Sleep(time.Millisecond)
		c.End(nil)
		if came, refused := c.Came(); came != 0 || refused || !c.WasSent() {
			t.Errorf("came at %d, refused: %v, sent: %v", came, refused, c.WasSent())
		}
		c.Begin(clock.Now())
		c.Interrupt()
		c.End(nil)
		if came, refused := c.Came(); came != 0 || refused {
			t.Errorf("of one that was given up, an answer came at %d, refused: %v", came, refused)
		}
		c.Begin(clock.Now())
		c.Over(nil) // of what is not stamped
		c.End(nil)
		if came, refused := c.Came(); came != 0 || refused {
			t.Errorf("of one without a stamp, an answer came at %d, refused: %v", came, refused)
		}
		c.Begin(clock.Now())
		deadline := c.Deadline()
		if want := time.Now().Add(timeout); !deadline.Equal(want) {
			t.Errorf("its deadline is %v, want %v", deadline, want)
		}
		c.End(c.Await())
		if came, refused := c.Came(); !clock.Time(came).Equal(deadline) || refused {
			t.Errorf("of a timeout, the answer came at %v, refused: %v", clock.Time(came), refused)
		}
	})
}

func TestWhatAnOperationHolds(t *testing.T) {
	attempt(t, func(t *testing.T, clock *Clock, c *Control, _ *atomic.Int32) {
		for _, measured := range []bool{true, false} {
			c.Measure(measured)
			c.Begin(clock.Now())
			c.Moved(300)
			c.Moved(40)
			if c.End(nil); c.Payload() != 340 || c.Measured() != measured {
				t.Errorf("%d bytes, measured: %v, want %v", c.Payload(), c.Measured(), measured)
			}
		}
	})
}

// TestOneEndIsToldOnce: whoever waits for the end takes its token himself, and says so.
func TestOneEndIsToldOnce(t *testing.T) {
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

// TestTheTimeOfAnAttemptGoesOnWithIt: what it has had on one connection it has not on the next, and another attempt has
// all of it again.
func TestTheTimeOfAnAttemptGoesOnWithIt(t *testing.T) {
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

// TestALateTimerWaitsForAnAnswer: from how late on it counts as late, and for how long it waits then. One that comes
// early waits for the rest.
func TestALateTimerWaitsForAnAnswer(t *testing.T) {
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

// TestAnAnswerReadBesideALateTimer: the slot that read the answer itself ends the attempt behind its deadline.
func TestAnAnswerReadBesideALateTimer(t *testing.T) {
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
