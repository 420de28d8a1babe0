package record

import (
	"runtime"
	"runtime/debug"
	"time"
)

// Usage is what the process had used when it was read; two readings give what a phase used.
// What the system does not tell is 0.
type Usage struct {
	User, System  time.Duration
	GCPause       time.Duration
	Throttled     time.Duration // by the control group's quota, if it is known
	MachineBusy   float64       // of all the machine's processors, in a unit of the system's
	MachineTotal  float64       // busy and idle, in the same unit
	MaxRSS        int64         // bytes, of the process's whole life
	Wall, Elapsed time.Duration // by the wall clock and by the monotonic clock

	KnowsThrottled bool
}

// ReadUsage reads the present usage. epoch is a time of the monotonic clock.
func ReadUsage(epoch time.Time) Usage {
	var gc debug.GCStats
	debug.ReadGCStats(&gc)
	now := time.Now()
	u := Usage{
		GCPause: gc.PauseTotal,
		Wall:    now.Round(0).Sub(epoch.Round(0)),
		Elapsed: now.Sub(epoch),
	}
	u.readSystem()
	return u
}

// Sub is what was used since an earlier reading. MaxRSS stays as it is.
func (u Usage) Sub(earlier Usage) Usage {
	u.User -= earlier.User
	u.System -= earlier.System
	u.GCPause -= earlier.GCPause
	u.Throttled -= earlier.Throttled
	u.KnowsThrottled = u.KnowsThrottled && earlier.KnowsThrottled
	u.MachineBusy -= earlier.MachineBusy
	u.MachineTotal -= earlier.MachineTotal
	u.Wall -= earlier.Wall
	u.Elapsed -= earlier.Elapsed
	return u
}

// allowedCPUs is how many processors the process may use: affinity and the control group's
// quota are in it.
func allowedCPUs() int { return runtime.GOMAXPROCS(0) }
