package engine

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/record"
)

// addPhase notes a phase that is over.
func (e *runner) addPhase(name string, from, to int64, r *record.Recorder, operations int64) {
	p := record.Phase{
		Name: name, Started: e.clock.Wall(from), Length: time.Duration(to - from), Operations: operations,
	}
	if r != nil {
		p.OK, p.Inside, p.Mean = r.OK(), r.Inside(), time.Duration(r.Mean())
	}
	e.run.Phases = append(e.run.Phases, p)
}

// collect gathers what the main phase came to, when nothing of it runs any more.
func (e *runner) collect(ph *phase, w *watch) {
	run := e.run
	early, scheduled := ph.source.finish()
	run.Window, run.Start, run.End, run.Scheduled = ph.window, ph.start, ph.windowEnd(), scheduled
	run.Clients = len(ph.clients)
	if ph.load.Open() {
		run.MaxClients = ph.most
	}
	run.Begun = make([]int64, len(e.kinds))
	var stamps record.Stamps
	for _, s := range ph.slots {
		s.enter(record.Idle, run.End) // a slot that ended before the window was idle since
		run.Ledger.Merge(&s.ledger)
		stamps.Add(&s.stamps)
		run.FlightTime += s.flown
		for kind, n := range s.begun {
			run.Begun[kind] += n
		}
	}
	run.Reading = e.meter.Reading()
	if ph.turn != nil {
		ph.turn.tell(run)
	}
	run.TargetUser, run.TargetSystem = w.target[0], w.target[1]
	if e.times != nil {
		stamps.Unseen = e.times.Seen()
		run.Stamps = &stamps
	}
	if ph.ramp != nil {
		e.addPhase("ramp", ph.loadStart, ph.start, ph.ramp, early)
	}
	e.addPhase(ph.name, run.Start, run.End, ph.window, scheduled)
	if now := e.clock.Now(); now > run.End {
		e.addPhase("drain", run.End, now, nil, 0)
	}
}
