package engine

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/internal/plan"
)

// never is later than any stamp, and farthest than any that a run comes to.
const (
	never    = math.MaxInt64
	farthest = never / 2
)

// schedule gives the intended starts of an open model, in order, in ns since its beginning; never when none is left.
// after is the moment at which a schedule that is cut short here ends: when the one behind its last would come.
type schedule interface {
	next() int64
	after() int64
}

// recorded are arrivals at moments that were noted before.
type recorded struct {
	at func(n uint64) (time.Duration, bool)
	n  uint64
}

func (r *recorded) next() int64 {
	at, ok := r.at(r.n)
	if !ok || at < 0 || at > farthest {
		return never
	}
	r.n++
	return int64(at)
}

func (r *recorded) after() int64 { return r.next() }

// arrivals gives the intended starts of an open model, in order, in ns since its beginning.
// They are a pure function of the seed, the process and the rate.
//
// The k-th arrival of a process with unit rate is mapped through the inverse of the expected
// number of arrivals Λ(t) = ∫ rate dt (the time-rescaling theorem), so one process serves
// every course of the rate.
type arrivals struct {
	process plan.Arrivals
	seed    uint64
	index   uint64
	unit    float64 // when the arrival comes in the process of unit rate
	course  []segment
}

// segment is a stretch of time in which the rate moves linearly.
type segment struct {
	start    float64 // s since the beginning
	length   float64 // s; +Inf for the last one of an endless course
	from, to float64 // rate at its ends, per s
	before   float64 // expected arrivals before it
}

// newArrivals makes the arrivals of a course that rises from 0 to rate during ramp and then
// follows the stages, or stays when there are none.
func newArrivals(process plan.Arrivals, seed uint64, ramp time.Duration, rate float64, stages []plan.Stage) *arrivals {
	a := &arrivals{process: process, seed: seed}
	if ramp > 0 {
		a.add(ramp.Seconds(), 0, rate)
	}
	for _, s := range stages {
		a.add(s.Duration.Seconds(), rate, s.Rate)
		rate = s.Rate
	}
	if len(stages) == 0 {
		a.add(math.Inf(1), rate, rate)
	}
	if process == plan.Poisson {
		a.unit = a.gap()
	}
	return a
}

func (a *arrivals) add(length, from, to float64) {
	s := segment{length: length, from: from, to: to}
	if n := len(a.course); n > 0 {
		last := a.course[n-1]
		s.start = last.start + last.length
		s.before = last.before + last.expected()
	}
	a.course = append(a.course, s)
}

// expected is the number of arrivals that the segment brings, on average.
func (s segment) expected() float64 {
	if math.IsInf(s.length, 1) {
		return math.Inf(1)
	}
	return (s.from + s.to) / 2 * s.length
}

// when is the time within the segment at which n arrivals of it are expected: the root of
// from·t + (to−from)/(2·length)·t² = n, in the form that does not cancel.
func (s segment) when(n float64) float64 {
	slope := 0.0
	if !math.IsInf(s.length, 1) {
		slope = (s.to - s.from) / s.length
	}
	root := math.Sqrt(math.Max(0, s.from*s.from+2*slope*n))
	if s.from+root == 0 {
		return 0
	}
	return 2 * n / (s.from + root)
}

// next gives the next arrival, or never when the course has none left.
func (a *arrivals) next() int64 {
	at := a.after()
	if at != never && a.process == plan.Burst {
		// A microsecond is more than what rounding can take from an arrival on a full second.
		at = (at + 1e3) / 1e9 * 1e9
	}
	return at
}

// after is when the next arrival comes, or the one of a burst would come if it came by itself; never when the course
// has none left.
func (a *arrivals) after() int64 {
	unit := a.unit
	a.index++
	if a.process == plan.Poisson {
		a.unit += a.gap()
	} else {
		a.unit++
	}
	for len(a.course) > 1 && unit >= a.course[0].before+a.course[0].expected() {
		a.course = a.course[1:]
	}
	s := a.course[0]
	if unit >= s.before+s.expected() {
		return never
	}
	return int64((s.start + s.when(unit-s.before)) * 1e9)
}

// gap is the exponential gap before the arrival of this index, with mean 1.
func (a *arrivals) gap() float64 {
	r := rand.NewPCG(a.seed, a.index)
	return rand.New(r).ExpFloat64()
}
