package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/plan"
)

// TestAScheduleOfSoManyIsAsLongAsItsDistances: 20 operations at 20 a second take a second, not 19 distances and what
// the last of them took. What is behind the schedule is done all the same, and nothing is given up at the end.
func TestAScheduleOfSoManyIsAsLongAsItsDistances(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name     string
		n        int64
		arrivals plan.Arrivals
		clients  int
		takes    time.Duration
		from, to time.Duration // of the window
		rate     float64       // offered
	}{
		{"quick", 20, plan.Constant, 4, ms, time.Second, time.Second, 20},
		{"one", 1, plan.Constant, 4, ms, 50 * ms, 50 * ms, 20},
		{"longer than a distance", 20, plan.Constant, 8, 220 * ms, time.Second, time.Second, 20},
		{"bursts, the last of them half", 30, plan.Burst, 40, ms, 1500 * ms, 1500 * ms, 20},
		{"behind the schedule", 20, plan.Constant, 1, 100 * ms, 2 * time.Second, 2 * time.Second, 10},
		{"longer than the drain", 20, plan.Constant, 8, 9 * time.Second, 20 * time.Second, 28 * time.Second, 0},
		{"at random", 4000, plan.Poisson, 8, ms, 190 * time.Second, 210 * time.Second, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				l.service = func(uint64, time.Duration) time.Duration { return c.takes }
				p := load()
				p.Clients, p.Rate, p.Arrivals, p.Operations, p.Duration = c.clients, 20, c.arrivals, c.n, 0
				p.MaxWaiting, p.Drain, p.Retry.Timeout = c.n, time.Second, time.Minute
				doc := run(t, l, p, nil)
				o := total(t, doc)
				counts(t, o, c.n, c.n, 0, 0, 0)
				window := time.Duration(doc.Ledger.WindowNS)
				if window < c.from || window > c.to {
					t.Errorf("the window is %v, want %v to %v", window, c.from, c.to)
				}
				if rate := float64(o.Scheduled) / window.Seconds(); c.rate != 0 && rate != c.rate {
					t.Errorf("%v a second were offered, want %v", rate, c.rate)
				}
			})
		})
	}
}

// TestTheLastOfSoManyIsTriedToItsEnd: a batch whose retries go on behind the window is not cut off by the drain.
func TestTheLastOfSoManyIsTriedToItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.fail = func(index uint64, attempt int) *op.Failure {
			if index == 19 && attempt < 8 {
				return &op.Failure{Cause: "busy"}
			}
			return nil
		}
		p := load()
		p.Clients, p.Rate, p.Arrivals, p.Operations, p.Duration = 8, 20, plan.Constant, 20, 0
		p.MaxWaiting, p.Drain = 20, 10*time.Millisecond
		p.Retry.Max, p.Retry.InitialBackoff, p.Retry.MaxBackoff = 10, time.Second, time.Second
		doc := run(t, l, p, nil)
		counts(t, total(t, doc), 20, 20, 0, 0, 0)
		if doc.Ledger.WindowNS != 1e9 {
			t.Errorf("the window is %d ns", doc.Ledger.WindowNS)
		}
	})
}
