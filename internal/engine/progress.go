package engine

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/record"
)

// Progress is how a run goes, for people who watch.
type Progress struct {
	Phase   string        // "connect", "warm-up", "ramp", "window" or Drain
	Elapsed time.Duration // of the phase; the window's begins with its ramp
	// Done is the share of the whole that is done: of warm-up, ramp and window together where the window has a length
	// in time, else of the phase; negative when it is not known.
	Done  float64
	Left  time.Duration // until the end of that whole, at most that of the drain; negative when not known
	About bool          // Done and Left follow from the number of operations and from how fast they went

	Connected, Clients int // while they connect

	// What follows is of the last second, or of the phase; without Measured there is nothing yet.
	Measured bool
	Rate     float64       // ok operations per second
	Bytes    int64         // of those
	P50, P99 time.Duration // response time; 0 where too few ended
	InFlight int64
	OK       int64 // in this phase so far
	Errors   int64 // attempts that failed in it, retried or not
}

// Drain is the phase in which operations are only waited for.
const Drain = "drain"

// tellEvery is the distance of news from the phases that have no seconds.
const tellEvery = 250 * time.Millisecond

// startTelling has progress passed on until the function that it returns is called. A Progress that blocks, because
// nobody reads its terminal, holds up the goroutine that calls it and nothing else.
func (e *runner) startTelling() (stop func()) {
	if e.Progress == nil {
		return func() {}
	}
	e.news = make(chan Progress, 1)
	over := make(chan struct{})
	// goroutine: nobody waits for a terminal that takes nothing: that must not hold the run's end up.
	go func() {
		for {
			select {
			case p := <-e.news:
				e.Progress(p)
			case <-over:
				return
			}
		}
	}()
	return func() { close(over) }
}

// tell has progress passed on, in the place of what was not passed on yet.
func (e *runner) tell(p Progress) {
	if e.news == nil {
		return
	}
	for {
		select {
		case e.news <- p:
			return
		default:
		}
		select {
		case <-e.news: // nobody wants to know any more
		default:
		}
	}
}

// connecting is how far clients are that connect since a stamp.
func (ph *phase) connecting(clients []*client, since int64) Progress {
	p := Progress{Phase: "connect", Elapsed: time.Duration(ph.clock.Now() - since), Done: -1, Left: -1,
		Clients: len(clients)}
	for _, c := range clients {
		if c.tries.Load() > 0 {
			p.Connected++
		}
	}
	// One that connects says nothing of how long it takes.
	if p.Connected > 0 {
		p.Done = float64(p.Connected) / float64(p.Clients)
	}
	return p
}

// draining is how far the drain is, which began at a stamp.
func (ph *phase) draining(since int64) Progress {
	gone := time.Duration(ph.clock.Now() - since)
	return Progress{Phase: Drain, Elapsed: gone, Done: -1, Left: max(0, ph.load.Drain-gone), InFlight: ph.inFlight()}
}

// progress is how far a phase is, with what its last second had.
func (w *watch) progress(phase string, rec *record.Recorder, now int64, last record.Point) Progress {
	p := Progress{
		Phase:    phase,
		Elapsed:  time.Duration(now - w.ph.loadStart),
		Measured: true,
		Rate:     float64(last.OK),
		Bytes:    last.Bytes,
		P50:      time.Duration(last.P50),
		P99:      time.Duration(last.P99),
		InFlight: w.ph.inFlight(),
		OK:       rec.OK(),
		Errors:   rec.Failures(),
	}
	w.ph.far(&p)
	return p
}

// begun is the progress of a phase of which no second is over.
func (ph *phase) begun() Progress {
	p := Progress{Phase: ph.name}
	if ph.ramp != nil {
		p.Phase = "ramp"
	}
	ph.far(&p)
	return p
}

// far says how much of the whole is done, and how long the rest takes.
func (ph *phase) far(p *Progress) {
	p.Done, p.Left = -1, -1
	gone, rest := p.Elapsed, time.Duration(-1)
	if ph.length > 0 {
		rest = max(0, time.Duration(ph.start-ph.loadStart)+ph.length-gone)
	}
	ended := ph.ended()
	if ph.limit < never && ended > 0 {
		by := time.Duration(float64(gone) * float64(ph.limit-min(ended, ph.limit)) / float64(ended))
		if p.About = rest < 0 || by < rest; p.About {
			rest = by
		}
	}
	if rest < 0 {
		return
	}
	done := ph.before + gone
	p.Left = rest + ph.behind
	if whole := done + p.Left; whole > 0 {
		p.Done = float64(done) / float64(whole)
	}
}

// ended counts what a limit of operations counts.
func (ph *phase) ended() int64 {
	if ph.flows != nil {
		return ph.flowing.over.Load()
	}
	ended := ph.window.Ended()
	if ph.ramp != nil {
		ended += ph.ramp.Ended()
	}
	return ended
}

// place says what of the whole lies before a phase and behind it. A whole has a length only where the window has one.
func (e *runner) place(ph *phase, before, behind time.Duration) {
	if e.Load.Window() > 0 {
		ph.before, ph.behind = before, behind
	}
}
