package throughput

import (
	"testing"
	"time"
)

// The clock of the kernel stops with the queue, and each look before tells when it was at zero, by ours: what takes the
// look that finds nothing is no part of it, but for a tick, or for as much as the looks disagree.
func TestBusyClock(t *testing.T) {
	at := func(asked, told, busy time.Duration) look { return look{asked: asked, told: told, busy: busy} }
	for _, c := range []struct {
		name       string
		seen       []look
		busy, tick time.Duration
		want       time.Duration
	}{
		{"a tick", []look{at(5*milli, 5*milli, 5*milli)}, 50 * milli, 4 * milli, 54 * milli},
		{"no later than the look", []look{at(5*milli, 5*milli, 5*milli)}, 50 * milli, 60 * milli, 100 * milli},
		{"an unknown tick", []look{at(5*milli, 5*milli, 5*milli)}, 50 * milli, 0, 60 * milli},
		{"a tick of no length", []look{at(5*milli, 5*milli, 5*milli)}, 50 * milli, 1, 50*milli + 1},
		{"the earliest zero", []look{at(6*milli, 6*milli, 5*milli), at(9*milli, 9*milli, 9*milli)}, 50 * milli, 4 * milli, 54 * milli},
		{"the first is told late", []look{at(5*milli, 8*milli, 5*milli)}, 50 * milli, 2 * milli, 55 * milli},
		{"the looks disagree", []look{at(5*milli, 5*milli, 5*milli), at(20*milli, 20*milli, 8*milli)}, 50 * milli, 4 * milli, 62 * milli},
		{"nothing is known", nil, 50 * milli, 4 * milli, 100 * milli},
		{"it did not run yet", []look{at(10*milli, 10*milli, 0)}, 50 * milli, 4 * milli, 100 * milli},
		{"it had just begun", []look{at(10*milli, 10*milli, 1)}, 50 * milli, 4 * milli, 64*milli - 1},
		{"it says nothing in the end", []look{at(5*milli, 5*milli, 5*milli)}, 0, 4 * milli, 100 * milli},
		{"it says next to nothing", []look{at(5*milli, 5*milli, 5*milli)}, 1, 4 * milli, 4*milli + 1},
	} {
		var b busyClock
		for _, l := range c.seen {
			b.saw(l)
		}
		if got := b.stopped(look{asked: 99 * milli, told: 100 * milli, busy: c.busy, tick: c.tick}); got != c.want {
			t.Errorf("%s: stopped at %v instead of %v", c.name, got, c.want)
		}
	}
}
