package throughput

import "time"

// coarseTick is the longest tick of a kernel's clock that there is (100 Hz).
const coarseTick = 10 * time.Millisecond

// A busyClock tells when a queue became empty from how long the kernel says that something was in it,
// which is in whole ticks of its clock, and stops by itself: a look that comes late does not make it
// later. Each look before tells when that clock was at zero, by ours, but for a tick.
type busyClock struct {
	known bool
	zero  time.Duration // no later than this, by the look that tells most
	late  time.Duration // a look saw the clock behind that: it was not earlier than this
}

// saw takes a look that found something in the queue.
func (b *busyClock) saw(l look) {
	if l.busy <= 0 {
		return
	}
	if !b.known {
		*b = busyClock{true, l.told - l.busy, l.asked - l.busy}
	}
	b.zero, b.late = min(b.zero, l.told-l.busy), max(b.late, l.asked-l.busy)
}

// stopped is when the queue was certainly empty, by a look that found it so: no later than then, and
// where the looks before disagree by more than a tick, the kernel's clock can be late by as much.
func (b *busyClock) stopped(l look) time.Duration {
	if !b.known || l.busy <= 0 {
		return l.told
	}
	tick := l.tick
	if tick <= 0 {
		tick = coarseTick
	}
	return min(l.told, b.zero+l.busy+max(tick, b.late-b.zero))
}
