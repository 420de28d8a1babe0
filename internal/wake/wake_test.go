package wake

import (
	"fmt"
	"sort"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestCallsAreInOrderAndOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewPortable()
		start := time.Now()
		var got []string
		note := func(name string) func() {
			return func() { got = append(got, fmt.Sprint(name, " ", time.Since(start))) }
		}
		s.At(start.Add(30*time.Millisecond), note("c"))
		s.At(start.Add(10*time.Millisecond), note("a"))
		s.At(start.Add(10*time.Millisecond), note("b"))
		s.At(start.Add(-time.Second), note("past"))
		s.At(start.Add(time.Hour), note("never"))
		time.Sleep(time.Minute)
		s.Close()
		want := []string{"past 0s", "a 10ms", "b 10ms", "c 30ms"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func BenchmarkOversleep(b *testing.B) {
	spinning, _ := NewPacer(Pacing{Spin: true})
	sleeping, _ := NewPacer(Pacing{})
	for name, s := range map[string]*Scheduler{
		"precise": New(), "timer": NewPortable(), "spinning": spinning, "sleeping": sleeping,
	} {
		b.Run(name, func(b *testing.B) {
			var late []time.Duration
			woken := make(chan time.Duration, 1) // how late the call was, and not who waits for it
			for b.Loop() {
				due := time.Now().Add(300 * time.Microsecond)
				s.At(due, func() { woken <- time.Since(due) })
				late = append(late, <-woken)
			}
			sort.Slice(late, func(i, j int) bool { return late[i] < late[j] })
			b.ReportMetric(float64(late[len(late)/2])/1e3, "µs-late-p50")
			b.ReportMetric(float64(late[len(late)*99/100])/1e3, "µs-late-p99")
		})
		s.Close()
	}
}

func TestSetReschedulesTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewPortable()
		start := time.Now()
		var got []time.Duration
		a := s.Alarm(func() { got = append(got, time.Since(start)) })
		a.Set(start.Add(time.Second))
		a.Set(start.Add(2 * time.Second))
		time.Sleep(3 * time.Second)
		a.Set(start.Add(5 * time.Second))
		time.Sleep(time.Minute)
		s.Close()
		if diff := cmp.Diff([]time.Duration{2 * time.Second, 5 * time.Second}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestSetAllocatesNothing(t *testing.T) {
	s := NewPortable()
	defer s.Close()
	a := s.Alarm(func() {})
	later := time.Now().Add(time.Hour)
	if n := testing.AllocsPerRun(1000, func() { a.Set(later) }); n != 0 {
		t.Errorf("Set allocates %v times", n)
	}
}

// A toldSleeper records the durations it was asked to sleep.
type toldSleeper struct {
	*timerSleeper
	asked *[]time.Duration
}

func (s toldSleeper) sleep(d time.Duration) {
	*s.asked = append(*s.asked, d)
	s.timerSleeper.sleep(d)
}

// A sleep of a millisecond or more ends early by the lead, and the scheduler polls the clock for the rest. Shorter sleeps
// are not cut, and without a lead none is.
func TestLongSleepsEndEarlyByTheLead(t *testing.T) {
	const µs = time.Microsecond
	for name, test := range map[string]struct {
		lead, least time.Duration
		waits       []time.Duration // each is set when the one before it comes
		asked       []time.Duration
		watched     time.Duration
	}{
		"long":             {70 * µs, 1000 * µs, []time.Duration{1000 * µs}, []time.Duration{930 * µs}, 70 * µs},
		"not long":         {70 * µs, 1000 * µs, []time.Duration{999 * µs}, []time.Duration{999 * µs}, 0},
		"short":            {70 * µs, 1000 * µs, []time.Duration{50 * µs}, []time.Duration{50 * µs}, 0},
		"short behind one": {70 * µs, 1000 * µs, []time.Duration{2000 * µs, 50 * µs}, []time.Duration{1930 * µs, 50 * µs}, 70 * µs},
		"without a lead":   {0, 0, []time.Duration{2000 * µs, 50 * µs}, []time.Duration{2000 * µs, 50 * µs}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked []time.Duration
				s := scheduler(toldSleeper{newTimerSleeper(), &asked})
				s.lead, s.least = test.lead, test.least
				watched := time.Duration(0)
				s.yield = func() { watched += µs; time.Sleep(µs) }
				var a *Alarm
				waits, done := test.waits, make(chan struct{})
				a = s.Alarm(func() {
					if waits = waits[1:]; len(waits) == 0 {
						close(done)
						return
					}
					a.Set(time.Now().Add(waits[0]))
				})
				a.Set(time.Now().Add(waits[0]))
				<-s.sleeper.(toldSleeper).kicked // of setting it, before anybody slept
				s.start(nil)
				<-done
				s.Close()
				if diff := cmp.Diff(test.asked, asked[:len(test.asked)]); diff != "" || watched != test.watched {
					t.Errorf("watched for %v, asked\n%s", watched, diff)
				}
			})
		})
	}
}

// TestKickBeforeSleepEndsTheSleep kicks first: the sleep of an hour must return at once.
func TestKickBeforeSleepEndsTheSleep(t *testing.T) {
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

// TestStopCancelsTheCall stops alarms at both ends and in the middle of the queue, one that is not set, and one that
// has fired.
func TestStopCancelsTheCall(t *testing.T) {
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

// callAll schedules near and distant calls from several goroutines and waits for all of them.
func callAll(t *testing.T, s *Scheduler, each int, apart time.Duration) {
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

func TestSchedulersCallEveryAlarm(t *testing.T) {
	for name, start := range map[string]func() (*Scheduler, error){
		"precise":  func() (*Scheduler, error) { return New(), nil },
		"exact":    func() (*Scheduler, error) { return NewExact(), nil },
		"sleeping": func() (*Scheduler, error) { return NewPacer(Pacing{}) },
		"spinning": func() (*Scheduler, error) { return NewPacer(Pacing{Spin: true}) },
	} {
		t.Run(name, func(t *testing.T) {
			s, err := start()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			callAll(t, s, 100, 20*time.Microsecond)
		})
	}
}
