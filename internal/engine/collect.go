package engine

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/record"
)

// phase notes a phase that is over.
func (e *runner) phase(name string, from, to int64, r *record.Recorder, operations int64) {
	p := record.Phase{
		Name: name, Started: e.clock.Wall(from), Length: time.Duration(to - from), Operations: operations,
	}
	if r != nil {
		p.OK, p.Inside, p.Mean = r.OK(), r.Inside(), time.Duration(r.Mean())
	}
	e.run.Phases = append(e.run.Phases, p)
}

// collect gathers what the main stage came to, when nothing of it runs any more.
func (e *runner) collect(st *stage, w *watch) {
	run := e.run
	early, scheduled := st.source.finish()
	run.Window, run.Start, run.End, run.Scheduled = st.window, st.start, st.end.Load(), scheduled
	run.Begun = make([]int64, len(e.kinds))
	for _, s := range st.slots {
		s.enter(record.Idle, run.End) // a slot that ended before the window was idle since
		run.Ledger.Merge(&s.ledger)
		for kind, n := range s.begun {
			run.Begun[kind] += n
		}
	}
	run.Usage, run.InFlight = w.used, w.gauge
	run.TargetUser, run.TargetSystem = w.target[0], w.target[1]
	if st.ramp != nil {
		e.phase("ramp", st.begin, st.start, st.ramp, early)
	}
	e.phase(st.name, run.Start, run.End, st.window, scheduled)
	if now := e.clock.Now(); now > run.End {
		e.phase("drain", run.End, now, nil, 0)
	}
}
