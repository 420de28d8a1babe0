package instrument

import (
	"runtime"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
)

// Reading is what the generator watched of itself in one window. What the system does not tell is 0 or nil.
type Reading struct {
	User, System time.Duration
	MaxRSS       int64 // bytes, of the process's whole life
	Elapsed      time.Duration
	GCPause      time.Duration
	GCShare      float64 // of the CPU time that the process used
	// RunDelay is summed over the threads that were there at the end.
	RunDelay *time.Duration
	// Throttled is by the quota of a control group, at the level where it was most of those that can be read; summed
	// over CPUs.
	Throttled *time.Duration
	// CPUs is how many of them the process may use: the least of its affinity, GOMAXPROCS and each quota.
	CPUs float64
	// MachineCPUs is how many CPUs the machine has that are switched on, whatever the process may use; 0 when not known.
	MachineCPUs int
	// MachineBusy and MachineTotal are of all the machine's CPUs, in a unit of the system's.
	MachineBusy, MachineTotal float64
	Processors                []float64 // busy shares of the CPUs that it may use, interrupts included
	// Hiccups has the times of its gaps as stamps of the run.
	Hiccups *rundoc.Hiccups
	Unseen  []string // watches that were not to be had, each with the reason
}

// Reading gives the figures of the window between Open and Close; where there was none, it says that of each watch.
func (m *Meter) Reading() Reading {
	if m.first == nil || m.last == nil {
		return Reading{CPUs: m.CPUs(), Unseen: m.unopened()}
	}
	a, b := m.first, m.last
	r := Reading{
		User: b.user - a.user, System: b.system - a.system, MaxRSS: b.maxRSS,
		Elapsed: b.elapsed - a.elapsed, GCPause: b.gcPause - a.gcPause,
		CPUs: b.allowed(), MachineCPUs: len(b.processors), Processors: busyShares(b.cpus, a.processors, b.processors),
	}
	machine := b.machine.since(a.machine)
	r.MachineBusy, r.MachineTotal = machine.busy, machine.total
	if used := b.busyCPU - a.busyCPU; used > 0 {
		r.GCShare = min(max((b.gcCPU-a.gcCPU)/used, 0), 1)
	}
	if m.seen(RunDelay) {
		r.RunDelay = new(delayed(a.threads, b.threads))
	}
	if a.throttled != nil && b.throttled != nil { // of some levels, if not of all
		r.Throttled = new(mostThrottled(a.throttled, b.throttled))
	}
	if m.seen(Hiccups) {
		m.mu.Lock()
		r.Hiccups = m.window.document()
		m.mu.Unlock()
	}
	r.Unseen = m.unseen()
	return r
}

// SoFar gives what can be read of the window that is open without opening a file: the CPU time, the memory, and the
// gaps, but not how late the sleeper woke. It is for any goroutine, once the window has opened.
func (m *Meter) SoFar() Reading {
	a, b := m.first, &snapshot{elapsed: time.Since(m.epoch)}
	if a == nil {
		return Reading{}
	}
	m.machine.rusage(b)
	r := Reading{User: b.user - a.user, System: b.system - a.system, MaxRSS: b.maxRSS, Elapsed: b.elapsed - a.elapsed,
		CPUs: a.allowed(), MachineCPUs: len(a.processors)}
	if m.off.on(Hiccups) {
		m.mu.Lock()
		defer m.mu.Unlock()
		r.Hiccups = m.window.soFar()
	}
	return r
}

// allowed is how many CPUs the process may use.
func (s *snapshot) allowed() float64 {
	n := float64(runtime.GOMAXPROCS(0))
	if len(s.cpus) > 0 {
		n = min(n, float64(len(s.cpus)))
	}
	if s.quota > 0 {
		n = min(n, s.quota)
	}
	return n
}

// CPUs is how many CPUs the process may use now: the least of its affinity, GOMAXPROCS and each quota, as far as they
// are watched. It reads the files of its control groups, which takes half a millisecond.
func (m *Meter) CPUs() float64 {
	var s snapshot
	if on := m.machine; on.files != nil && m.off.on(Processors) {
		groups, _ := findGroups(on.files) // without any there is no quota
		s.cpus, s.quota = on.affinity(), groups.quota(on.files)
	}
	return s.allowed()
}

// seen reports whether both readings have what this watch tells.
func (m *Meter) seen(w Watch) bool { return m.first.why[w] == nil && m.last.why[w] == nil }

func (m *Meter) unseen() (names []string) {
	for _, n := range named() {
		for _, s := range []*snapshot{m.first, m.last} {
			if why := s.why[n.watch]; why != nil {
				names = append(names, n.name+": "+reason(why))
				break
			}
		}
	}
	return names
}

// unopened says of each watch that it saw nothing. The kernel's stamps come with the operations, window or not.
func (m *Meter) unopened() (names []string) {
	for _, n := range named() {
		switch {
		case !m.off.on(n.watch):
			names = append(names, n.name+": "+reason(m.why))
		case n.watch != Stamps:
			names = append(names, n.name+": the window ended before the first reading")
		}
	}
	return names
}

// Document fills in the generator's fields that come from here. start is the stamp that the gaps' times count from.
func (r *Reading) Document(g *rundoc.Generator, start int64) {
	g.CPUUserNS, g.CPUSystemNS = int64(r.User), int64(r.System)
	g.CPUs, g.Processors = r.CPUs, r.Processors
	g.GCPauseNS, g.GCShare = int64(r.GCPause), r.GCShare
	g.MaxRSSBytes = r.MaxRSS
	if r.Elapsed > 0 && r.CPUs > 0 {
		g.CPUShare = float64(r.User+r.System) / (float64(r.Elapsed) * r.CPUs)
	}
	if r.MachineTotal > 0 {
		g.MachineShare = r.MachineBusy / r.MachineTotal
	}
	g.RunDelayNS, g.ThrottledNS = nanoseconds(r.RunDelay), nanoseconds(r.Throttled)
	g.Unseen = append(g.Unseen, r.Unseen...)
	if r.Hiccups != nil {
		h := *r.Hiccups
		h.Longest = make([]rundoc.Gap, len(r.Hiccups.Longest))
		for i, gap := range r.Hiccups.Longest {
			h.Longest[i] = rundoc.Gap{AtNS: gap.AtNS - start, NS: gap.NS}
		}
		g.Hiccups = &h
	}
}

func nanoseconds(d *time.Duration) *int64 {
	if d == nil {
		return nil
	}
	return new(int64(*d))
}

// ClockStep is how much more time passed by the wall clock than by the monotonic one since epoch, which has readings
// of both.
func ClockStep(epoch time.Time) time.Duration {
	now := time.Now()
	return now.Round(0).Sub(epoch.Round(0)) - now.Sub(epoch)
}
