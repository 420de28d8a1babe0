package wake

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestAKickBeforeTheSleepEndsIt kicks first: the sleep of an hour must not begin.
func TestAKickBeforeTheSleepEndsIt(t *testing.T) {
	for name, s := range map[string]sleeper{"the system's": newSleeper(), "the timer's": newTimerSleeper()} {
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
