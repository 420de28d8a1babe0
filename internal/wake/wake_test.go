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

func TestCallsComeInOrderAndOnTime(t *testing.T) {
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

// TestNoCallIsLost sets calls from several goroutines while the scheduler sleeps, and waits
// for all of them.
func TestNoCallIsLost(t *testing.T) {
	s := New()
	defer s.Close()
	const setters, each = 4, 500
	var calls, set sync.WaitGroup
	calls.Add(setters * each)
	for g := range setters {
		set.Go(func() {
			for i := range each {
				s.At(time.Now().Add(time.Duration((i*7+g)%50)*20*time.Microsecond), calls.Done)
			}
		})
	}
	set.Wait()
	calls.Wait()
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

func TestSetAgainMovesTheCall(t *testing.T) {
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

// toldSleeper notes for how long it was asked to sleep.
type toldSleeper struct {
	*timerSleeper
	asked *[]time.Duration
}

func (s toldSleeper) sleep(d time.Duration) {
	*s.asked = append(*s.asked, d)
	s.timerSleeper.sleep(d)
}

// TestALongSleepIsCutShort: one of a millisecond or more ends earlier by the lead, for the rest of which the clock is
// watched, and a shorter one does not, nor one behind a call. Without a lead all end when they are to.
func TestALongSleepIsCutShort(t *testing.T) {
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

// TestWhatIsNewEndsTheWatch: who watches the clock looks at what is due first again when that is another one.
func TestWhatIsNewEndsTheWatch(t *testing.T) {
	s := scheduler(newTimerSleeper())
	s.lookAgain()
	s.spin(time.Hour) // the test's own deadline is what ends a failure
	if s.next(); s.changed.Load() {
		t.Error("what was looked at is new still")
	}
	for name, test := range map[string]struct {
		make   func() (*Scheduler, error)
		thread bool
		exact  bool
	}{
		"new":      {func() (*Scheduler, error) { return New(), nil }, false, false},
		"exact":    {func() (*Scheduler, error) { return NewExact(), nil }, false, true},
		"pacer":    {func() (*Scheduler, error) { return NewPacer(Pacing{}) }, true, false},
		"spinning": {func() (*Scheduler, error) { return NewPacer(Pacing{Spin: true}) }, true, false},
	} {
		s, err := test.make()
		if err != nil {
			t.Fatal(err)
		}
		if s.thread != test.thread || s.exact != test.exact {
			t.Errorf("%s: a thread of its own %v, exact %v", name, s.thread, s.exact)
		}
		s.Close()
	}
}
