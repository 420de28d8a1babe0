package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/plan"
)

// A window of 20 operations at 20/s lasts a second, not 19 intervals and the time of the last operation. Operations that
// are behind schedule are carried out, and none is given up at the end.
func TestWindowOfNOperationsLastsNIntervals(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow under the race detector; make test runs it")
	}
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
		{"at random", 400, plan.Poisson, 8, ms, 15 * time.Second, 25 * time.Second, 0},
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
