package wake

import (
	"testing"
	"testing/synctest"
	"time"
)

// lateSleeper ends each sleep later than asked, by what wake says of it.
type lateSleeper struct {
	*timerSleeper
	late func() time.Duration
}

func (s lateSleeper) sleep(d time.Duration) { s.timerSleeper.sleep(d + s.late()) }

// exactOn is an exact scheduler on a machine that takes so long to wake, and that looks at the clock each microsecond.
func exactOn(late func() time.Duration) (s *Scheduler, looks *int) {
	s = scheduler(lateSleeper{newTimerSleeper(), late})
	s.exact, s.lead = true, firstLead
	looks = new(int)
	s.yield = func() {
		*looks++
		time.Sleep(time.Microsecond)
	}
	return s.start(nil), looks
}

// TestExactCallsAreOnTimeWhateverIsAsked asks for each time in turn on machines that wake at once and late. Once the
// lead is learned the calls come when they are due, and the clock is watched no longer than waking takes.
func TestExactCallsAreOnTimeWhateverIsAsked(t *testing.T) {
	asked := []time.Duration{
		time.Microsecond, 10 * time.Microsecond, 99 * time.Microsecond, 100 * time.Microsecond, 500 * time.Microsecond,
		time.Millisecond, 1050 * time.Microsecond, 1200 * time.Microsecond, 10 * time.Millisecond, time.Second, 2 * time.Hour,
	}
	for _, waking := range []time.Duration{0, 30 * time.Microsecond, 150 * time.Microsecond} {
		t.Run(waking.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, looks := exactOn(func() time.Duration { return waking })
				defer s.Close()
				late := func(d time.Duration) time.Duration {
					called := make(chan time.Duration)
					due := time.Now().Add(d)
					s.At(due, func() { called <- time.Since(due) })
					return <-called
				}
				for range 1000 {
					late(time.Millisecond)
				}
				for _, d := range asked {
					before := *looks
					for range 20 {
						// One sleep of 20 may be late by a part of a step: that is how the lead is kept.
						if got := late(d); got < 0 || got > tooLate*leadStep {
							t.Errorf("%v took %v longer", d, got)
						}
					}
					if most := 20 * int((max(waking, leastLead)+tooLate*leadStep)/time.Microsecond+2); *looks-before > most {
						t.Errorf("%v: %d looks at the clock, more than %d", d, *looks-before, most)
					}
				}
			})
		})
	}
}

// TestTheLeadForgetsAPause has one sleep end a second late, as one does when the machine stands still.
func TestTheLeadForgetsAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		s, _ := exactOn(func() time.Duration {
			if n++; n == 1 {
				return time.Second
			}
			return 20 * time.Microsecond
		})
		for range 200 {
			called := make(chan struct{})
			s.At(time.Now().Add(time.Millisecond), func() { close(called) })
			<-called
		}
		s.Close()
		if s.lead > 40*time.Microsecond || s.lead < 15*time.Microsecond {
			t.Errorf("a lead of %v where waking takes 20 µs", s.lead)
		}
	})
}

// TestTheLeadHasBounds: a machine that wakes after a millisecond must not keep a processor busy for that.
func TestTheLeadHasBounds(t *testing.T) {
	for late, want := range map[time.Duration]time.Duration{0: leastLead, time.Millisecond: mostLead} {
		synctest.Test(t, func(t *testing.T) {
			s, _ := exactOn(func() time.Duration { return late })
			for range 200 {
				called := make(chan struct{})
				s.At(time.Now().Add(10*time.Millisecond), func() { close(called) })
				<-called
			}
			s.Close()
			if s.lead != want {
				t.Errorf("waking takes %v, and the lead is %v, not %v", late, s.lead, want)
			}
		})
	}
}

// TestAnExactSchedulerLosesNoCall sets calls near and far from several goroutines, some before all that were set.
func TestAnExactSchedulerLosesNoCall(t *testing.T) {
	s := NewExact()
	defer s.Close()
	losesNoCall(t, s, 300, 700*time.Microsecond)
}

// TestALateSleepOfJustTheLead is in time still, as the clock is watched until then.
func TestALateSleepOfJustTheLead(t *testing.T) {
	for late, want := range map[time.Duration]time.Duration{
		-1: firstLead, 0: firstLead - leadStep, firstLead: firstLead - leadStep, firstLead + 1: firstLead + tooLate*leadStep,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := scheduler(lateSleeper{newTimerSleeper(), func() time.Duration { return late }})
			s.lead = firstLead
			if s.sleepToLead(time.Millisecond); s.lead != want {
				t.Errorf("late by %v: a lead of %v, not %v", late, s.lead, want)
			}
			s.sleeper.close()
		})
	}
}
