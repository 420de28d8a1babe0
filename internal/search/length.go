package search

import (
	"math"
	"time"
)

// Lengths says how long probes last: as long as it takes for 7,200 operations, and a second at least.
type Lengths struct {
	Needs int64         // operations that the condition takes, such as rundoc.Needs of its highest percentile; 0 for none
	Most  time.Duration // no probe is longer
	// Enough is what a probe lasts at most where it has the operations that the condition takes by then; 0: as Most.
	Enough time.Duration
}

const (
	// A p99 of so many has 72 above it, by which it is known to 12%: near the line of a queue a probe then says the same
	// as the next within some percent of the load.
	operations  = 7200
	leastLength = time.Second
)

// Of is the length of a probe at a rate.
func (l Lengths) Of(rate float64) time.Duration {
	seconds := operations / rate
	if l.Enough > 0 {
		seconds = min(seconds, l.Enough.Seconds())
	}
	seconds = max(seconds, l.takes()/rate)
	if seconds >= l.Most.Seconds() { // also where it is more than a Duration can say
		return l.Most
	}
	return min(max(time.Duration(seconds*float64(time.Second)), leastLength), l.Most)
}

// Lowest is the lowest rate of which the longest probe has as many operations as the condition takes.
func (l Lengths) Lowest() float64 { return l.takes() / l.Most.Seconds() }

// takes is what to plan for in order to have as many as are needed where arrivals are random, whose number in a given
// time has the standard deviation √n: four of these more.
func (l Lengths) takes() float64 { return float64(l.Needs) + 4*math.Sqrt(float64(l.Needs)) }
