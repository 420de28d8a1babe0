package instrument

import (
	"io/fs"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
)

func TestQuotas(t *testing.T) {
	for text, want := range map[string]float64{
		"50000 100000": 0.5, "200000 100000": 2, "1 1": 1, "1 2": 0.5, "2 1": 2, "max 100000": math.Inf(1), "0 100000": math.Inf(1),
		"100000 0": math.Inf(1), "-1 100000": math.Inf(1), "1 -1": math.Inf(1), "1 x": math.Inf(1), "x 1": math.Inf(1), "": math.Inf(1),
		"1": math.Inf(1), "1 1 1": math.Inf(1),
	} {
		if got := parseQuota(text); got != want {
			t.Errorf("%q: %v CPUs", text, got)
		}
	}
}

func TestThrottledTimes(t *testing.T) {
	const most = math.MaxInt64 / int64(time.Microsecond) // 9223372036854775
	for text, want := range map[string]time.Duration{
		"nr_periods 7\nthrottled_usec 12\n": 12 * time.Microsecond, "throttled_usec 9223372036854775\n": time.Duration(most) * time.Microsecond,
		"throttled_usec 0\n": 0, "x 1\n": 0, "": 0, "throttled_usec 9223372036854776\n": -1, "throttled_usec -1\n": -1, "throttled_usec x\n": -1,
	} {
		got, err := parseThrottled([]byte(text), "throttled_usec", time.Microsecond)
		if (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// TestDelayOfThreads: of a number that another thread has now all counts.
func TestDelayOfThreads(t *testing.T) {
	before := map[int]waited{1: {ran: 10, delay: 5}}
	for _, c := range []struct {
		now  waited
		want time.Duration
	}{
		{waited{10, 5}, 0}, {waited{11, 5}, 0}, {waited{10, 6}, 1}, {waited{12, 9}, 4}, {waited{9, 7}, 7}, {waited{11, 4}, 4}, {waited{1, 1}, 1},
	} {
		if got := delayed(before, map[int]waited{1: c.now, 2: {1, 100}}) - 100; got != c.want {
			t.Errorf("%+v: %v, want %v", c.now, got, c.want)
		}
	}
}

func TestSharesOfTicks(t *testing.T) {
	for _, c := range []struct{ busy, total, want float64 }{
		{0, 0, 0}, {1, 0, 0}, {1, 4, 0.25}, {4, 4, 1}, {5, 4, 1}, {-1, 4, 0}, {1, -4, 0},
	} {
		if got := (ticks{c.busy, c.total}).share(); got != c.want {
			t.Errorf("%v of %v is %v", c.busy, c.total, got)
		}
	}
}

// TestWhatOthersUse: the machine's share less that of this process, of a second of two CPUs.
func TestWhatOthersUse(t *testing.T) {
	at := time.Now()
	before := Used{at: at, own: time.Second, machine: ticks{100, 1000}, cpus: 2}
	for _, c := range []struct {
		passed, own time.Duration
		busy        float64 // of 200 ticks
		want        float64
	}{
		{time.Second, 0, 200, 1}, {time.Second, 0, 160, 0.8}, {time.Second, time.Second, 200, 0.5}, {time.Second, time.Second, 100, 0},
		{time.Second, 2 * time.Second, 100, 0}, {time.Second, 0, 0, 0}, {0, 0, 200, 0}, {-time.Second, 0, 200, 0}, {1, 0, 200, 1},
		{time.Second, -time.Second, 160, 1}, // a child's time was lost
	} {
		now := Used{at: at.Add(c.passed), own: before.own + c.own, machine: ticks{100 + c.busy, 1200}, cpus: 2}
		if got := now.Others(before); !(math.Abs(got-c.want) <= 1e-9) {
			t.Errorf("%+v: %v", c, got)
		}
	}
	const one = "cpu 3 0 0 1 0\ncpu5 3 0 0 1 0\n"
	for name, c := range map[string]struct {
		files fs.FS
		own   time.Duration
		known bool
	}{
		"another system": {nil, 1, false}, "no file": {files(), 1, false}, "no CPU": {files("proc/stat", "cpu 3 0 0 1 0\n"), 1, false},
		"nothing used": {files("proc/stat", one), 0, false}, "one CPU": {files("proc/stat", one), 1, true},
	} {
		u, known := usedOf(c.files, c.own)
		if known != c.known || known && (u.cpus != 1 || u.own != 1 || u.machine != ticks{3, 4} || u.at.IsZero()) {
			t.Errorf("%s: %+v, %v", name, u, known)
		}
	}
	if u, known := UsedNow(); known != (runtime.GOOS == "linux") || known && (u.machine.total <= 0 || u.own <= 0) {
		t.Errorf("%+v, %v", u, known)
	}
}

// TestAPartOfAReading: what only the ends of a window tell is shared out by CPU time.
func TestAPartOfAReading(t *testing.T) {
	for _, c := range []struct {
		all, part time.Duration // on CPUs
		want      time.Duration // of 1,000 ns that threads waited
	}{{0, 0, 0}, {0, 5, 0}, {1, 1, 1000}, {100, 25, 250}, {100, 50, 500}, {100, 90, 900}, {100, 100, 1000}, {100, 150, 1000}} {
		delay := time.Duration(1000)
		r := Reading{User: c.all, GCPause: 1000, RunDelay: &delay, Elapsed: 99}
		r.Only(&Part{user: c.part}, 7)
		if *r.RunDelay != c.want || r.GCPause != c.want || r.Throttled != nil || r.User != c.part || r.Elapsed != 7 {
			t.Errorf("%+v: %+v, %v", c, r, *r.RunDelay)
		}
	}
}

func TestSharesOfADocument(t *testing.T) {
	delay := time.Duration(30)
	for _, c := range []struct {
		r            Reading
		cpu, machine float64
	}{
		{Reading{}, 0, 0}, {Reading{User: 1, System: 1, Elapsed: 1, CPUs: 1}, 2, 0}, {Reading{User: 1, System: 1, Elapsed: 4, CPUs: 2}, 0.25, 0},
		{Reading{User: 1, Elapsed: 4}, 0, 0}, {Reading{User: 1, CPUs: 4}, 0, 0}, {Reading{User: 1, Elapsed: 4, CPUs: 0.5}, 0.5, 0},
		{Reading{MachineBusy: 1, MachineTotal: 4}, 0, 0.25}, {Reading{MachineBusy: 1}, 0, 0}, {Reading{MachineBusy: 1, MachineTotal: 1}, 0, 1},
	} {
		var g rundoc.Generator
		c.r.RunDelay = &delay
		c.r.Document(&g, 0)
		if g.CPUShare != c.cpu || g.MachineShare != c.machine || *g.RunDelayNS != 30 || g.ThrottledNS != nil {
			t.Errorf("%+v: %v of the CPUs, %v of the machine", c.r, g.CPUShare, g.MachineShare)
		}
	}
}

// TestLateness: the exact least and most are kept beside the histogram, whatever comes first.
func TestLateness(t *testing.T) {
	for _, c := range []struct {
		late           []int64
		least, most, n int64
	}{
		{[]int64{5}, 5, 5, 1}, {[]int64{5, 9}, 5, 9, 2}, {[]int64{9, 5, 7}, 5, 9, 3}, {[]int64{-3, 2}, 0, 2, 2},
		{[]int64{1 << 43, 1 << 44}, 1 << 43, 1 << 44, 2},
	} {
		h := newHiccups(0)
		for _, ns := range c.late {
			h.late(ns)
		}
		if h.exact.Min != c.least || h.exact.Max != c.most || h.lateness.TotalCount() != c.n {
			t.Errorf("%v: from %d to %d, %d times", c.late, h.exact.Min, h.exact.Max, h.lateness.TotalCount())
		}
	}
	// What is longer than 73 minutes counts as that long, and a document can be read again.
	h := newHiccups(0)
	for range 1000 {
		h.late(1 << 43)
	}
	s := h.document().Lateness
	again, err := s.Histogram()
	if err != nil || again.HighestTrackableValue() != 1<<42 {
		t.Fatalf("%+v, %v", again, err)
	}
	if got := again.ValueAtPercentile(50); got != 1<<42-1 || s.MaxNS != 1<<43 {
		t.Errorf("the median is %d and the most %d", got, s.MaxNS)
	}
	var none hiccups
	none.late(5)
	none.gap(1, 2)
	if none.exact.Max != 0 || len(none.held) > 0 {
		t.Error("what is no window gathers")
	}
	h = newHiccups(0)
	h.gap(3, 3)
	h.gap(4, 3)
	if len(h.held) > 0 {
		t.Errorf("what is no gap is held: %v", h.held)
	}
	h.gap(4, 5)
	if len(h.held) != 1 {
		t.Errorf("a gap is not held: %v", h.held)
	}
}
