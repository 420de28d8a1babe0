package instrument

// Watch is a set of the things that a Meter watches.
type Watch uint

// What is watched. Stamps are the kernel's of arrivals, which the connections take and not the Meter: here it can
// only be said that they were switched off.
const (
	Hiccups    Watch = 1 << iota // how late a sleeper wakes
	RunDelay                     // how long threads that could run waited for a CPU
	Throttling                   // by the quotas of control groups
	Processors                   // which CPUs may be used, and how busy each one is
	GC                           // garbage collection's pauses and its share of the CPU time
	Stamps
)

// named are the watches by the names that documents give them, in their order.
func named() []struct {
	watch Watch
	name  string
} {
	return []struct {
		watch Watch
		name  string
	}{
		{Hiccups, "hiccups"}, {RunDelay, "run delay"}, {Throttling, "throttling"},
		{Processors, "processors"}, {GC, "garbage collection"}, {Stamps, "kernel stamps"},
	}
}

// on reports whether a watch is not switched off by this set.
func (off Watch) on(w Watch) bool { return off&w == 0 }
