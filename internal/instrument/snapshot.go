package instrument

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"
)

// snapshot is what had been used when it was taken; two of them give what a window used.
type snapshot struct {
	user, system time.Duration
	maxRSS       int64
	elapsed      time.Duration // since the epoch
	gcPause      time.Duration
	gcCPU        float64 // s of processors that collected garbage, as the runtime counts them
	busyCPU      float64 // s of processors that did anything, as the runtime counts them
	cpus         []int   // that the process may run on; nil when not known
	quota        float64

	machine    ticks
	processors map[int]ticks
	threads    map[int]waited
	throttled  map[string]time.Duration
	why        map[Watch]error // why a watch saw nothing
}

// read takes a snapshot. It opens some files and those of each thread, which takes about a millisecond.
func (m *Meter) read() *snapshot {
	s := &snapshot{elapsed: time.Since(m.epoch), why: map[Watch]error{}}
	m.machine.rusage(s)
	for _, n := range named() {
		if !m.off.on(n.watch) {
			s.why[n.watch] = m.why
		}
	}
	if m.off.on(GC) {
		s.readGC()
	}
	if m.machine.files == nil {
		s.lacking()
		return s
	}
	s.readFiles(m.machine, m.off)
	return s
}

// lacking says that this system has none of the files that the watches read.
func (s *snapshot) lacking() {
	for _, w := range []Watch{RunDelay, Throttling, Processors} {
		s.missed(w, errors.New("not available on "+runtime.GOOS))
	}
}

// missed keeps the reason why a watch saw nothing, if there is one.
func (s *snapshot) missed(w Watch, why error) {
	if why != nil {
		s.why[w] = why
	}
}

func (s *snapshot) readFiles(on machine, off Watch) {
	if off.on(RunDelay) {
		threads, err := readThreads(on.files)
		s.threads = threads
		s.missed(RunDelay, err)
	}
	stat, err := fs.ReadFile(on.files, "proc/stat")
	s.machine, s.processors = parseStat(stat)
	groups, noGroups := findGroups(on.files)
	if off.on(Throttling) {
		s.missed(Throttling, noGroups)
		if noGroups == nil {
			s.throttled, noGroups = groups.throttled(on.files)
			s.missed(Throttling, noGroups)
		}
	}
	if off.on(Processors) {
		s.cpus, s.quota = on.affinity(), groups.quota(on.files)
		if err == nil && len(s.cpus) == 0 {
			err = errors.New("the CPU affinity is unknown")
		}
		s.missed(Processors, err)
	}
}

// readGC reads garbage collection's pauses and its CPU time, which the runtime brings up to date, as all of its times,
// at the end of each collection. What it does in time that was idle otherwise is taken from nobody and left out.
//
// The runtime's seconds are those that a processor of its own was given to something, also while the system gave the
// CPU to another process. So collection's are held against the runtime's own sum, and not against what the system says
// was used: where CPUs are few, that is the smaller.
func (s *snapshot) readGC() {
	var gc debug.GCStats
	debug.ReadGCStats(&gc)
	s.gcPause = gc.PauseTotal
	values := []metrics.Sample{
		{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/gc/mark/idle:cpu-seconds"},
		{Name: "/cpu/classes/total:cpu-seconds"}, {Name: "/cpu/classes/idle:cpu-seconds"},
	}
	metrics.Read(values)
	for _, v := range values {
		if v.Value.Kind() != metrics.KindFloat64 {
			s.missed(GC, errors.New("not reported by this Go runtime"))
			return
		}
	}
	inIdleTime := values[1].Value.Float64()
	s.gcCPU = values[0].Value.Float64() - inIdleTime
	s.busyCPU = values[2].Value.Float64() - values[3].Value.Float64() - inIdleTime
}

// reason is an error as a part of a sentence: without the paths and calls that it went through.
func reason(err error) string {
	if bad, ok := errors.AsType[*fs.PathError](err); ok {
		return strings.TrimPrefix(path.Clean("/"+bad.Path), "//") + ": " + bad.Err.Error()
	}
	return err.Error()
}

// systemFiles is the root of a system whose files tell what is read here.
func systemFiles() fs.FS {
	if runtime.GOOS != "linux" {
		return nil
	}
	return os.DirFS("/")
}

// ProcessTime is the CPU time that all threads of the process have used, as user and for the system; 0 where the system
// does not say.
func ProcessTime() time.Duration { return time.Duration(processTime()) }
