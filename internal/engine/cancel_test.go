package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

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
