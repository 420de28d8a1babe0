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

// newLab returns a meter whose sleeper went to sleep at time 0 and is woken only by woke.
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

// TestGapIsTheTimeTheProcessCouldNotRun has a sleeper that was due at 1 ms.
func TestGapIsTheTimeTheProcessCouldNotRun(t *testing.T) {
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

// TestOngoingGapCounts has a sleeper that was due at 1 ms and has not woken yet.
func TestOngoingGapCounts(t *testing.T) {
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

// TestOldGapsAreDropped records more gaps than are kept.
func TestOldGapsAreDropped(t *testing.T) {
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

// TestOverlapEqualsSumOverGaps uses random gaps and windows.
func TestOverlapEqualsSumOverGaps(t *testing.T) {
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

// TestOverlapIsConsistentDuringUpdates reads as fast as it can while gaps of 5 ms come: no one sees a part of one, or less than
// before. When the ring has been full, only the first holds.
func TestOverlapIsConsistentDuringUpdates(t *testing.T) {
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

// TestHiccupsCoverTheWindow opens the window at 5 ms and closes it at 100 ms.
func TestHiccupsCoverTheWindow(t *testing.T) {
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

// TestLongestGapsAreListed has 300 gaps of different lengths, 210 of them of 50 ms or more.
func TestLongestGapsAreListed(t *testing.T) {
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

// TestSleeperRepeats runs it with a sleep that takes as long as a script says.
func TestSleeperRepeats(t *testing.T) {
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

// TestFakeTimeHasNoGaps runs the meter on a fake clock.
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

// TestReadingNeedsOpenAndClose has one window that was never opened and one that was never closed.
func TestReadingNeedsOpenAndClose(t *testing.T) {
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
		const why = ": the window ended before the first reading"
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

// A value that is missing at one end of the window is unknown.
func TestReadingNeedsBothEnds(t *testing.T) {
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

// SoFar reports the times and gaps of the open window, and nothing before a window is opened.
func TestSoFarReadsTheOpenWindow(t *testing.T) {
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

// The share of garbage collection is that of the CPU time the process was granted, not of the time the runtime
// accounts for, because other processes may have used the CPUs meanwhile.
func TestGCShareIsOfTheGrantedCPUTime(t *testing.T) {
	for _, c := range []struct{ collecting, busy, want float64 }{
		{0.1, 0.4, 0.25}, {0.4, 0.4, 1}, {0.5, 0.4, 1}, {-0.1, 0.4, 0}, {0.1, 0, 0},
	} {
		m := &Meter{
			first: &snapshot{user: time.Second, gcCPU: 1, busyCPU: 10},
			last: &snapshot{user: time.Second + 50*time.Millisecond, gcCPU: 1 + c.collecting, busyCPU: 10 + c.busy,
				elapsed: time.Second},
		}
		if got := m.Reading().GCShare; !(math.Abs(got-c.want) <= 1e-9) {
			t.Errorf("%v s of %v s: share %v, want %v", c.collecting, c.busy, got, c.want)
		}
	}
}
