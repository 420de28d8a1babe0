package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/rundoc"
)

// after says from some time on that it is enough.
func after(d time.Duration) func(*record.SoFar) bool {
	return func(s *record.SoFar) bool { return time.Duration(s.Now-s.Start) >= d }
}

// What was enough ends the window as its length does: nothing was aborted, what is in flight is waited for, and all laws
// are kept.
func TestEnoughEndsTheWindow(t *testing.T) {
	for _, open := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l, p := newLab(), load()
			p.Duration = time.Hour
			if open {
				p.Rate, p.Clients, p.Ramp = 100, 10, time.Second
			}
			l.service = func(uint64, time.Duration) time.Duration { return 90 * time.Millisecond }
			doc, got := runWith(t, Config{Load: p, Workload: l, Enough: after(3 * time.Second)}, nil)
			o, window := total(t, doc), time.Duration(doc.Ledger.WindowNS)
			if got.Aborted || doc.Interrupted || window < 3*time.Second || window > 3250*time.Millisecond {
				t.Errorf("aborted %v, interrupted %v, after %v", got.Aborted, doc.Interrupted, window)
			}
			if o.OK != o.Scheduled || o.Unsent+o.Unfinished+o.Failed != 0 || o.OK == 0 {
				t.Errorf("%d of %d ok", o.OK, o.Scheduled)
			}
		})
	}
}

// The warm-up ends as soon as it is steady, at its length at the latest, and can be summed up meanwhile.
func TestSteadyEndsTheWarmUp(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow under the race detector; make test runs it")
	}
	for steady, want := range map[time.Duration]time.Duration{
		time.Second:     time.Second,
		100 * time.Hour: 10 * time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			l, p := newLab(), load()
			p.WarmupClients, p.WarmupTime = 3, 10*time.Second
			var ended int64
			doc, _ := runWith(t, Config{Load: p, Workload: l, Steady: func(s *record.SoFar) bool {
				ended = total(t, partial(t, s)).ResponseTime.Count
				return after(steady)(s)
			}}, nil)
			warmup := doc.Phases[0]
			for _, phase := range doc.Phases {
				if phase.Name == rundoc.PhaseWarmup {
					warmup = phase
				}
			}
			if got := time.Duration(warmup.DurationNS); got < want || got > want+20*time.Millisecond {
				t.Errorf("%s of %v, not %v", warmup.Name, got, want)
			}
			if ended == 0 || time.Duration(doc.Ledger.WindowNS) != p.Duration {
				t.Errorf("%d operations of the warm-up, a window of %v", ended, time.Duration(doc.Ledger.WindowNS))
			}
		})
	}
}
