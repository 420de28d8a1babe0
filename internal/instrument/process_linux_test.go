package instrument

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The CPU times and memory read lie between two readings from the kernel.
func TestResourceUsageMatchesTheKernel(t *testing.T) {
	says := func(who int) (user, system time.Duration, rss int64) {
		var r unix.Rusage
		if err := unix.Getrusage(who, &r); err != nil {
			t.Fatal(err)
		}
		return time.Duration(r.Utime.Nano()), time.Duration(r.Stime.Nano()), r.Maxrss
	}
	user, system, rss := says(unix.RUSAGE_SELF)
	childUser, childSystem, _ := says(unix.RUSAGE_CHILDREN)
	var s snapshot
	rusage(&s)
	all := processTimes() - childUser - childSystem
	userThen, systemThen, rssThen := says(unix.RUSAGE_SELF)
	if s.user < user || s.user > userThen || s.system < system || s.system > systemThen {
		t.Errorf("%v and %v, not %v to %v and %v to %v", s.user, s.system, user, userThen, system, systemThen)
	}
	if s.maxRSS < rss*1024 || s.maxRSS > rssThen*1024 {
		t.Errorf("%d bytes, not %d to %d KiB", s.maxRSS, rss, rssThen)
	}
	if all < user+system || all > userThen+systemThen {
		t.Errorf("%v, not %v to %v", all, user+system, userThen+systemThen)
	}
}

// affinity returns the numbers of the CPUs the process may run on, in ascending order.
func TestAffinityListsAllowedCPUs(t *testing.T) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	cpus := affinity()
	for i, n := range cpus {
		if !set.IsSet(n) || i > 0 && n <= cpus[i-1] {
			t.Errorf("%v", cpus)
		}
	}
	if len(cpus) != set.Count() {
		t.Errorf("%v, which are not %d", cpus, set.Count())
	}
}
