package instrument

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/rundoc"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const ms = int64(time.Millisecond)

// lab is a process whose clocks the test sets.
type lab struct {
	*Meter
	stamp, used atomic.Int64
}

// newLab makes a meter whose sleeper went to sleep at the stamp 0 and wakes by woke alone.
func newLab(t *testing.T) *lab {
	t.Helper()
	l := &lab{}
	c := Config{Now: l.stamp.Load, Epoch: time.Now(), Off: Hiccups}
	l.Meter = start(c, machine{rusage: func(*snapshot) {}}, l.used.Load, MinGap)
	t.Cleanup(l.Stop)
	l.off = 0
	l.nod(0, 0)
	return l
}

// Open opens a window after the readings of its start.
func (l *lab) Open(start int64) {
	l.Ready()
	l.Meter.Open(start)
}

// woke has the sleeper wake late, after the process has used CPU time, and sleep again.
func (l *lab) woke(late, used time.Duration) {
	due := l.alert.Load() - int64(l.least)
	l.stamp.Store(due + int64(late))
	l.wake(due, l.stamp.Load(), l.used.Add(int64(used))-l.before.Load())
	l.nod(l.stamp.Load(), l.used.Load())
}

// TestOnlyWhatCannotHaveRunIsAGap has a sleeper that was due at 1 ms.
func TestOnlyWhatCannotHaveRunIsAGap(t *testing.T) {
	for _, test := range []struct {
		name       string
		late, used time.Duration
		want       time.Duration
	}{
		{"punctual", 0, 0, 0},
		{"as late as an idle system makes it", MinGap, 0, 0},
		{"a little later", MinGap + 1, 0, MinGap + 1},
		{"stopped", time.Second, 0, time.Second},
		{"its own process was busy", 40 * time.Millisecond, 41 * time.Millisecond, 0},
		{"on two CPUs", 40 * time.Millisecond, 82 * time.Millisecond, 0},
		{"busy, and stopped", 90 * time.Millisecond, 20 * time.Millisecond, 70 * time.Millisecond},
		{"hardly stopped", 22 * time.Millisecond, 20 * time.Millisecond, 0},
	} {
		l := newLab(t)
		l.woke(test.late, test.used)
		if got := l.Overlap(0, never); got != int64(test.want) {
			t.Errorf("%s: a gap of %v, want %v", test.name, time.Duration(got), test.want)
		}
	}
}

func TestOverlap(t *testing.T) {
	l := newLab(t)
	l.woke(9*time.Millisecond, 0)  // a gap from 1 to 10 ms
	l.woke(0, 0)                   // 11
	l.woke(58*time.Millisecond, 0) // from 12 to 70
	l.woke(0, 0)                   // 71
	for _, test := range []struct{ from, to, want int64 }{
		{0, 1, 0},
		{0, 200, 67},
		{1, 10, 9},
		{2, 4, 2},
		{5, 20, 13},
		{10, 12, 0},
		{69, 70, 1},
		{70, 71, 0},
		{30, 30, 0},
		{40, 20, 0},
	} {
		if got := l.Overlap(test.from*ms, test.to*ms); got != test.want*ms {
			t.Errorf("%d…%d ms: %v, want %d ms", test.from, test.to, time.Duration(got), test.want)
		}
	}
}

// TestAGapThatGoesOnCounts has a sleeper that was due at 1 ms and did not wake.
func TestAGapThatGoesOnCounts(t *testing.T) {
	l := newLab(t)
	for _, test := range []struct{ now, used, from, to, want int64 }{
		{3, 0, 0, 3, 0}, // overdue by no more than MinGap
		{4, 0, 0, 4, 3},
		{60, 0, 20, 60, 40},
		{60, 0, 0, 2, 0}, // it ended before the sleeper was overdue
		{60, 0, 0, 3, 0}, // or just then
		{60, 58, 0, 60, 0},
		{60, 20, 0, 60, 39},
	} {
		l.stamp.Store(test.now * ms)
		l.used.Store(test.used * ms)
		if got := l.Overlap(test.from*ms, test.to*ms); got != test.want*ms {
			t.Errorf("at %d ms, %d used: %v, want %d ms", test.now, test.used, time.Duration(got), test.want)
		}
	}
	l.used.Store(0)
	l.Open(0)
	l.wake(ms, 60*ms, 0) // it counts once, also before the sleeper sleeps again
	for range 2 {
		if got := l.Overlap(0, l.stamp.Load()); got != 59*ms {
			t.Errorf("it was %v when it had ended", time.Duration(got))
		}
		l.nod(60*ms, 0)
	}
}

// TestOldGapsFallOut has more gaps than are kept.
func TestOldGapsFallOut(t *testing.T) {
	l := newLab(t)
	for range 4200 {
		l.woke(4*time.Millisecond, 0)
	}
	if got, want := l.Overlap(0, never), 4095*4*ms; got != want {
		t.Errorf("%v, want %v", time.Duration(got), time.Duration(want))
	}
	if got := l.Overlap(l.stamp.Load()-10*ms, never); got != 8*ms {
		t.Errorf("%v in the last 10 ms", time.Duration(got))
	}
}

// TestOverlapIsThatOfEachGap compares it with a sum over all gaps.
func TestOverlapIsThatOfEachGap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	l := newLab(t)
	var all []span
	for range 2000 {
		due := l.alert.Load() - int64(l.least)
		l.woke(time.Duration(r.Int64N(6*ms)), 0)
		if l.stamp.Load()-due > int64(MinGap) {
			all = append(all, span{due, l.stamp.Load()})
		}
		from := r.Int64N(l.stamp.Load() + 1)
		to := from + r.Int64N(l.stamp.Load()-from+1)
		var want int64
		for _, s := range all {
			want += max(0, min(to, s.to)-max(from, s.from))
		}
		if got := l.Overlap(from, to); got != want {
			t.Fatalf("%d…%d: %d, want %d", from, to, got, want)
		}
	}
}

// TestNothingLiesInATimeThatEndsBeforeItBegins asks for one as far back as can be.
func TestNothingLiesInATimeThatEndsBeforeItBegins(t *testing.T) {
	l := newLab(t)
	l.woke(5*time.Millisecond, 0)
	if got := l.Overlap(0, -never); got != 0 {
		t.Errorf("%v", time.Duration(got))
	}
}

// TestOverlapBesideTheSleeper reads as fast as it can while gaps of 5 ms come: no one sees a part of one, or less than
// before. When the ring has been full, only the first holds.
func TestOverlapBesideTheSleeper(t *testing.T) {
	l := newLab(t)
	var over atomic.Bool
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for last := int64(0); !over.Load(); {
				got := l.Overlap(0, l.gaps.last.Load())
				if got%(5*ms) != 0 || got < last && l.gaps.count.Load() < kept {
					t.Errorf("%v, after %v", time.Duration(got), time.Duration(last))
					return
				}
				last = got
			}
		})
	}
	for range kept + 500 {
		l.woke(5*time.Millisecond, 0)
	}
	over.Store(true)
	readers.Wait()
}

// TestHiccupsAreTheWindows opens it at 5 ms and closes it at 100 ms.
func TestHiccupsAreTheWindows(t *testing.T) {
	l := newLab(t)
	l.woke(9*time.Millisecond, 0) // a gap from 1 to 10 ms
	l.Open(5 * ms)                // so late was its caller
	l.woke(0, 0)                  // 11
	l.woke(60*time.Millisecond, 0)
	l.woke(time.Millisecond, 0)     // 74
	l.woke(15*time.Millisecond, 0)  // from 75 to 90
	l.stamp.Store(200 * ms)         // the next one goes on since 91
	l.Close(100 * ms)               // and its caller could not run, either
	l.woke(300*time.Millisecond, 0) // behind the window
	l.woke(time.Millisecond+2*time.Microsecond, 0)
	r := l.Reading()
	got := *r.Hiccups // the sleeper woke 4 times, one that was noticed before Open counts, and the one that goes on
	if got.Lateness.Count != 6 || got.Lateness.MaxNS != 109*ms || got.Lateness.MinNS != 0 {
		t.Errorf("lateness %+v", got.Lateness)
	}
	got.Lateness = rundoc.Summary{}
	want := rundoc.Hiccups{Gaps: 4, GapsNS: (5 + 60 + 15 + 9) * ms, Long: 1, LongNS: 60 * ms, Longest: []rundoc.Gap{
		{AtNS: 5 * ms, NS: 5 * ms}, {AtNS: 12 * ms, NS: 60 * ms}, {AtNS: 75 * ms, NS: 15 * ms}, {AtNS: 91 * ms, NS: 9 * ms},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var g rundoc.Generator
	r.Document(&g, 4*ms)
	if at := g.Hiccups.Longest[1].AtNS; at != 8*ms {
		t.Errorf("12 ms is %v after the start", time.Duration(at))
	}
}

// TestTheLongestGapsAreListed has 300 gaps of different lengths, 210 of them of 50 ms or more.
func TestTheLongestGapsAreListed(t *testing.T) {
	l := newLab(t)
	l.Open(0)
	var sum, long int64
	for i := range 300 {
		late := 5*ms + int64(i*7919%300)*ms/2
		if sum += late; late >= 50*ms {
			long += late
		}
		l.woke(time.Duration(late), 0)
	}
	l.Close(l.stamp.Load())
	h := l.Reading().Hiccups
	if h.Gaps != 300 || h.GapsNS != sum || len(h.Longest) != rundoc.MaxGaps {
		t.Fatalf("%d gaps of %d, want %d; %d listed", h.Gaps, h.GapsNS, sum, len(h.Longest))
	}
	if h.Long != 210 || h.LongNS != long {
		t.Errorf("%d long gaps of %d, want %d", h.Long, h.LongNS, long)
	}
	last := int64(-1)
	for _, g := range h.Longest {
		if g.AtNS <= last || g.NS < 5*ms+200*ms/2 {
			t.Errorf("%+v behind %d", g, last)
		}
		last = g.AtNS
	}
}

// TestTheSleeperSleepsOn runs it with a sleep that takes as long as a script says.
func TestTheSleeperSleepsOn(t *testing.T) {
	script := []time.Duration{0, 300 * time.Microsecond, 8 * time.Millisecond, 0}
	var stamp, used atomic.Int64
	asleep, wake := make(chan bool, 1), make(chan bool)
	c := Config{Now: stamp.Load, Epoch: time.Now(), Sleep: func(d time.Duration) {
		if len(script) == 0 {
			asleep <- true
			<-wake
			return
		}
		stamp.Add(int64(d + script[0]))
		script = script[1:]
	}}
	m := start(c, machine{rusage: func(*snapshot) {}}, used.Load, MinGap)
	<-asleep
	// It slept from 0 to 1 ms, to 2.3, to 11.3 and to 12.3.
	if got := m.Overlap(0, stamp.Load()); got != 8*ms {
		t.Errorf("gaps of %v", time.Duration(got))
	}
	if got := m.Overlap(0, 10*ms); got != 10*ms-3300*int64(time.Microsecond) {
		t.Errorf("up to 10 ms gaps of %v", time.Duration(got))
	}
	m.quit.Store(true)
	close(wake)
	m.Stop()
	stamp.Add(int64(time.Hour))
	if got := m.Overlap(0, stamp.Load()); got != 8*ms {
		t.Errorf("a gap goes on behind Stop: %v", time.Duration(got))
	}
}

// TestFakeTimeHasNoGaps runs the meter as it is, on a clock that waits for nobody.
func TestFakeTimeHasNoGaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		epoch := time.Now()
		m := Start(Config{Now: func() int64 { return int64(time.Since(epoch)) }, Epoch: epoch})
		defer m.Stop()
		m.Ready()
		m.Open(0)
		time.Sleep(3*time.Second + 1)
		m.Close(int64(3 * time.Second))
		r := m.Reading()
		if r.Hiccups.Gaps != 0 || r.Hiccups.Lateness.Count != 3000 || r.Hiccups.Lateness.MaxNS != 0 {
			t.Errorf("%+v", r.Hiccups)
		}
		if r.Elapsed != 3*time.Second+1 || ClockStep(epoch) != 0 {
			t.Errorf("%v, and a step of %v", r.Elapsed, ClockStep(epoch))
		}
		if m.Overlap(0, int64(time.Hour)) != 0 {
			t.Error("a gap")
		}
	})
}

// TestTheSleeperWakesWhileItIsAskedFor ends the gap between a look at those that ended and one at the clock.
func TestTheSleeperWakesWhileItIsAskedFor(t *testing.T) {
	l := newLab(t)
	l.stamp.Store(60 * ms)
	asked := 0
	l.now = func() int64 {
		if asked++; asked == 1 {
			l.woke(59*time.Millisecond, 0)
		}
		return l.stamp.Load()
	}
	if got := l.Overlap(0, 60*ms); got != 59*ms || asked == 0 {
		t.Errorf("%v", time.Duration(got))
	}
}

// TestAGapThatIsNoticedAtTheEndCountsOnce closes the window between the sleeper's waking and its next sleep.
func TestAGapThatIsNoticedAtTheEndCountsOnce(t *testing.T) {
	l := newLab(t)
	l.Open(0)
	l.stamp.Store(60 * ms)
	l.wake(ms, 60*ms, 0)
	l.Close(60 * ms)
	if h := l.Reading().Hiccups; h.Gaps != 1 || h.GapsNS != 59*ms || h.Lateness.Count != 1 {
		t.Errorf("%+v", h)
	}
}

// TestNoWindowIsNoReading has a window that ended before anybody opened it, and one that was not closed either.
func TestNoWindowIsNoReading(t *testing.T) {
	for name, open := range map[string]func(*lab){
		"not opened": func(l *lab) { l.Close(l.stamp.Load()) },
		"not closed": func(l *lab) { l.Open(0) },
	} {
		l := newLab(t)
		l.off = RunDelay
		l.woke(time.Second, 0)
		open(l)
		r := l.Reading()
		if r.Hiccups != nil || r.CPUs == 0 || r.Throttled != nil {
			t.Errorf("%s: %+v", name, r)
		}
		const why = ": the window was over before it was watched"
		want := []string{"hiccups" + why, "run delay: switched off", "throttling" + why, "processors" + why,
			"garbage collection" + why}
		if diff := cmp.Diff(want, r.Unseen); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestOverlapAllocatesNothing(t *testing.T) {
	epoch := time.Now()
	m := Start(Config{Now: func() int64 { return int64(time.Since(epoch)) }, Epoch: epoch})
	m.Stop()
	m.gaps.add(1, 2)
	m.alert.Store(0)
	if n := testing.AllocsPerRun(100, func() { m.Overlap(0, m.now()) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkOverlap(b *testing.B) {
	m := start(Config{Now: func() int64 { return 0 }, Off: Hiccups}, machine{}, processTime, MinGap)
	b.Run("none", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m.Overlap(10, 20)
		}
	})
	for i := range int64(kept) {
		m.gaps.add(10*i, 10*i+5)
	}
	b.Run("the latest of many", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m.Overlap(10*kept-20, 10*kept)
		}
	})
	b.Run("all", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m.Overlap(0, 10*kept)
		}
	})
	m.alert.Store(0)
	b.Run("overdue", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m.Overlap(10*kept, 10*kept+1)
		}
	})
}

// The runtime counts the time that its processors were given to something, however little of it the system let them
// run: collection that had a quarter of that had a quarter of the CPU time, and not all of it.
func TestCollectionBesideOtherProcesses(t *testing.T) {
	for _, c := range []struct{ collecting, busy, want float64 }{
		{0.1, 0.4, 0.25}, {0.3, 0.4, 0.75}, {0.4, 0.4, 1}, {0.5, 0.4, 1}, {-0.1, 0.4, 0}, {0.1, 0, 0}, {0.1, -0.4, 0},
	} {
		m := &Meter{
			first: &snapshot{user: time.Second, gcCPU: 1, busyCPU: 10},
			last: &snapshot{user: time.Second + 50*time.Millisecond, gcCPU: 1 + c.collecting, busyCPU: 10 + c.busy,
				elapsed: time.Second},
		}
		if got := m.Reading().GCShare; !(math.Abs(got-c.want) <= 1e-9) {
			t.Errorf("collection had %v of the CPU time, not %v", got, c.want)
		}
	}
}

// What only one end of the window tells is not known of it.
func TestWhatOneEndTells(t *testing.T) {
	blind := &snapshot{why: map[Watch]error{RunDelay: errors.New("no file")}}
	seeing := &snapshot{throttled: map[string]time.Duration{"a": 5}}
	for _, c := range []struct {
		first, last *snapshot
		known       bool
	}{{seeing, seeing, true}, {seeing, blind, false}, {blind, seeing, false}, {blind, blind, false}} {
		m := &Meter{first: c.first, last: c.last, off: Hiccups}
		if r := m.Reading(); (r.RunDelay != nil) != c.known || (r.Throttled != nil) != c.known {
			t.Errorf("%+v and %+v: %+v", c.first, c.last, r)
		}
	}
}

// TestWhatIsKnownSoFar: the times and the gaps of the window that is open, and nothing before there is one.
func TestWhatIsKnownSoFar(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	l := newLab(t)
	l.machine = machineOf(files("proc/stat", "cpu 1 0 0 0 0\ncpu0 1 0 0 0 0\ncpu1 0 0 0 0 0\ncpu2 0 0 0 0 0\n"))
	used := func(user, system time.Duration) func(*snapshot) {
		return func(s *snapshot) { s.user, s.system, s.maxRSS = user, system, 7 }
	}
	l.machine.rusage = used(5, 50)
	if r := l.SoFar(); r.CPUs != 0 || r.MaxRSS != 0 || r.Hiccups != nil {
		t.Errorf("of no window: %+v", r)
	}
	l.Open(0)
	l.machine.rusage = used(8, 90)
	l.woke(9*time.Millisecond, 0)
	r := l.SoFar()
	if r.User != 3 || r.System != 40 || r.MaxRSS != 7 || r.Elapsed <= 0 || r.CPUs != 2 || r.MachineCPUs != 3 {
		t.Errorf("%+v", r)
	}
	if r.Hiccups == nil || r.Hiccups.Gaps != 1 || r.Hiccups.GapsNS != 9*ms {
		t.Errorf("gaps %+v", r.Hiccups)
	}
	l.off = Hiccups
	if r := l.SoFar(); r.Hiccups != nil || r.User != 3 {
		t.Errorf("without gaps: %+v", r)
	}
}

// What a process does is in the runtime's sum, as in the system's.
func TestBusyTimeOfTheRuntime(t *testing.T) {
	var before, after snapshot
	runtime.GC() // which brings the sums up to date
	before.readGC()
	for began := ProcessTime(); ProcessTime()-began < 50*time.Millisecond; {
	}
	runtime.GC()
	after.readGC()
	if before.gcCPU <= 0 {
		t.Errorf("collections took %v s", before.gcCPU)
	}
	if busy := after.busyCPU - before.busyCPU; busy < 0.045 {
		t.Errorf("the runtime was busy for %v s, and the process used 0.05", busy)
	}
	if after.gcCPU-before.gcCPU > after.busyCPU-before.busyCPU {
		t.Error("collection took more than all")
	}
}

// TestAGapThatGoesOnBehindAnother counts from when it is overdue.
func TestAGapThatGoesOnBehindAnother(t *testing.T) {
	l := newLab(t)
	l.woke(9*time.Millisecond, 0) // a gap from 1 to 10 ms
	l.stamp.Store(60 * ms)        // and the sleeper is overdue since 13
	for to, want := range map[int64]int64{13 * ms: 5 * ms, 13*ms + 1: 7*ms + 1} {
		if got := l.Overlap(5*ms, to); got != want {
			t.Errorf("up to %d: %d, not %d", to, got, want)
		}
	}
}

// TestEdgesOfHiccups: a gap is held for ten seconds, cut where the window ends, and of those that are equally long the
// later ones are listed.
func TestEdgesOfHiccups(t *testing.T) {
	h := newHiccups(10 * ms)
	h.gap(0, 10*ms) // before the window
	h.gap(5*ms, 12*ms)
	h.gap(10_000*ms, 10_012*ms)
	if len(h.held) != 2 || h.count != 0 {
		t.Errorf("ten seconds later: %+v", h.held)
	}
	if so := h.soFar(); so.Gaps != 2 || so.GapsNS != 14*ms || len(so.Longest) != 2 || so.Longest[0] != (rundoc.Gap{AtNS: 10 * ms, NS: 2 * ms}) {
		t.Errorf("so far %+v", so)
	}
	h.gap(10_020*ms, 10_022*ms+1)
	if len(h.held) != 2 || h.count != 1 {
		t.Errorf("more than ten seconds later: %+v", h.held)
	}
	h.gap(10_030*ms, 10_040*ms)
	h.gap(10_050*ms, 10_060*ms)
	h.close(10_030*ms + 1)
	if d := h.document(); d.Gaps != 4 || d.GapsNS != 2*ms+12*ms+2*ms+1+1 || d.Long != 0 || d.LongNS != 0 {
		t.Errorf("cut %+v", d)
	}
	h = newHiccups(0)
	h.gap(5*ms, 9*ms)
	if h.close(5 * ms); h.count != 0 {
		t.Errorf("a window that ends where the gap begins: %+v", h)
	}
	for _, test := range []struct{ length, long int64 }{{50*ms - 1, 0}, {50 * ms, 1}} {
		h = newHiccups(0)
		h.gap(0, test.length)
		if h.close(never); h.long != test.long || h.longSum != test.long*test.length {
			t.Errorf("a gap of %d: %+v", test.length, h)
		}
	}
	h = newHiccups(0)
	for i := range int64(rundoc.MaxGaps + 2) {
		h.gap(100*i*ms, (100*i+3)*ms)
	}
	h.close(never)
	d := h.document()
	if len(d.Longest) != rundoc.MaxGaps || d.Gaps != rundoc.MaxGaps+2 {
		t.Fatalf("%d of %d", len(d.Longest), d.Gaps)
	}
	for i, g := range d.Longest {
		if g.AtNS != 100*int64(i+2)*ms || g.NS != 3*ms {
			t.Errorf("gap %d: %+v", i, g)
		}
	}
}

// TestAGapBeforeTheWindow that ends where this begins is none of its, and neither is how late the sleeper woke.
func TestAGapBeforeTheWindow(t *testing.T) {
	for start, want := range map[int64]int64{10 * ms: 0, 10*ms - 1: 1} {
		l := newLab(t)
		l.woke(9*time.Millisecond, 0) // a gap from 1 to 10 ms
		if l.woke(0, 0); l.gaps.count.Load() != 1 {
			t.Errorf("%d gaps", l.gaps.count.Load())
		}
		l.Open(start)
		l.window.close(20 * ms)
		if d := l.window.document(); d.Lateness.Count != want || d.Gaps != want {
			t.Errorf("from %d on: %+v", start, d)
		}
	}
}

// TestWhatTellsOfTheProcess: a sleeper is late by 40 ms where the process is busy, so that a gap is longer where nobody
// knows whether it was.
func TestWhatTellsOfTheProcess(t *testing.T) {
	says := func(ns int64) func() int64 { return func() int64 { return ns } }
	for _, c := range []struct {
		name          string
		given, system func() int64
		cpu           int64
		least         time.Duration
	}{
		{"what was given", says(7), says(5), 7, 2 * time.Millisecond},
		{"what was given is 0", says(0), says(5), 0, 2 * time.Millisecond},
		{"the system", nil, says(1), 1, 2 * time.Millisecond},
		{"nobody", nil, says(0), 0, 50 * time.Millisecond},
	} {
		if cpu, least := usedTime(c.given, c.system); cpu() != c.cpu || least != c.least {
			t.Errorf("%s: %d ns, and gaps of more than %v", c.name, cpu(), least)
		}
	}
	m := Start(Config{Now: says(0), Epoch: time.Now(), Off: Hiccups})
	defer m.Stop()
	if known := processTime() > 0; known != (m.least == MinGap) || known != (m.cpu() > 0) {
		t.Errorf("processor time %d, gaps from %v on", m.cpu(), m.least)
	}
}

// TestTheSleeperGoesToSleepWhileItIsLookedAt has a sleeper that woke at 60 ms and goes to sleep again at 64, after the
// process was busy for 4 ms: no gap begins at 60, whatever is changed between two looks.
func TestTheSleeperGoesToSleepWhileItIsLookedAt(t *testing.T) {
	busy := 4 * ms
	for name, looks := range map[string][]func(*Meter){
		"behind the first look": {func(m *Meter) { m.nod(64*ms, busy) }},
		"before it, and behind the second one": {func(*Meter) {}, func(m *Meter) {
			m.alert.Store(67 * ms)
			m.cycles.Add(1)
		}},
	} {
		l := newLab(t)
		l.wake(ms, 60*ms, 0)
		if len(looks) > 1 {
			l.cycles.Add(1)
			l.before.Store(busy)
		}
		l.Meter.cpu = func() int64 {
			looks[0](l.Meter)
			looks = looks[1:]
			return busy
		}
		if from, to := l.overdue(64 * ms); to > from || len(looks) > 0 {
			t.Errorf("%s: a gap from %d to %d, %d looks left", name, from, to, len(looks))
		}
	}
}
