package instrument

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// processTime is the CPU time that all threads of the process have used, in ns.
func processTime() int64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) != nil {
		return 0
	}
	return t.Nano()
}

// rssUnit is what the system counts memory in: KiB.
const rssUnit = 1 << 10

func rusage(s *snapshot) {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) == nil {
		s.user, s.system = time.Duration(r.Utime.Nano()), time.Duration(r.Stime.Nano())
		s.maxRSS = r.Maxrss * rssUnit
	}
}

// affinity gives the numbers of the CPUs that the process's first thread may run on.
func affinity() (cpus []int) {
	var set unix.CPUSet
	if unix.SchedGetaffinity(os.Getpid(), &set) != nil {
		return nil
	}
	for n := 0; len(cpus) < set.Count(); n++ {
		if set.IsSet(n) {
			cpus = append(cpus, n)
		}
	}
	return cpus
}

// processTimes is the CPU time of the process and of its children that have ended.
func processTimes() (sum time.Duration) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var r unix.Rusage
		if unix.Getrusage(who, &r) == nil {
			sum += time.Duration(r.Utime.Nano() + r.Stime.Nano())
		}
	}
	return sum
}
