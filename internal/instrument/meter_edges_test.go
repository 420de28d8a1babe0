package instrument

import (
	"errors"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
)

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
