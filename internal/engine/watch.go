package engine

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/record"
)

const (
	// Samples of the number in flight are taken at random distances around this, so that
	// they do not fall in step with anything periodic; with many slots less often, because
	// a sample looks at each.
	sampleEvery     = 10 * time.Millisecond
	sampleManyEvery = 50 * time.Millisecond
	manySlots       = 2000
	// settle is how long after its end a second is read: the slots have recorded by then
	// what ended in it.
	settle = 250 * time.Millisecond
	// lateSample is how late a sample of the number in flight may be. What is in flight when the generator runs again
	// after it could not is no sample of what was in flight before.
	lateSample = 2 * time.Millisecond
)

// watch observes a phase from beside: it samples what is in flight, reads the series and
// tells the progress, and takes what the process and the target used in the window.
type watch struct {
	e      *runner
	ph     *phase
	gauge  record.Gauge
	target [2]time.Duration // user and system, within the window
	first  [2]time.Duration

	quit    chan struct{}
	running sync.WaitGroup
	opened  chan struct{} // closed when the window has opened and the readings of its start are taken
}

func (e *runner) watch(ph *phase) *watch {
	w := &watch{e: e, ph: ph, quit: make(chan struct{}), opened: make(chan struct{})}
	w.running.Go(w.sample)
	w.running.Go(w.report)
	e.tell(ph.begun())
	return w
}

// openWindow opens the meter's window when that of the phase begins, beside the load, which must not wait for it.
// Without a ramp the meter is ready.
func (w *watch) openWindow() {
	w.running.Go(func() {
		defer close(w.opened)
		if !w.pause(time.Duration(w.ph.start - w.e.clock.Now())) {
			return
		}
		if w.ph.ramp != nil {
			w.ph.meter.Ready()
		}
		w.first = w.targetCPU()
		w.ph.meter.Open(w.ph.start)
	})
}

// closeWindow takes the readings of the window's end.
func (w *watch) closeWindow() {
	if w.ph.windowEnd() <= w.ph.start {
		return // the window never opened
	}
	<-w.opened
	w.ph.meter.Close(w.ph.windowEnd())
	last := w.targetCPU()
	w.target = [2]time.Duration{last[0] - w.first[0], last[1] - w.first[1]}
}

func (w *watch) targetCPU() (cpu [2]time.Duration) {
	if w.e.TargetCPU != nil {
		cpu[0], cpu[1] = w.e.TargetCPU()
	}
	return cpu
}

// pause waits; false says that the watch is over.
func (w *watch) pause(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-w.quit:
		return false
	}
}

func (w *watch) stop() {
	close(w.quit)
	w.running.Wait()
}

// sample takes samples until the watch is over.
//
// The alarms wake it, not a timer of the runtime: an idle process looks at its timers when
// something else wakes it, such as an answer, and samples taken then are no accident. With
// little in flight they were wrong by a third.
func (w *watch) sample() {
	r := rand.New(rand.NewPCG(w.ph.load.Seed, 0x5A))
	due := w.e.clock.Time(max(w.ph.start, w.e.clock.Now()))
	rung := make(chan struct{}, 1)
	var n, at, late int64
	var still bool
	alarm := w.e.alarms.Alarm(func() {
		still, at, late, n = w.e.clock.Still(), w.e.clock.Now(), int64(time.Since(due)), w.ph.inFlight()
		rung <- struct{}{}
	})
	for {
		every := sampleEvery
		if len(w.ph.all()) > manySlots {
			every = sampleManyEvery
		}
		due = due.Add(every/2 + time.Duration(r.Int64N(int64(every))))
		alarm.Set(due)
		select {
		case <-rung:
		case <-w.quit:
			alarm.Stop()
			return
		}
		if !still { // the samples go on while the clock stands still, so that a slice begins anywhere between two
			w.took(at-late, at, n)
		}
	}
}

// took notes that n operations were in flight at a stamp, by a sample that was due at another. The window's stretches
// of time end with samples, too, late or not.
func (w *watch) took(due, at, n int64) {
	switch {
	case at-due > int64(lateSample):
		if w.ph.inside(due) {
			w.gauge.Drop()
		}
	case w.ph.inside(at):
		w.gauge.Add(n)
		w.ph.window.SampleInFlight(at, n)
	}
	if w.ph.inside(at) {
		w.ph.window.Stretch(at)
	}
}

// report reads each second of the series when it has settled, and tells the progress.
func (w *watch) report() {
	for second := int64(1); ; second++ {
		due := w.ph.loadStart + second*int64(time.Second) + int64(settle)
		if !w.pause(time.Duration(due - w.e.clock.Now())) {
			return
		}
		if w.e.times != nil {
			w.e.times.Sync()
		}
		now := w.e.clock.Now()
		name, rec := w.ph.name, w.ph.window
		if now < w.ph.start+int64(settle) && w.ph.ramp != nil {
			name, rec = "ramp", w.ph.ramp
		}
		last := rec.Collect(now - int64(settle))
		if now < w.ph.windowEnd() {
			w.e.tell(w.progress(name, rec, now, last))
		}
	}
}
