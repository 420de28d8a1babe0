package op

import "time"

// Clock gives the stamps of a run: nanoseconds on the monotonic clock since the run's epoch.
// It is safe for concurrent use.
type Clock struct {
	epoch time.Time
}

// NewClock makes a clock whose epoch is now.
func NewClock() *Clock { return &Clock{epoch: time.Now()} }

// Now is the time since the epoch. time.Since reads only the monotonic clock, which takes
// about half of what time.Now does.
func (c *Clock) Now() int64 { return int64(time.Since(c.epoch)) }

// Epoch is the moment that stamps count from.
func (c *Clock) Epoch() time.Time { return c.epoch }

// Time is the moment of a stamp, with a monotonic reading. As a date it is like Wall's.
func (c *Clock) Time(stamp int64) time.Time { return c.epoch.Add(time.Duration(stamp)) }

// Wall labels a stamp with a date. A step of the wall clock since the epoch is not in it.
func (c *Clock) Wall(stamp int64) time.Time {
	return c.epoch.Add(time.Duration(stamp)).Round(0).UTC()
}
