package instrument

import (
	"errors"
	"io/fs"
	"maps"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// files makes a file system of names and contents.
func files(pairs ...string) fstest.MapFS {
	system := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		system[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return system
}

func TestRunDelaySumsLiveThreads(t *testing.T) {
	before := files(
		"proc/self/task/10/schedstat", "1000 500 7\n",
		"proc/self/task/11/schedstat", "2000 900 7\n",
		"proc/self/task/12/schedstat", "9000 800 7\n",
		"proc/self/task/13/comm", "it has just ended",
		"proc/self/task/x/schedstat", "no thread",
	)
	after := files(
		"proc/self/task/10/schedstat", "3000 700 9\n", // 200
		"proc/self/task/12/schedstat", "10 40 1\n", // 40: the number of one that has ended
		"proc/self/task/14/schedstat", "10 3 1\n", // 3: a new one
	)
	a, err := readThreads(before)
	if err != nil || len(a) != 3 {
		t.Fatal(a, err)
	}
	b, err := readThreads(after)
	if err != nil {
		t.Fatal(err)
	}
	if got := delayed(a, b); got != 243 {
		t.Errorf("%v, want 243 ns", got)
	}
}

func TestRunDelayReportsWhyItIsUnknown(t *testing.T) {
	for _, test := range []struct {
		name   string
		system fstest.MapFS
		want   string
	}{
		{"no threads", files(), "/proc/self/task: file does not exist"},
		{"no schedstat", files("proc/self/task/1/comm", "x"), "/proc/self/task/1/schedstat: file does not exist"},
		{"zeros", files("proc/self/task/1/schedstat", "0 0 0\n", "proc/self/task/2/schedstat", "0 0 0"),
			"schedstat is always zero"},
		{"no number", files("proc/self/task/1/schedstat", "1 x 0\n"), `"1 x 0\n" in schedstat`},
		{"negative", files("proc/self/task/1/schedstat", "1 -1 0\n"), `"1 -1 0\n" in schedstat`},
		{"too many", files("proc/self/task/1/schedstat", strings.Repeat("1 ", 99)),
			`"1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 " in schedstat`},
	} {
		_, err := readThreads(test.system)
		if err == nil || reason(err) != test.want {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	if _, err := readThreads(files("proc/self/task/1/schedstat", "5 0 1\n")); err != nil {
		t.Errorf("one that never waited: %v", err)
	}
}

func TestParseStat(t *testing.T) {
	const text = "cpu  10 20 30 400 50 1 2 3 9 9\n" +
		"cpu0 1 2 3 40 5 0 2 0 0 0\n" +
		"cpu2 5 0 5 0 0\n" + // of an old kernel
		"cpu3 1 2 x 40 5 0 2 0 0 0\n" + "cpu4 1 2\n" + "cpu5 1 2 3 4\n" +
		"cpu6 9223372036854775808 0 0 0 0\n" + "cpuX 1 2 3 4 5\n" + "cpu-1 1 2 3 4 5\n" + "cpu\n" +
		"cpu7 9223372036854775807 0 0 0 0\n" + "intr 5 0\nctxt 77\n"
	all, each := parseStat([]byte(text))
	if want := (ticks{66, 516}); all != want {
		t.Errorf("all together %+v, want %+v", all, want)
	}
	want := map[int]ticks{0: {8, 53}, 2: {10, 10}, 7: {math.MaxInt64, math.MaxInt64}}
	if diff := cmp.Diff(want, each, cmp.AllowUnexported(ticks{})); diff != "" {
		t.Error(diff)
	}
}

func TestBusyShares(t *testing.T) {
	before := map[int]ticks{0: {10, 100}, 1: {0, 0}, 2: {50, 100}, 3: {5, 10}}
	after := map[int]ticks{0: {60, 200}, 1: {0, 0}, 2: {40, 200}, 4: {5, 10}}
	if diff := cmp.Diff([]float64{.5, 0, 0}, busyShares([]int{0, 1, 2}, before, after)); diff != "" {
		t.Error(diff)
	}
	for _, n := range []int{3, 4, 5} { // it was switched off or on, or never there
		if got := busyShares([]int{0, n}, before, after); got != nil {
			t.Errorf("CPU %d: %v", n, got)
		}
	}
}

// machineOf is a machine that has files and may use CPUs 0 and 1.
func machineOf(system fs.FS) machine {
	return machine{files: system, affinity: func() []int { return []int{0, 1} }, rusage: func(*snapshot) {}}
}

// TestReadingOfAWindow has a process that used a second of its two CPUs in a window of two.
func TestReadingOfAWindow(t *testing.T) {
	l := newLab(t)
	l.machine = machineOf(files(
		"proc/stat", "cpu 0 0 0 0 0\ncpu0 0 0 0 0 0\ncpu1 0 0 0 0 0\n",
		"proc/self/task/1/schedstat", "1000000 1000 1\n",
		"proc/self/cgroup", "0::/a\n",
		"proc/self/mountinfo", "30 20 0:26 / /cg rw - cgroup2 cgroup2 rw\n",
		"cg/a/cpu.stat", "usage_usec 5\nnr_periods 3\nnr_throttled 1\nthrottled_usec 1000\n",
		"cg/a/cpu.max", "50000 100000\n",
	))
	l.Open(0)
	system := l.machine.files.(fstest.MapFS)
	maps.Copy(system, files(
		"proc/stat", "cpu 100 0 0 200 0 0 100\ncpu0 50 0 0 50 0 0 100\ncpu1 50 0 0 150 0\ncpu2 0 0 0 0 0\n",
		"proc/self/task/1/schedstat", "5000000 31000 9\n",
		"cg/a/cpu.stat", "throttled_usec 4000\n",
	))
	l.machine.rusage = func(s *snapshot) { s.user, s.system, s.maxRSS = time.Second, time.Second/2, 7 }
	l.Close(int64(2 * time.Second))
	r := l.Reading()
	if r.RunDelay == nil || *r.RunDelay != 30*time.Microsecond || r.Throttled == nil ||
		*r.Throttled != 3*time.Millisecond || r.CPUs != .5 || r.User != time.Second || r.MaxRSS != 7 ||
		r.MachineBusy != 200 || r.MachineTotal != 400 || r.MachineCPUs != 3 || len(r.Unseen) != 0 {
		t.Errorf("%+v", r)
	}
	if diff := cmp.Diff([]float64{.75, .25}, r.Processors); diff != "" {
		t.Error(diff)
	}
}

// TestUnreadableCgroupIsNamed keeps the values of the others.
func TestUnreadableCgroupIsNamed(t *testing.T) {
	l := newLab(t)
	system := files(
		"proc/stat", "cpu 1 0 0 0 0\ncpu0 1 0 0 0 0\ncpu1 0 0 0 0 0\n", "proc/self/task/1/schedstat", "1 1 1\n",
		"proc/self/cgroup", "0::/a\n", "proc/self/mountinfo", "30 20 0:26 / /cg rw - cgroup2 cgroup2 rw\n",
		"cg/cpu.stat", "throttled_usec 9\n", "cg/a/cpu.stat", "throttled_usec 1\n",
	)
	l.machine = machineOf(denied{system, "cg/cpu.stat"})
	l.Open(0)
	maps.Copy(system, files("cg/a/cpu.stat", "throttled_usec 5\n", "cg/cpu.stat", "throttled_usec 99\n"))
	l.Close(1)
	r := l.Reading()
	if r.Throttled == nil || *r.Throttled != 4*time.Microsecond {
		t.Errorf("throttled for %v", r.Throttled)
	}
	if diff := cmp.Diff([]string{"throttling: /cg/cpu.stat: permission denied"}, r.Unseen); diff != "" {
		t.Error(diff)
	}
}

// TestAffinityIsReadPerWindow has the CPUs change while the meter goes on, with no window open.
func TestAffinityIsReadPerWindow(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	system := files(
		"proc/self/cgroup", "0::/a\n", "proc/self/mountinfo", "30 20 0:26 / /cg rw - cgroup2 cgroup2 rw\n",
		"cg/a/cpu.max", "max 100000\n",
	)
	l := newLab(t)
	l.machine = machineOf(system)
	want := func(cpus float64, what string) {
		t.Helper()
		if got := l.CPUs(); got != cpus {
			t.Errorf("%s: %v, want %v", what, got, cpus)
		}
	}
	want(2, "its affinity")
	maps.Copy(system, files("cg/a/cpu.max", "30000 100000\n"))
	want(.3, "a quota")
	maps.Copy(system, files("proc/self/cgroup", "0::/b\n"))
	want(2, "in another group")
	runtime.GOMAXPROCS(1)
	want(1, "the runtime's own bound")
	runtime.GOMAXPROCS(4)
	l.machine.files = fstest.MapFS{}
	want(2, "no control groups")
	l.machine = machine{rusage: func(*snapshot) {}}
	want(4, "another system")
	l.machine, l.off = machineOf(system), Processors
	want(4, "switched off")
	l.machine, l.off = machine{files: fstest.MapFS{}, affinity: func() []int { return []int{3} }}, 0
	want(1, "one of its CPUs")
}

// TestUnseenSourcesAreNamed has a system without any of the files, one that is not Linux, and everything switched off.
func TestUnseenSourcesAreNamed(t *testing.T) {
	errOff := errors.New("switched off")
	busy := files("proc/stat", "cpu 1 0 0 0 0\ncpu0 1 0 0 0 0\n")
	affine := func(system fs.FS, cpus ...int) machine {
		return machine{files: system, affinity: func() []int { return cpus }, rusage: func(*snapshot) {}}
	}
	reading := func(on machine, off Watch, why error) []string {
		l := newLab(t)
		l.machine, l.off, l.why = on, off, why
		l.Open(0)
		l.Close(1)
		return l.Reading().Unseen
	}
	for name, test := range map[string]struct{ got, want []string }{
		"no files": {reading(machineOf(files()), 0, nil), []string{
			"run delay: /proc/self/task: file does not exist", "throttling: /proc/self/cgroup: file does not exist",
			"processors: /proc/stat: file does not exist",
		}},
		"no files, and no affinity": {reading(affine(files()), 0, nil), []string{
			"run delay: /proc/self/task: file does not exist", "throttling: /proc/self/cgroup: file does not exist",
			"processors: /proc/stat: file does not exist",
		}},
		"no affinity": {reading(affine(busy), RunDelay|Throttling, errOff), []string{
			"run delay: switched off", "throttling: switched off", "processors: the CPU affinity is unknown",
		}},
		"one CPU": {reading(affine(busy, 0), RunDelay|Throttling, errOff), []string{
			"run delay: switched off", "throttling: switched off",
		}},
		"another system": {reading(machine{rusage: func(*snapshot) {}}, Stamps, errOff), []string{
			"run delay: not available on linux", "throttling: not available on linux", "processors: not available on linux",
			"kernel stamps: switched off",
		}},
		"all off": {reading(machineOf(files()), Hiccups|RunDelay|Throttling|Processors|GC|Stamps, errOff), []string{
			"hiccups: switched off", "run delay: switched off", "throttling: switched off", "processors: switched off",
			"garbage collection: switched off", "kernel stamps: switched off",
		}},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestSchedstat(t *testing.T) {
	const most = math.MaxInt64
	for text, want := range map[string]waited{
		"10 20 1\n": {10, 20}, "0 0 0": {}, "9223372036854775807 9223372036854775807 1": {most, most},
	} {
		if got, ok := parseSchedstat([]byte(text)); got != want || !ok {
			t.Errorf("%q: %+v, %v", text, got, ok)
		}
	}
	for _, text := range []string{
		"", "1 2", "1 2 3 4", "-1 2 3", "1 -1 3", "a 2 3", "1 a 3", "9223372036854775808 0 1", "0 9223372036854775808 1",
	} {
		if got, ok := parseSchedstat([]byte(text)); ok || got != (waited{}) {
			t.Errorf("%q: %+v, %v", text, got, ok)
		}
	}
}

func FuzzSchedstat(f *testing.F) {
	f.Add([]byte("1275118 167239 1\n"))
	f.Add([]byte("-1 99999999999999999999 x"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if w, ok := parseSchedstat(text); w.ran < 0 || w.delay < 0 || !ok && w != (waited{}) {
			t.Errorf("%+v, %v", w, ok)
		}
	})
}

func FuzzStat(f *testing.F) {
	f.Add([]byte("cpu  1382583 177618 424391 449404 80920 0 24715 6579 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 1"))
	f.Add([]byte("cpu0 -1 2 3 4 5\ncpu99999999999999999999 1 2 3 4 5\ncpu"))
	f.Fuzz(func(t *testing.T, text []byte) {
		all, each := parseStat(text)
		each[-1] = all
		for n, c := range each {
			if !(c.busy >= 0 && c.busy <= c.total) || math.IsInf(c.total, 0) || n < -1 {
				t.Errorf("CPU %d: %+v", n, c)
			}
		}
	})
}

// If a thread ID was reused, all of the new thread's delay counts.
func TestRunDelayOfReusedThreadIDs(t *testing.T) {
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

// Others reports the CPU share of the machine without that of this process; here of one second on two CPUs.
func TestOthersExcludesThisProcess(t *testing.T) {
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
