package instrument

import (
	"io/fs"
	"time"
)

// Used is how much of the machine's CPUs had been used at a moment.
type Used struct {
	at      time.Time
	own     time.Duration // by this process and its children that have ended
	machine ticks
	cpus    int // that are switched on
}

// UsedNow reads it; false where the system does not tell.
func UsedNow() (u Used, known bool) {
	files := systemFiles()
	if files == nil {
		return u, false
	}
	stat, err := fs.ReadFile(files, "proc/stat")
	if err != nil {
		return u, false
	}
	all, each := parseStat(stat)
	u = Used{at: time.Now(), own: processTimes(), machine: all, cpus: len(each)}
	return u, u.cpus > 0 && u.own > 0
}

// Others is the share of the machine's CPUs that anything but this process and its children used since an earlier
// reading. Children count when they have ended.
func (u Used) Others(earlier Used) float64 {
	busy := u.machine.since(earlier.machine).share()
	passed := u.at.Sub(earlier.at)
	if passed <= 0 {
		return 0
	}
	own := float64(u.own-earlier.own) / (float64(passed) * float64(u.cpus))
	return min(max(busy-own, 0), 1)
}
