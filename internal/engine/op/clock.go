package op

import (
	"sync/atomic"
	"time"
)

// Clock gives the stamps of a run: nanoseconds on the monotonic clock since the run's epoch, without those for which it
// stood still. It is safe for concurrent use; Hold and Go belong to one goroutine.
type Clock struct {
	epoch time.Time
	held  atomic.Int64 // for how long it stood still, in ns
	still atomic.Int64 // the stamp at which it stands still, plus 1; 0: it goes
}

// NewClock makes a clock whose epoch is now.
func NewClock() *Clock { return &Clock{epoch: time.Now()} }

// Now is the time since the epoch. time.Since reads only the monotonic clock, which takes
// about half of what time.Now does.
func (c *Clock) Now() int64 {
	if still := c.still.Load(); still != 0 {
		return still - 1
	}
	return int64(time.Since(c.epoch)) - c.held.Load()
}

// Hold has the clock stand still, until Go.
func (c *Clock) Hold() { c.still.Store(c.Now() + 1) }

// Go has it go on from where it stood still.
func (c *Clock) Go() {
	still := c.still.Load()
	if still == 0 {
		return
	}
	c.held.Store(int64(time.Since(c.epoch)) - (still - 1)) // before it goes, or a reader would see what was skipped
	c.still.Store(0)
}

// Held is for how long it stood still until now, but for what goes on.
func (c *Clock) Held() time.Duration { return time.Duration(c.held.Load()) }

// Still reports whether it stands still.
func (c *Clock) Still() bool { return c.still.Load() != 0 }

// Epoch is the moment that stamps count from.
func (c *Clock) Epoch() time.Time { return c.epoch }

// Time is the moment of a stamp, with a monotonic reading, if it does not stand still until then. As a date it is like
// Wall's.
func (c *Clock) Time(stamp int64) time.Time { return c.epoch.Add(time.Duration(stamp) + c.Held()) }

// Wall labels a stamp with a date. A step of the wall clock since the epoch is not in it.
func (c *Clock) Wall(stamp int64) time.Time { return c.Time(stamp).Round(0).UTC() }
