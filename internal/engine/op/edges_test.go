package op

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestEveryAttemptHasAStateOfItsOwn keeps the state of one attempt, as a late timer does, and
// ends by it the next one.
func TestEveryAttemptHasAStateOfItsOwn(t *testing.T) {
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

// TestABeginBesideAFiringTimerIsTimed lets the timer look at the slot just as an attempt
// begins: whoever comes first, the attempt has a timer in the end.
func TestABeginBesideAFiringTimerIsTimed(t *testing.T) {
	clock := NewClock()
	c := NewControl(clock, time.Hour, func(*Failure) {})
	defer c.Stop()
	const rounds = 50000
	var round, fired atomic.Int64
	var firing sync.WaitGroup
	firing.Go(func() {
		for i := int64(1); i <= rounds; i++ {
			for round.Load() < i {
				runtime.Gosched()
			}
			c.fire()
			fired.Store(i)
		}
	})
	lost := 0
	for i := int64(1); i <= rounds; i++ {
		round.Store(i)
		for range i % 64 { // so that the two meet in all their places
			round.Load()
		}
		c.Begin(clock.Now())
		for fired.Load() < i {
			runtime.Gosched()
		}
		if !c.armed.Load() {
			lost++
		}
		if why := c.End(nil); why != nil {
			t.Fatalf("ended with %v", why)
		}
	}
	firing.Wait()
	if lost > 0 {
		t.Errorf("%d of %d attempts have no timer", lost, rounds)
	}
}

// TestACutIsOverBeforeTheNextAttemptBegins: what cuts an attempt off must not hit the one after it.
func TestACutIsOverBeforeTheNextAttemptBegins(t *testing.T) {
	var c *Control
	cuts, told := 0, 0
	c = NewControl(NewClock(), time.Hour, func(*Failure) {
		cuts++
		told += len(c.Ended())
	})
	defer c.Stop()
	c.Reads()
	for range 3 {
		c.Begin(c.clock.Now())
		c.Interrupt()
		if why := c.End(nil); why != ErrUnfinished {
			t.Errorf("ended with %v", why)
		}
	}
	if cuts != 3 || told != 0 {
		t.Errorf("%d cuts, %d of them when the slot knew of the end already", cuts, told)
	}
}
