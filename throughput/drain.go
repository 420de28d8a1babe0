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

// A look is what a prober saw, at some moment between two others: whoever looks may have to wait for a
// processor in between.
type look struct {
	asked, told time.Duration // offsets from the attempt's start
	late        time.Duration // how long after it was due it was asked for

	queue  int64         // bytes written to the socket and not yet acknowledged
	unsent int64         // of these, the last ones, which have not been sent once; 0 if unknown
	acked  int64         // bytes acknowledged on the connection so far; -1 if unknown
	minRTT time.Duration // 0 if unknown
	// How far minRTT may be off, to either side, by what other connections have seen.
	minRTTError time.Duration

	rate float64       // delivery rate in bytes per second, 0 if unknown
	busy time.Duration // how long something was in the queue so far, in whole ticks; 0 if unknown
	tick time.Duration // of the clock that busy is counted by; 0 if unknown, or while the queue is not empty

	counted bool    // whether the kernel has the next
	sending Sending // since the connection began
}

// How the queue is polled. A poll costs 0.3 µs to 2 µs, and the waking for it some more.
const (
	// pollShare is how much of the time that the queue should need is waited if the rate was
	// steady, and unsteadyShare if it was not: where several uploads share a path, each goes faster when
	// another one ends.
	pollShare     = 0.5
	unsteadyShare = 0.3
	steady        = 0.05 // as far may the last rate be from the mean
	pollPast      = 1.1  // of it, for a look that is to be just after the end
	pollCap       = 2    // times what has passed, while the rate is not known

	// Towards the end, the queue is looked at so often that the moment is within the tolerance by
	// the looks alone, wherever between the last three it is: bracketShare of what is allowed lies
	// between two looks.
	bracketShare = 0.4
	pollFloor    = 100 * time.Microsecond // between two polls
	stillLooks   = 6                      // without progress in a row, then the looks become rarer
	maxPolls     = 64                     // then the answer is awaited without looking

	// settledError is the error that is aimed at.
	settledError = 0.9 * Tolerance

	segment = 1448
	// measurable is what has to move for a rate: of less, the grain of the acknowledgements is
	// a large part.
	measurable = 8 * segment
	// What a receiver may have and not acknowledge yet is four segments, and what it takes together: what comes
	// in half a millisecond on a path of which an eighth is ours, but no more than the largest packet that
	// a network card or the kernel makes of many. While the path has been used for less than
	// so many round trips, that is believed: what came in bursts tells no rate.
	heldTail  = 4 * segment
	heldFor   = 8 * time.Millisecond / 2
	heldMost  = 64 << 10
	heldTrips = 20
	// How long acknowledgements of more than that may wait for a processor, on either side: while some come, and while
	// none does. Most come at once; but where both ends of a link shared two processors some were as late as this.
	heldBusy  = 2 * time.Millisecond
	heldStill = 20 * time.Millisecond
	// lateLasts is what is left of the lateness of a look at the next one, for what waits behind it.
	lateLasts = 0.8
)

// A drain finds out when a socket's queue has become empty from looks at it. That is not when
// it is seen to be empty: the look is later than the last acknowledgement, and that may be much
// later than the last byte, as a receiver may acknowledge what it has as much as 40 ms late. So
// the moment is held between two others, of which nothing has to be believed but that
// only the last acknowledgement is late:
//
//   - not all had arrived at the look before the last one that saw the queue shrink (what was
//     acknowledged in between did not include the rest), nor at one that found something that was
//     not even sent, nor a little before one that found more in the queue than a receiver holds back. A look
//     that finds the queue as long as before tells nothing: what is in it may have arrived.
//   - all had arrived at the first look that finds nothing, or, where that came late, when the
//     kernel's own clock of the connection (busy_time) stopped.
//
// Between the two, the moment is where the rate foretells it, if it is within the tolerance
// then, and else in the middle. The rate is that of the acknowledgements, between two looks or from when the
// first could come. The kernel's own estimate is used only until then: after a small request it
// is too low by any factor.
type drain struct {
	bytes  int64
	first  time.Duration // when the first piece was taken from the body
	waited time.Duration // for others after that: not counted against the rate, which would be foretold too low
	minRTT time.Duration
	astray time.Duration // how far that may be off
	looked time.Duration // of the last look at all, or when the last piece was taken
	seen   time.Duration // of the last look that found less than the one before
	left   int64         // the queue then
	lower  time.Duration // not all had arrived then
	unsent time.Duration // not all was sent then
	still  int           // looks in a row without progress
	polls  int
	busy   busyClock
	late   time.Duration // how late the last looks were

	rate       float64
	mean       float64       // from the beginning
	fastest    float64       // of all that these two were
	measured   int           // how often the rate was
	rateSince  time.Duration // when the measuring of the next one began
	rateQueued int64         // the queue then
}

// start begins with a body whose pieces were taken from first to last. When the last was
// taken it was certainly not acknowledged, and when the first was, nothing.
func (d *drain) start(first, last, waited time.Duration, bytes int64) {
	*d = drain{
		bytes: bytes, first: first, waited: waited, looked: last, seen: first, left: bytes, lower: last, unsent: -1,
		rateSince: first, rateQueued: bytes,
	}
}

// saw takes a look that found something, and returns how long to wait for the next, or
// false if enough is enough.
func (d *drain) saw(l look) (time.Duration, bool) {
	at := l.asked
	d.polls++
	d.minRTT, d.astray = l.minRTT, l.minRTTError
	d.measure(at, l)
	d.busy.saw(l)
	progress := d.left - l.queue
	// Where no processor was free for the look, there was none for the acknowledgements, either.
	d.late = max(time.Duration(lateLasts*float64(d.late)), l.late)
	// Less than a segment may be the framing after the body.
	if l.unsent >= segment {
		d.unsent = at
	}
	switch big := l.queue > d.held(at); {
	case progress > 0 && big:
		d.lower = max(d.lower, at-heldBusy-d.late, d.looked-d.late)
	case progress > 0:
		d.lower = max(d.lower, d.looked-d.late)
	case big:
		d.lower = max(d.lower, at-heldStill-d.late)
	}
	if at > d.first+l.minRTT { // before, nothing could have moved
		d.still++
	}
	if progress > 0 || d.polls == 1 {
		d.seen, d.left, d.still = at, l.queue, 0
	}
	d.looked = at
	return d.wait(at), d.polls < maxPolls
}

func (d *drain) measure(at time.Duration, l look) {
	begun := d.first + d.waited + l.minRTT
	moved, since := d.rateQueued-l.queue, max(d.rateSince, begun)
	if at > since && (moved >= measurable || d.measured == 0 && moved > 0) {
		d.rate = float64(moved) / (at - since).Seconds()
		d.measured++
		d.rateSince, d.rateQueued = at, l.queue
	}
	if at > begun {
		d.mean = float64(d.bytes-l.queue) / (at - begun).Seconds()
	}
	if d.measured == 0 {
		d.rate = l.rate
		return
	}
	d.fastest = max(d.fastest, d.rate, d.mean)
}

// held is what the receiver may have and not have acknowledged.
func (d *drain) held(at time.Duration) int64 {
	if d.measured < 2 || at-d.first < heldTrips*d.minRTT {
		return heldTail + heldMost
	}
	return heldTail + int64(min(d.fastest*heldFor.Seconds(), heldMost))
}

// isSteady reports whether the last rate is near the mean.
func (d *drain) isSteady() bool {
	return d.measured > 2 && math.Abs(d.rate-d.mean) <= steady*d.mean
}

// needs is the time that what is left needs at a rate; at one of nearly nothing, some years.
func (d *drain) needs(rate float64) time.Duration {
	return time.Duration(min(float64(d.left)/rate, 1e8) * float64(time.Second))
}

// allowed is how far a moment may be off for the figure to be within the tolerance.
func (d *drain) allowed(at time.Duration) time.Duration {
	window := at - d.first - d.minRTT
	return time.Duration(settledError*float64(window)) - unsharp(d.minRTT) - d.astray
}

// wait is the share of the time that the queue should need, but not shorter than what the
// tolerance asks for. As long as the rate may still be growing, a look that comes too late costs
// the accuracy and one too many costs 2 µs: so it is not longer than twice what has passed since
// the first acknowledgement could come, nor than a round trip.
func (d *drain) wait(at time.Duration) time.Duration {
	elapsed := at - d.first
	floor := max(pollFloor, time.Duration(bracketShare*float64(d.allowed(at))))
	w := floor
	if rate := max(d.rate, d.mean); rate > 0 {
		share := unsteadyShare
		if d.isSteady() {
			share = pollShare
		}
		rest := float64(d.needs(rate))
		w = max(min(w, max(time.Duration(pollPast*rest), pollFloor)), time.Duration(share*rest))
	}
	if d.still > stillLooks { // a receiver that does not read
		w = max(w, floor<<min(d.still-stillLooks, 10))
	}
	// Before the first acknowledgement there is nothing to see, and just after it not enough.
	w = max(w, d.minRTT+max(floor, d.minRTT/2)-elapsed)
	if d.isSteady() {
		return w
	}
	return min(w, max(floor+d.minRTT, pollCap*(elapsed-d.minRTT)))
}

// empty takes the look that found nothing, and returns when the queue became empty and how
// far that may be off.
func (d *drain) empty(l look) (moment, doubt time.Duration) {
	d.polls++
	d.minRTT, d.astray = l.minRTT, l.minRTTError
	lower, upper := d.lower, d.busy.stopped(l)
	if d.unsent >= 0 { // its acknowledgement takes a round trip at least
		lower = max(lower, min(d.unsent+d.minRTT, upper))
	}
	upper = max(upper, lower)
	moment = lower + (upper-lower)/2
	if d.measured > 0 && d.rate > 0 {
		foretold := min(max(d.seen+d.needs(d.rate), lower), upper)
		if max(foretold-lower, upper-foretold) <= d.allowed(foretold) || (upper-lower)/2 > d.allowed(moment) {
			moment = foretold
		}
	}
	return moment, max(moment-lower, upper-moment)
}
