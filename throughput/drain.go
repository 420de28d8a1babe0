package throughput

import (
	"math"
	"time"
)

// A prober asks a connection of the operating system. It is called under the lock of the
// attempt. An error means that the connection is gone or cannot be asked.
type prober interface {
	probe() (look, error)
}

// A look is what a prober saw.
type look struct {
	queue  int64         // bytes written to the socket and not yet acknowledged
	acked  int64         // bytes acknowledged on the connection so far; -1 if unknown
	minRTT time.Duration // 0 if unknown
	rate   float64       // delivery rate in bytes per second, 0 if unknown
}

// How the queue is polled. A poll costs 0.3 µs to 2 µs, and an upload has some 3 to 6 of them.
const (
	// pollShare is how much of the time that the queue should need is waited. Nine tenths are
	// fewer polls, but then the last look before the end is often so long before it, or so long
	// after the one before, that it cannot be told whether what was left had been there already
	// and was only acknowledged late.
	pollShare = 0.7
	pollPast  = 1.1                    // of it, for the look that is to be the last
	pollCap   = 6                      // times what has passed, see wait
	pollFloor = 200 * time.Microsecond // between two polls
	pollGrain = 0.005                  // of what has passed, if that is longer
	maxPolls  = 64                     // then the answer is awaited without looking

	segment = 1448
	// tail is what a receiver may have and not acknowledge yet.
	tail = 2 * segment
	// measurable is what has to move for a rate: of less, the grain of the acknowledgements is
	// a large part.
	measurable = 8 * segment

	// extrapolationError is how far the rate at which the queue empties may at least be from
	// the one seen so far.
	extrapolationError = 0.33
	// standstillError is that if a look found no progress: what was left may have been there, and
	// only be acknowledged late.
	standstillError = 2 * extrapolationError
	// settledError is the error up to which what was seen suffices, and only the end is awaited.
	settledError = 0.9 * Tolerance
	// deviationWeight is how much faster than the deviation of the last rate from the mean the
	// belief vanishes that the queue moved steadily between two looks.
	deviationWeight = 3
)

// A drain finds out when a socket's queue has become empty from looks at it. The moment lies
// between the last look that saw something in it and the first that did not.
//
// Neither a queue that stands still nor its tail counts as something: a receiver may
// acknowledge what it has as much as 40 ms late, and a look that finds it waiting says nothing
// of when it arrived. So the last look before that, and the rate, foretell the moment, and the
// difference to when the queue was seen empty is the error.
//
// The rate is that of the acknowledgements, between two looks or from when the first could
// come. The kernel's own estimate is used only until then: after a small request it is too
// low by any factor.
type drain struct {
	bytes  int64
	first  time.Duration // when the first piece was taken from the body
	looked time.Duration // of the last look at all, or when the last piece was taken
	seen   time.Duration // of the last look that found less than the one before
	left   int64         // the queue then
	at     time.Duration // of the last one of these that also found more than the tail
	queue  int64         // then
	gap    time.Duration // from the look before that one
	still  int           // looks in a row without progress
	lump   int64         // as much is acknowledged together: the queue may be shorter by that
	polls  int

	rate       float64
	mean       float64       // from the beginning
	measured   int           // how often the rate was
	moved      int64         // while it was measured the last time
	rateSince  time.Duration // when the measuring of the next one began
	rateQueued int64         // the queue then
}

// start begins with a body whose pieces were taken from first to last. When the last was
// taken it was certainly not acknowledged, and when the first was, nothing.
func (d *drain) start(first, last time.Duration, bytes int64) {
	*d = drain{
		bytes: bytes, first: first, looked: last, seen: first, left: bytes, at: last,
		rateSince: first, rateQueued: bytes,
	}
}

// saw takes a look that found something, and returns how long to wait for the next, or
// false if enough is enough. A look that finds the queue as long as the one before changes
// nothing but the wait: what is in it may have arrived, and only be acknowledged late.
func (d *drain) saw(at time.Duration, l look) (time.Duration, bool) {
	d.polls++
	d.measure(at, l)
	progress := d.left - l.queue
	if progress > 0 && d.still > 0 { // it stood still before: acknowledgements come in lumps
		d.lump = max(d.lump, progress)
	}
	if at > d.first+l.minRTT { // before, nothing could have moved
		d.still++
	}
	if progress > 0 || d.polls == 1 {
		d.seen, d.left, d.still = at, l.queue, 0
		if l.queue > tail || d.polls == 1 {
			d.at, d.queue, d.gap = at, l.queue, at-d.looked
		}
	}
	d.looked = at
	return d.wait(at, l.minRTT), d.polls < maxPolls
}

func (d *drain) measure(at time.Duration, l look) {
	begun := d.first + l.minRTT
	moved, since := d.rateQueued-l.queue, max(d.rateSince, begun)
	if at > since && (moved >= measurable || d.measured == 0 && moved > 0) {
		d.rate, d.moved = float64(moved)/(at-since).Seconds(), moved
		d.measured++
		d.rateSince, d.rateQueued = at, l.queue
	}
	if at > begun {
		d.mean = float64(d.bytes-l.queue) / (at - begun).Seconds()
	}
	if d.measured == 0 {
		d.rate = l.rate
	}
}

// deviation is how far the last rate is from the mean, as a share of it.
func (d *drain) deviation() float64 { return math.Abs(d.rate-d.mean) / d.rate }

// needs is the time that so many bytes need at the rate; at one of nearly nothing, some years.
func (d *drain) needs(bytes int64) time.Duration {
	return time.Duration(min(float64(bytes)/d.rate, 1e8) * float64(time.Second))
}

// wait is the share of the time that the queue should need. As long as the rate may still be
// growing, a look that comes too late costs the accuracy and one too many costs 2 µs: so it is
// not longer than six times what has passed since the first acknowledgement could come, nor than
// a round trip. Nor is it shorter than what would be seen in the result. Once that does not need
// another look, the next one is to be the last.
func (d *drain) wait(at, minRTT time.Duration) time.Duration {
	elapsed := at - d.first
	floor := max(pollFloor, time.Duration(pollGrain*float64(elapsed)))
	w := floor
	if d.rate > 0 {
		rest, share := float64(d.needs(d.left)), pollShare
		if share*rest < float64(floor) || d.settled(minRTT) {
			share = pollPast
		}
		w = max(w, time.Duration(share*rest))
	}
	if d.still > 0 { // a receiver that does not read, or a late acknowledgement
		w = max(w, floor<<min(2*d.still, 10))
	}
	// Before the first acknowledgement there is nothing to see, and just after it not enough.
	w = max(w, minRTT+max(floor, minRTT/2)-elapsed)
	if d.measured > 1 && d.deviation() <= extrapolationError {
		return w
	}
	return min(w, max(floor+minRTT, pollCap*(elapsed-minRTT)))
}

// settled reports whether the figure is within the tolerance if the queue is empty when it
// should be, even if all that is left in it is already there and only acknowledged late.
func (d *drain) settled(minRTT time.Duration) bool {
	if d.measured < 2 {
		return false
	}
	rest := d.needs(d.queue)
	window := d.at + rest - d.first - minRTT
	doubt := rest + d.needs(d.lump)/2 + d.unseen() + unsharp(minRTT)
	return float64(doubt) < settledError*float64(window)
}

// empty takes the look that found nothing, and returns when the queue became empty and how
// far that may be off: by as much of the time foretold as the rate was not steady, by what
// the queue needed more or less than that, by half of what is acknowledged together, and by
// what the last look that counts could not see.
func (d *drain) empty(at time.Duration) (moment, doubt time.Duration) {
	d.polls++
	span := max(at-d.at, 0)
	if d.measured == 0 || d.rate <= 0 { // nothing was seen to move: it may have come long before
		span += d.gap
		return at - span/2, span / 2
	}
	foretold := d.needs(d.queue)
	unsteady := 1.0
	if d.measured > 1 {
		least := extrapolationError
		if d.still > 0 {
			least = standstillError
		}
		unsteady = min(max(d.deviation(), least), 1)
	}
	off := min(max(foretold-span, span-foretold), span) + d.unseen()
	foretold = min(foretold, span)
	return d.at + foretold, off + d.needs(d.lump)/2 + time.Duration(unsteady*float64(foretold))
}

// unseen is how much earlier than foretold the queue may have become empty because what it lost
// between two looks went at once: then it may have arrived long before, and been acknowledged late.
// That was before the last look that counts or, where a later one found the tail alone, after it.
// Rates that disagree tell of it: what had gone earlier would have gone faster. So how often they
// agree counts against it, as that happens by chance, too. A segment more or less does not count
// as disagreement.
func (d *drain) unseen() time.Duration {
	n, grain := float64(d.measured), segment/float64(max(d.moved, 1))
	disagree := max(deviationWeight*(d.deviation()-grain), 0)
	believed, between := max(disagree, 1/max(n*(n-1), 1)), d.gap
	if d.seen != d.at {
		believed, between = disagree, min(d.seen-d.at, d.needs(d.queue))
	}
	return time.Duration(min(believed, 1) * float64(between))
}
