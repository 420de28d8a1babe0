package engine

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/wake"
	"github.com/plimsoll/plimsoll/rundoc"
)

// watched carries out a load at which somebody looks each second, and gives all that was seen, the last of it when the
// run was over.
func watched(t *testing.T, c Config) (seen []*rundoc.Run, flying []int64, doc *rundoc.Run) {
	t.Helper()
	var looking sync.WaitGroup
	over := make(chan struct{})
	var look func() *record.SoFar
	c.Showing = func(soFar func() *record.SoFar) {
		look = soFar
		looking.Go(func() {
			for {
				select {
				case <-over:
					return
				case <-time.After(time.Second):
				}
				if s := soFar(); s != nil {
					seen, flying = append(seen, counted(t, s)), append(flying, s.InFlight)
				}
			}
		})
	}
	result, err := Run(t.Context(), nil, c)
	close(over)
	looking.Wait()
	if err != nil {
		t.Fatal(err)
	}
	last := look()
	seen, flying = append(seen, counted(t, last)), append(flying, last.InFlight)
	if doc, err = result.Document(); err != nil {
		t.Fatal(err)
	}
	return seen, flying, doc
}

func counted(t *testing.T, s *record.SoFar) *rundoc.Run {
	t.Helper()
	doc, err := s.Counted()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// What is seen of a window while it is open grows, and what is seen when it is over is what the document has: counts,
// causes and histograms, of both models. The warm-up and the ramp are in none of it.
func TestShowingMatchesTheDocument(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"closed": func(*Config) {},
		"warm":   func(c *Config) { c.Load.WarmupClients, c.Load.WarmupTime = 2, 2*time.Second },
		"open":   func(c *Config) { c.Load.Rate, c.Load.Clients, c.Load.Ramp = 100, 2, 2*time.Second },
		"slow":   func(c *Config) { c.Load.Rate, c.Load.MaxWaiting = 400, 20 },
		"count":  func(c *Config) { c.Load.Duration, c.Load.Operations = 0, 700 },
		"drained": func(c *Config) {
			c.Workload.(*lab).service = func(i uint64, _ time.Duration) time.Duration { return 900 * time.Millisecond }
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, c := newLab(), Config{Load: load()}
				c.Load.Duration, c.Workload = 5*time.Second, l
				l.fail = func(index uint64, _ int) *op.Failure {
					if index%20 == 0 {
						return &op.Failure{Cause: "rejected", Final: true}
					}
					return nil
				}
				change(&c)
				var doc *rundoc.Run
				var seen []*rundoc.Run
				var flying []int64
				withAlarms(&c, func() { seen, flying, doc = watched(t, c) })
				grows(t, seen)
				last := seen[len(seen)-1]
				if diff := cmp.Diff(doc.Operations, last.Operations, cmpopts.IgnoreFields(rundoc.Summary{}, "Intervals"),
					cmpopts.EquateEmpty()); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff(doc.Connections, last.Connections, cmpopts.IgnoreFields(rundoc.Summary{}, "Intervals"),
					cmpopts.EquateEmpty()); diff != "" {
					t.Error(diff)
				}
				if flying[len(flying)-1] != 0 || last.Ledger.WindowNS != doc.Ledger.WindowNS {
					t.Errorf("%d in flight, after %v", flying[len(flying)-1], time.Duration(last.Ledger.WindowNS))
				}
				for i, p := range last.Series {
					if diff := cmp.Diff(doc.Series[i], p); diff != "" {
						t.Errorf("second %d: %s", i, diff)
					}
				}
				if len(last.Series) < len(doc.Series)-1 {
					t.Errorf("%d of %d seconds", len(last.Series), len(doc.Series))
				}
			})
		})
	}
}

// grows checks that nothing that was counted is taken back, and that each look adds up.
func grows(t *testing.T, seen []*rundoc.Run) {
	t.Helper()
	if len(seen) < 3 {
		t.Fatalf("it was looked at %d times", len(seen))
	}
	var before rundoc.Operation
	for i, doc := range seen {
		o := total(t, doc)
		if o.Scheduled != o.OK+o.Failed+o.Unsent+o.Unfinished || o.OK < before.OK || o.Failed < before.Failed ||
			o.ServiceTime.Count < before.ServiceTime.Count {
			t.Errorf("look %d: %+v", i, o)
		}
		before = o
	}
}

// withAlarms gives a run alarms that fake time drives.
func withAlarms(c *Config, do func()) {
	c.Alarms = wake.NewPortable()
	defer c.Alarms.Close()
	do()
}

// What picks is offered each operation of the window, and none of the warm-up or the ramp.
func TestThePickerIsOfferedTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Config{Load: load(), Workload: newLab(), Picker: record.NewPicker(0, 1, 10000)}
		c.Load.Rate, c.Load.Ramp, c.Load.WarmupClients, c.Load.WarmupTime = 50, time.Second, 2, time.Second
		doc, _ := runWith(t, c, nil)
		o := total(t, doc)
		list := c.Picker.Take()
		if int64(len(list)) != o.OK+o.Failed+o.Unfinished || o.OK == 0 {
			t.Errorf("%d picked of %+v", len(list), o)
		}
		for _, s := range list {
			if s.End <= s.Start || s.Began.IsZero() {
				t.Errorf("%+v", s)
			}
		}
	})
}
