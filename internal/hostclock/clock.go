package hostclock

import "time"

// Clock reads the monotonic clock of the machine, and translates to it the monotonic readings
// that Go keeps in a time.Time.
//
// On Linux both are CLOCK_MONOTONIC, and differ by a constant that New finds. Elsewhere the
// clock starts with New, and no other process shares it.
type Clock struct {
	start time.Time
	base  int64 // the clock at start, ns
	id    uint64
}

// New makes a clock.
func New() *Clock {
	c := &Clock{start: time.Now(), id: identity()}
	c.base = offset(c.start)
	return c
}

// Now is the time on the clock, ns.
func (c *Clock) Now() int64 { return c.base + int64(time.Since(c.start)) }

// At is the time t on the clock, ns. A t without a monotonic reading is taken by the wall clock,
// and is then as exact as that is steady.
func (c *Clock) At(t time.Time) int64 { return c.base + int64(t.Sub(c.start)) }

// Time is the inverse of At.
func (c *Clock) Time(ns int64) time.Time { return c.start.Add(time.Duration(ns - c.base)) }

// ID tells clocks apart: it is the same for the processes of one boot of one machine and of
// one time namespace, and 0 when that is not known.
//
// Copies of one virtual machine that were made while it ran may have the same identity, and
// clocks that differ: who relies on a shared clock should see that a time of the other side,
// asked for and answered, lies between the two times at which that was done.
func (c *Clock) ID() uint64 { return c.id }

// tries bound the search for the constant between two readings of one clock.
const tries = 64

// between finds the constant d with d = read() − since(): each read lies between two of the other
// clock, and all of those intervals hold d.
func between(since func() int64, read func() (int64, bool)) (d int64, ok bool) {
	low, high := int64(-1<<63), int64(1<<63-1)
	for range tries {
		before := since()
		now, ok := read()
		after := since()
		if !ok {
			return 0, false
		}
		if now-before < low || now-after > high {
			return 0, false // no constant: the clocks are not the same
		}
		low, high = max(low, now-after), min(high, now-before)
	}
	return low + (high-low)/2, true
}
