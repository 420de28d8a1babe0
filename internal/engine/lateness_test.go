package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/wake"
)

// TestLatenessIsOfWhoeverCausedIt holds up the generator, the target, or both, by more than
// the load allows, so that operations wait for longer and longer.
func TestLatenessIsOfWhoeverCausedIt(t *testing.T) {
	for _, c := range []struct {
		name             string
		prepare, service time.Duration
		own              time.Duration // p99, at least; the send delay is over 500 ms in all cases
		most             time.Duration
		late             bool
	}{
		// A queue that grows because the slot idles is the generator's, all of it.
		{"the generator", 3 * time.Millisecond, 100 * time.Microsecond, 500 * time.Millisecond, 2 * time.Second, true},
		{"the target", 0, 3 * time.Millisecond, 0, 0, false},
		// Each of the thousand operations adds half a millisecond of the generator's to the delay of all that follow, and the
		// target as much: without the generator's part, the last would have started half a second earlier.
		{"both, one as much as the other", 500 * time.Microsecond, 2500 * time.Microsecond, 480 * time.Millisecond,
			500 * time.Millisecond, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				l.prepare = c.prepare
				l.service = func(uint64, time.Duration) time.Duration { return c.service }
				p := load()
				p.Clients, p.Rate = 1, 500
				g := run(t, l, p, nil).Generator
				if g.SendDelayP99NS < 500e6 {
					t.Errorf("send delay p99 %v", time.Duration(g.SendDelayP99NS))
				}
				if own := time.Duration(g.OwnDelayP99NS); own < c.own || own > c.most {
					t.Errorf("own delay p99 %v, want %v to %v", own, c.own, c.most)
				}
				// Half of the operations wait for longer than half of the longest.
				if got := *g.OwnLate > 300; got != c.late || !c.late && *g.OwnLate != 0 {
					t.Errorf("%d operations are late for the generator's own reasons", *g.OwnLate)
				}
			})
		})
	}
}

// TestStopCountsWhatWasDueAndNothingElse stops an open model while one slot waits for an
// operation behind the stop, and in the second case another for one before it, whose alarm is
// late.
func TestStopCountsWhatWasDueAndNothingElse(t *testing.T) {
	for name, held := range map[string]bool{"alarms on time": false, "alarms held up": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				alarms := wake.NewPortable()
				defer alarms.Close()
				if held {
					alarms.At(time.Now().Add(985*time.Millisecond), func() { time.Sleep(100 * time.Millisecond) })
				}
				stop := make(chan struct{})
				time.AfterFunc(998*time.Millisecond, func() { close(stop) })
				p := load()
				p.Rate = 100
				doc, r := runWith(t, Config{Load: p, Workload: newLab(), Alarms: alarms}, stop)
				counts(t, total(t, doc), 100, 100, 0, 0, 0) // of 0, 10, … 990 ms
				if r.Scheduled != 100 || doc.Phases[1].Operations != 100 {
					t.Errorf("the schedule held %d, the phase %+v", r.Scheduled, doc.Phases[1])
				}
			})
		})
	}
}
