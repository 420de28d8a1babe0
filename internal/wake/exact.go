package wake

import "time"

// The lead that an exact scheduler begins with, the bounds of what it learns, and by how much one sleep changes it.
const (
	firstLead = 60 * time.Microsecond
	leastLead = 5 * time.Microsecond
	mostLead  = 200 * time.Microsecond
	leadStep  = 500 * time.Nanosecond
)

// tooLate is how many sleeps in time there are to one that ended after the call was due: 19, so one of 20.
const tooLate = 19

// NewExact starts a scheduler whose calls are late by a few microseconds, whatever the time that is asked for: for
// delays that others take for the truth. It gets up from each sleep as long before the call as waking takes on this
// machine, which it learns, and watches the clock for the rest. So one goroutine, and no more, is busy for the lead
// of each call: of what goes on at once, all but the first wait in its list.
//
// What it wakes runs next on its own processor. A thread of its own would be woken no sooner, and would have to wake
// another one for each call.
func NewExact() *Scheduler {
	s := scheduler(newExactSleeper())
	s.exact, s.lead = true, firstLead
	return s.start(nil)
}

// sleepToLead sleeps until the lead before a call that is due after wait, and learns from when that ended: the lead
// settles where one sleep of 20 takes longer than it, so that a pause of the whole machine does not change it much.
func (s *Scheduler) sleepToLead(wait time.Duration) {
	asked := wait - s.lead
	from := time.Now()
	s.sleeper.sleep(asked)
	late := time.Since(from) - asked
	switch {
	case late < 0: // something else ended it
	case late > s.lead:
		s.lead = min(s.lead+tooLate*leadStep, mostLead)
	default:
		s.lead = max(s.lead-leadStep, leastLead)
	}
}
