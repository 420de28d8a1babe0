package engine

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/record"
)

const (
	// lookEvery is how often Live looks at the window.
	lookEvery = 250 * time.Millisecond
	// lookShare is how many times as long as a look the pause behind it is at least: reading many histograms takes
	// milliseconds of a processor, which the load may need.
	lookShare = 20
	// lookRest bounds that pause: a look that something else held up, as a busy machine does, was no more work for that,
	// and what it looks for is not to go on unseen for a minute.
	lookRest = 3 * time.Second
)

// look has the phase looked at while it is open, beside the load: missed ends the run, enough ends the phase. Either
// may be nil.
func (w *watch) look(missed, enough func(*record.SoFar) bool) {
	if missed == nil && enough == nil {
		return
	}
	w.running.Go(func() {
		due := w.ph.start + int64(lookEvery)
		for w.pause(time.Duration(due - w.e.clock.Now())) {
			from := w.e.clock.Now()
			if from >= w.ph.windowEnd() {
				return
			}
			s := w.soFar(from)
			switch {
			case missed != nil && missed(s):
				close(w.e.missed)
				return
			case enough != nil && enough(s):
				close(w.ph.enough)
				return
			}
			to := w.e.clock.Now()
			due = max(due+int64(lookEvery), to+min(lookShare*(to-from), int64(lookRest)))
		}
	})
}

// showing is what the window has come to, for whoever asks, at any time from now until the run's document is made; nil:
// the window has not opened yet.
func (w *watch) showing() func() *record.SoFar {
	before := slices.Clone(w.e.run.Phases)
	return func() *record.SoFar {
		select {
		case <-w.opened:
		default:
			return nil
		}
		now := min(w.e.clock.Now(), w.ph.windowEnd())
		if now <= w.ph.start {
			return nil
		}
		s := w.soFar(now)
		s.Reading = w.ph.meter.SoFar()
		s.Phases = before[:len(before):len(before)]
		if w.ph.ramp != nil {
			s.Phases = append(s.Phases, w.going("ramp", w.ph.ramp, w.ph.loadStart, w.ph.start))
		}
		s.Phases = append(s.Phases, w.going(w.ph.name, w.ph.window, w.ph.start, s.Now))
		return s
	}
}

// going is a phase as far as it is counted.
func (w *watch) going(name string, rec *record.Recorder, from, to int64) record.Phase {
	return record.Phase{Name: name, Started: w.e.clock.Wall(from), Length: time.Duration(to - from),
		Operations: rec.Ended(), OK: rec.OK(), Inside: rec.Inside()}
}

// soFar is what the window has come to at a stamp. The operations in flight are counted before the recorder is read:
// one that ends between the two is in both, which makes the run look a little better than it is and never worse.
func (w *watch) soFar(now int64) *record.SoFar {
	run := w.e.run
	s := &record.SoFar{
		Clients: w.ph.size(), Slots: run.Slots, Kinds: run.Kinds, Flows: run.Flows, Window: w.ph.window,
		Connections: w.e.connections, Started: run.Started, Start: w.ph.start, Now: now, InFlight: w.ph.inFlight(),
		Unsent: make([]int64, len(run.Kinds)),
	}
	for i := range run.Unsent { // which the warm-up has none of
		s.Unsent[i] = atomic.LoadInt64(&run.Unsent[i])
	}
	return s
}
