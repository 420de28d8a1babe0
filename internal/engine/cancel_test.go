package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
)

// A run whose context ends within its window ends then, in either model, and does not wait for the end of the window.
func TestCancelledContextEndsTheWindow(t *testing.T) {
	for name, rate := range map[string]float64{"closed": 0, "open": 100} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(1500*time.Millisecond, cancel)
				p := load()
				p.Rate, p.Duration = rate, time.Hour
				began := time.Now()
				c := Config{Load: p, Workload: newLab()}
				var result *record.Run
				var err error
				withAlarms(&c, func() { result, err = Run(ctx, nil, c) })
				if err != nil {
					t.Fatal(err)
				}
				if doc, err := result.Document(); err != nil || !doc.Interrupted || doc.Operations[0].OK == 0 {
					t.Errorf("%+v, %v", doc, err)
				}
				if took := time.Since(began); took > 5*time.Second {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// Before the window there is nothing to report, and a stop waits for no answer: not in the warm-up, nor while that is
// drained, nor in the ramp.
func TestAStopBeforeTheWindowWaitsForNoAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		change func(p *plan.Load)
		at     time.Duration
	}{
		"warm-up": {func(p *plan.Load) { p.WarmupClients, p.WarmupTime = 2, time.Minute }, time.Second},
		"drain":   {func(p *plan.Load) { p.WarmupClients, p.WarmupTime = 2, time.Second }, 2 * time.Second},
		"ramp":    {func(p *plan.Load) { p.Ramp = time.Minute }, time.Second},
		"arrivals": {func(p *plan.Load) { p.WarmupClients, p.WarmupTime, p.Rate = 2, time.Minute, 10 },
			time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				silent := newLab()
				silent.service = func(uint64, time.Duration) time.Duration { return time.Hour }
				p := load()
				p.Duration, p.Retry.Timeout, p.Drain = time.Hour, 30*time.Minute, 30*time.Minute
				c.change(&p)
				stop := make(chan struct{})
				time.AfterFunc(c.at, func() { close(stop) })
				began := time.Now()
				with := Config{Load: p, Workload: silent}
				var err error
				withAlarms(&with, func() { _, err = Run(t.Context(), stop, with) })
				if fault.CodeOf(err) != fault.Interrupted {
					t.Errorf("%v", err)
				}
				if took := time.Since(began); took > c.at+time.Second {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}
