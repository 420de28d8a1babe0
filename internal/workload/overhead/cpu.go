package overhead

import (
	"slices"
	"time"
)

// The CPU time of a call is what the process used in the turns of its operation, divided by their calls. While a call
// waits for the service the process has nothing to do but to watch itself, which takes some hundredths of a CPU: beside
// a service that takes milliseconds that is as much as the call. So at the beginning of each turn it is seen what the
// process uses while it does nothing, and as much is taken off for the time that the calls waited: for the first byte
// of the answer, and for the last one, which a server that sends its answers in pieces may be late with.

// idleFor is how long the process does nothing at the beginning of a turn.
const idleFor = 2 * time.Millisecond

// mostIdle is the share of what was used that may be taken off: above it the figure would be mostly the error of that.
const mostIdle = 0.5

// cpuUse is what the process used of its CPUs.
type cpuUse struct {
	clock func() time.Duration
	idle  []float64 // CPUs used while it did nothing, of each turn
}

// rest sees what the process uses while it does nothing.
func (u *cpuUse) rest() {
	began, before := time.Now(), u.clock()
	time.Sleep(idleFor)
	if took := time.Since(began); took > 0 {
		u.idle = append(u.idle, float64(u.clock()-before)/float64(took))
	}
}

// idling is what the process uses while it does nothing: of the turns the median, since a garbage collection may have
// been at work in some.
func (u *cpuUse) idling() float64 {
	if len(u.idle) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(u.idle))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// knowsCPU reports whether the CPU time of calls is known: of several clients at the same time nobody can tell what was
// for whose calls.
func (o *Overhead) knowsCPU() bool { return o.Plan.Concurrency == 1 }

// usedCPU takes what the process used of its CPUs in a turn of so many calls.
func (o *Overhead) usedCPU(at int, used time.Duration, calls int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.rows[at]
	if o.knowsCPU() && used > 0 && calls > 0 {
		r.CPU += used
		r.CPUCalls += int64(calls)
		r.CPUWaited += r.waited
	}
	r.waited = 0
}

// cpuPerCall is the CPU time of a call in ns, without what the process uses of its CPUs while it does nothing; 0 where
// it is not known, or hardly.
func (r *Row) cpuPerCall(idling float64) float64 {
	off := idling * float64(r.CPUWaited)
	if r.CPUCalls == 0 || off > mostIdle*float64(r.CPU) {
		return 0
	}
	return (float64(r.CPU) - off) / float64(r.CPUCalls)
}
