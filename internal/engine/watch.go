package engine

import (
	"sync"
	"time"
)

const (
	// flightEvery is how often the time in flight is read; with many slots less often, because each is looked at.
	flightEvery     = 10 * time.Millisecond
	flightManyEvery = 50 * time.Millisecond
	manySlots       = 2000
	// settle is how long after its end a second is read: the slots have recorded by then
	// what ended in it.
	settle = 250 * time.Millisecond
)

// watch observes a phase from beside: it reads the time in flight, reads the series and
// tells the progress, and takes what the process and the target used in the window.
type watch struct {
	e      *runner
	ph     *phase
	target [2]time.Duration // user and system, within the window
	first  [2]time.Duration

	quit    chan struct{}
	running sync.WaitGroup
	opened  chan struct{} // closed when the window has opened and the readings of its start are taken
}

func (e *runner) watch(ph *phase) *watch {
	w := &watch{e: e, ph: ph, quit: make(chan struct{}), opened: make(chan struct{})}
	w.running.Go(w.fly)
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

// fly reads the time in flight for the series until the watch is over. It does not count what is in flight at the
// moment it wakes up: it wakes up when a processor is free, and what is in flight then is no random sample.
func (w *watch) fly() {
	if !w.pause(time.Duration(w.ph.start - w.e.clock.Now())) {
		return
	}
	from := w.e.clock.Now()
	before := w.ph.flightTime(from)
	for w.pause(w.flightEvery()) {
		now := w.e.clock.Now()
		if now == from {
			continue // the clock stands still between two slices
		}
		flown := w.ph.flightTime(now)
		w.ph.window.AddFlightTime(from, now, flown-before)
		if w.ph.inside(now) {
			w.ph.window.Stretch(now)
		}
		from, before = now, flown
	}
}

func (w *watch) flightEvery() time.Duration {
	if len(w.ph.all()) > manySlots {
		return flightManyEvery
	}
	return flightEvery
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
