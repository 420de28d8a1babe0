package wake

import (
	"testing"
	"testing/synctest"
	"time"
)

// A lateSleeper ends each sleep late by late().
type lateSleeper struct {
	*timerSleeper
	late func() time.Duration
}

func (s lateSleeper) sleep(d time.Duration) { s.timerSleeper.sleep(d + s.late()) }

// exactOn returns an exact scheduler on a simulated machine whose sleeps end late by late(), and the number of times it
// polled the clock, which takes a microsecond.
//
// synctest: called only inside a bubble.
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

// TestExactCallsAreOnTime schedules calls on machines with different wake-up latencies. Once the lead is learned, calls
// are on time and the clock is polled no longer than waking up takes.
func TestExactCallsAreOnTime(t *testing.T) {
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

// TestLeadRecoversFromAPause has one sleep end a second late, as when the machine is suspended.
func TestLeadRecoversFromAPause(t *testing.T) {
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

// TestLeadIsBounded shows that a machine with a wake-up latency of a millisecond does not poll for that long.
func TestLeadIsBounded(t *testing.T) {
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
