package instrument

import (
	"io/fs"
	"time"
)

// Part gathers what was used in some stretches of a window. It belongs to one goroutine.
type Part struct {
	files        fs.FS
	user, system time.Duration
	machine      ticks

	began   snapshot
	beganOn ticks
}

// NewPart makes one that has gathered nothing.
func NewPart() *Part { return &Part{files: systemFiles()} }

// Begin begins a stretch.
func (p *Part) Begin() {
	p.beganOn = p.ticks()
	rusage(&p.began)
}

// End ends it.
func (p *Part) End() {
	var s snapshot
	rusage(&s)
	p.user += s.user - p.began.user
	p.system += s.system - p.began.system
	on := p.ticks().since(p.beganOn)
	p.machine.busy += on.busy
	p.machine.total += on.total
}

func (p *Part) ticks() ticks {
	if p.files == nil {
		return ticks{}
	}
	stat, err := fs.ReadFile(p.files, "proc/stat")
	if err != nil {
		return ticks{}
	}
	all, _ := parseStat(stat)
	return all
}

// Only has a reading tell of a part of its window that was so long in all. What only the window's two ends tell is
// shared out by CPU time; how busy each CPU was stays that of the whole.
func (r *Reading) Only(p *Part, long time.Duration) {
	share := 0.0
	if all := r.User + r.System; all > 0 {
		share = min(float64(p.user+p.system)/float64(all), 1)
	}
	scale := func(d *time.Duration) {
		if d != nil {
			*d = time.Duration(share * float64(*d))
		}
	}
	scale(&r.GCPause)
	scale(r.RunDelay)
	scale(r.Throttled)
	r.User, r.System, r.Elapsed = p.user, p.system, long
	if p.machine.total > 0 {
		r.MachineBusy, r.MachineTotal = p.machine.busy, p.machine.total
	}
}
