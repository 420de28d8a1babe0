package wake

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestAKickBeforeTheSleepEndsIt kicks first: the sleep of an hour must not begin.
func TestAKickBeforeTheSleepEndsIt(t *testing.T) {
	for name, s := range map[string]sleeper{
		"the system's": newSleeper(), "the timer's": newTimerSleeper(), "the thread's": newThreadSleeper(),
		"the exact one's": newExactSleeper(),
	} {
		t.Run(name, func(t *testing.T) {
			defer s.close()
			for range 3 {
				s.kick()
				s.sleep(time.Hour) // the test's own deadline is what ends a failure
			}
			woken := make(chan struct{})
			go func() {
				s.sleep(time.Hour)
				close(woken)
			}()
			s.kick() // before it or during it
			<-woken
		})
	}
}

// TestStopTakesTheCallBack stops alarms at both ends of the order and in its middle, one that
// is not set, and one that has rung.
func TestStopTakesTheCallBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewPortable()
		start := time.Now()
		var got []int
		var alarms []*Alarm
		for i := range 7 {
			alarms = append(alarms, s.Alarm(func() { got = append(got, i) }))
			alarms[i].Set(start.Add(time.Duration(i) * time.Second))
		}
		synctest.Wait() // the first has rung
		for _, i := range []int{0, 1, 3, 3, 6} {
			alarms[i].Stop()
		}
		s.Alarm(func() { t.Error("a call that was never set") }).Stop()
		time.Sleep(time.Minute)
		alarms[3].Set(time.Now().Add(time.Second)) // a stopped alarm can be set again
		time.Sleep(time.Minute)
		s.Close()
		if diff := cmp.Diff([]int{0, 2, 4, 5, 3}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestAPacerLosesNoCall sets calls from several goroutines, some of them before all that were set, while the pacer
// sleeps or watches the clock.
func TestAPacerLosesNoCall(t *testing.T) {
	for _, p := range []Pacing{{}, {Spin: true}} {
		s, err := NewPacer(p)
		if err != nil {
			t.Fatal(err)
		}
		losesNoCall(t, s, 200, 20*time.Microsecond)
		s.Close()
	}
}

// losesNoCall sets calls near and far from several goroutines, and waits for all of them.
func losesNoCall(t *testing.T, s *Scheduler, each int, apart time.Duration) {
	t.Helper()
	const setters = 4
	var calls, set sync.WaitGroup
	calls.Add(setters * each)
	for g := range setters {
		set.Go(func() {
			for i := range each {
				at := time.Now().Add(time.Duration((i*7+g)%50) * apart)
				s.At(at, func() {
					if time.Now().Before(at) {
						t.Error("called too early")
					}
					calls.Done()
				})
			}
		})
	}
	set.Wait()
	calls.Wait()
}
