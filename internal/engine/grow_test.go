package engine

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/wake"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestOpenModelAddsClients offers 500 operations a second, each of which takes 80 ms: 40 are in flight.
func TestOpenModelAddsClients(t *testing.T) {
	for _, tt := range []struct {
		name         string
		clients, max int
		pipeline     int
		warmup       bool
		want         int
		limited      bool
		p50          float64 // ns; 0: far more
	}{
		{"from 2 clients", 2, 1000, 1, false, 41, false, 80e6},
		{"from 2 clients with 8 slots", 2, 1000, 8, false, 6, false, 80e6},
		{"warm-up", 2, 1000, 1, true, 41, false, 80e6},
		{"clients enough", 60, 1000, 1, false, 60, false, 80e6},
		{"fixed number", 16, 16, 1, false, 16, true, 0},
		{"limit reached", 2, 30, 1, false, 30, true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				l.connect = time.Millisecond
				l.service = func(uint64, time.Duration) time.Duration { return 80 * time.Millisecond }
				p := load()
				p.Clients, p.MaxClients, p.Pipeline, p.Rate = tt.clients, tt.max, tt.pipeline, 500
				p.Duration = 4 * time.Second
				if tt.warmup {
					p.WarmupClients, p.WarmupTime = 1, time.Second
				}
				doc := run(t, l, p, nil)
				doc.Plan, _ = json.Marshal(map[string]any{"load": map[string]any{
					"rate_per_s": 500, "clients": tt.clients, "max_clients": tt.max}})
				o := total(t, doc)
				if o.Scheduled != 2000 || !tt.limited && o.OK != 2000 {
					t.Errorf("%d ok of %d", o.OK, o.Scheduled)
				}
				if doc.Ledger.Clients < tt.want || doc.Ledger.Clients > tt.want+2 || doc.Ledger.MaxClients != tt.max {
					t.Errorf("%d clients of %d, want %d", doc.Ledger.Clients, doc.Ledger.MaxClients, tt.want)
				}
				doc.Verdict = rundoc.Judge(doc)
				if needed, _ := doc.ClientsNeeded(); (needed >= 48) != tt.limited {
					t.Errorf("%d clients needed; %q", needed, doc.Verdict.Reasons)
				}
				if tt.p50 > 0 {
					about(t, "p50", *o.ResponseTime.P50NS, int64(tt.p50), .01)
					// One that waits for its client to be added waits for it, and for its connection.
					if longest := time.Duration(o.ResponseTime.MaxNS); longest > 83*time.Millisecond {
						t.Errorf("max %v", longest)
					}
				}
				if opened := l.connected.Load(); opened < int64(tt.want) {
					t.Errorf("%d connections", opened)
				}
			})
		})
	}
}

// TestStallIsSeenByEachArrival has a target that stops for a second at 200 arrivals a second: with a client for each, the
// service time contains what the response time does.
func TestStallIsSeenByEachArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.service = func(_ uint64, at time.Duration) time.Duration {
			if at > 2*time.Second && at < 3*time.Second {
				return 3*time.Second - at
			}
			return time.Millisecond
		}
		p := load()
		p.Clients, p.MaxClients, p.Rate, p.Duration = 2, 1000, 200, 10*time.Second
		doc := run(t, l, p, nil)
		o := total(t, doc)
		about(t, "p95", *o.ResponseTime.P95NS, 500e6, .03)
		about(t, "p99", *o.ResponseTime.P99NS, 900e6, .03)
		about(t, "p99 of the service time", *o.ServiceTime.P99NS, 900e6, .03)
		if doc.Ledger.Clients < 195 || doc.Ledger.Clients > 203 {
			t.Errorf("%d clients", doc.Ledger.Clients)
		}
	})
}

// TestOperationOfALateClientIsCounted adds a client when the run has just been ended.
func TestOperationOfALateClientIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, p := newLab(), load()
		p.Rate = 100
		alarms := wake.NewPortable()
		defer alarms.Close()
		clock := op.NewClock()
		meter := unwatched(clock)
		defer meter.Stop()
		ph := &phase{
			load: &p, clock: clock, connections: record.NewConnections(), alarms: alarms, kinds: 2, meter: meter,
			window:    record.New(record.Config{Kinds: make([]record.Kind, 2), Open: true, Series: true}),
			newClient: func(i int) workload.Client { return l.NewClient(i, 1) },
		}
		ph.end.Store(never)
		ended, end := context.WithCancel(t.Context())
		end()
		ph.addClient(ended, turn{index: 7})
		ph.running.Wait()
		doc, err := (&record.Run{Window: ph.window, Kinds: make([]record.Kind, 2), Clients: 1, Slots: 1, End: 1e9,
			Begun: ph.slots[0].begun, Unsent: make([]int64, 2), Connections: ph.connections}).Document()
		if err != nil {
			t.Fatal(err)
		}
		counts(t, total(t, doc), 1, 0, 0, 0, 1)
	})
}
