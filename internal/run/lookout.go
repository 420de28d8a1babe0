package run

import (
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/rundoc"
)

const (
	// settled is how long a window is at least before it is ended for what could still turn: the first connections, cold
	// caches and the like come before it.
	settled = time.Second
	// lasting is how long that must be missed, at each look.
	lasting = 500 * time.Millisecond
)

// lookout ends a run as soon as one of its goals is missed.
type lookout struct {
	goals  []*sought
	late   []string // those that only the end can tell, in their plain form
	ask    record.Times
	missed string // the goal that was missed, in its plain form
	told   func(goal string)
}

// sought is a goal that can be seen to be missed while the window is open.
type sought struct {
	threshold.Threshold
	final bool          // what was missed once is missed in the end
	since time.Duration // into the window, the first of the looks in a row that saw it missed; negative: the last did not
}

// When a miss of a goal can be seen.
type seen int

const (
	atTheEnd    seen = iota // before it, nobody knows what the figure will be
	whileItGoes             // what it is so far says what it will be, though it may turn
	atOnce                  // nothing that comes can undo it
)

// newLookout looks out for misses of these goals. steady says that the load is to be the same all the time, of all
// operations.
func newLookout(goals []threshold.Threshold, steady bool) *lookout {
	l := &lookout{told: func(string) {}}
	for _, goal := range goals {
		when := whenSeen(goal, steady)
		if when == atTheEnd {
			l.late = append(l.late, goal.Expr())
			continue
		}
		l.goals = append(l.goals, &sought{goal, when == atOnce, -1})
		switch goal.Figure().Times() {
		case "response":
			l.ask.Response = true
		case "service":
			l.ask.Service = true
		case "send_delay":
			l.ask.SendDelay = true
		case "first_attempt":
			l.ask.FirstAttempt = true
		}
	}
	return l
}

// whenSeen is when a miss of a goal can be seen. What only one kind has is made of what it learns at the end.
func whenSeen(goal threshold.Threshold, steady bool) seen {
	f := goal.Figure()
	low := strings.HasPrefix(goal.Op(), "<")
	share := f.Unit() == figure.Share
	switch {
	case f.Own():
		return atTheEnd
	case f.Extreme() != "":
		if low == (f.Extreme() == "max") {
			return atOnce
		}
		return atTheEnd
	case f.Times() != "" && low:
		return whileItGoes
	}
	switch f.Name() {
	case "failed", "unsent":
		if low && share {
			return whileItGoes
		}
		return onlyIf(low)
	case "retries", "reconnects", "bytes":
		return onlyIf(low)
	case "ok":
		if !low && share {
			return whileItGoes
		}
	case "rate", "bytes_rate":
		if !low && steady {
			return whileItGoes
		}
	}
	return atTheEnd
}

// onlyIf is for counts, which only grow: one that is to be low is missed once and for all.
func onlyIf(low bool) seen {
	if low {
		return atOnce
	}
	return atTheEnd
}

// look reports whether the run is to end now, by what its window has come to.
func (l *lookout) look(s *record.SoFar) bool {
	doc, err := s.Document(l.ask)
	return err == nil && l.misses(doc) // what cannot be summed up now will be told at the end
}

// misses reports whether a goal is missed in the document of a window so far.
func (l *lookout) misses(doc *rundoc.Run) bool {
	at := time.Duration(doc.Ledger.WindowNS)
	for _, goal := range l.goals {
		if goal.missed(doc, at) {
			l.missed = goal.Expr()
			l.told(l.missed)
			return true
		}
	}
	return false
}

// missed reports whether the goal is missed for good, as far as it can be told.
func (s *sought) missed(doc *rundoc.Run, at time.Duration) bool {
	v := s.Figure().AtBest(doc, strings.HasPrefix(s.Op(), "<"))
	if v.Why != "" || s.Holds(v.Raw) || v.Free != nil && s.Holds(*v.Free) {
		s.since = -1
		return false
	}
	if s.since < 0 {
		s.since = at
	}
	return s.final || at >= settled && at-s.since >= lasting
}

// lookOut has the run's goals looked after while the load goes on; nil: nobody asked for that, or no goal can be seen
// to be missed before the end, which is said.
func (r *Run) lookOut(l *Load) *lookout {
	goals := &r.job.Forms.Goals
	if !goals.AbortOnMiss {
		return nil
	}
	out := newLookout(goals.Thresholds, len(l.Load.Stages) == 0 && !r.job.Kind.Mixed)
	if len(out.late) > 0 && r.View.first() {
		r.View.Note("--abort-on-miss: evaluated only at the end of the run: " + strings.Join(out.late, ", "))
	}
	if len(out.goals) == 0 {
		return nil
	}
	out.told = r.View.Missed
	return out
}
