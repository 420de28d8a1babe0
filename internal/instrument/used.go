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
func UsedNow() (u Used, known bool) { return usedOf(systemFiles(), processTimes()) }

// usedOf is how much had been used of a system with these files, by this process so much.
func usedOf(files fs.FS, own time.Duration) (u Used, known bool) {
	if files == nil {
		return Used{}, false
	}
	stat, _ := fs.ReadFile(files, "proc/stat") // without it no CPU is known
	all, each := parseStat(stat)
	return Used{at: time.Now(), own: own, machine: all, cpus: len(each)}, len(each) > 0 && own > 0
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
