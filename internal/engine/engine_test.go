package engine

import (
	"context"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/wake"
	"github.com/plimsoll/plimsoll/rundoc"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestClosedModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.prepare, l.send = 2*time.Millisecond, 3*time.Millisecond
		l.service = func(uint64, time.Duration) time.Duration { return 15 * time.Millisecond }
		doc := run(t, l, load(), nil)
		// Every operation takes 2 + 3 + 15 ms: 100 for each client in the 2 s.
		o := total(t, doc)
		counts(t, o, 200, 200, 0, 0, 0)
		if l.attempts.Load() != 200 || o.RatePerS != 100 {
			t.Errorf("%d attempts at the target, %v a second", l.attempts.Load(), o.RatePerS)
		}
		about(t, "service time p50", *o.ServiceTime.P50NS, 18e6, .001)
		about(t, "mean", o.ServiceTime.MeanNS, 18e6, 0)
		ledger(t, doc, map[string]time.Duration{
			rundoc.StatePreparing: 400 * time.Millisecond,
			rundoc.StateSending:   600 * time.Millisecond,
			rundoc.StateAwaiting:  3 * time.Second,
		})
		if o.Bytes != 20000 {
			t.Errorf("%d bytes", o.Bytes)
		}
		if d := doc.Little.InFlightPredicted; math.Abs(d-1.8) > .001 {
			t.Errorf("Little predicts %v in flight, want 2 × 18/20", d)
		}
		// What ends on the stroke of a second belongs to the next, but for the window's last.
		if len(doc.Series) != 2 || doc.Series[0].OK != 98 || doc.Series[1].OK != 102 {
			t.Errorf("series %+v", doc.Series)
		}
	})
}

func TestPipelineSharesTheClientsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := load()
		p.Pipeline = 4
		doc := run(t, newLab(), p, nil)
		counts(t, total(t, doc), 1600, 1600, 0, 0, 0)
		ledger(t, doc, map[string]time.Duration{rundoc.StateAwaiting: 4 * time.Second})
	})
}

func TestThinkTimeIsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := load()
		p.ThinkTime = 30 * time.Millisecond
		doc := run(t, newLab(), p, nil)
		counts(t, total(t, doc), 100, 100, 0, 0, 0)
		ledger(t, doc, map[string]time.Duration{
			rundoc.StateAwaiting: time.Second, rundoc.StateWaiting: 3 * time.Second,
		})
	})
}

func TestOperationLimitEndsTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.service = func(index uint64, _ time.Duration) time.Duration {
			if index == 1 {
				return 500 * time.Millisecond
			}
			return 10 * time.Millisecond
		}
		p := load()
		p.Duration, p.Operations = 0, 11
		doc := run(t, l, p, nil)
		// One client does the long one, the other the ten short ones.
		counts(t, total(t, doc), 11, 11, 0, 0, 0)
		ledger(t, doc, map[string]time.Duration{
			rundoc.StateAwaiting: 600 * time.Millisecond, rundoc.StateIdle: 400 * time.Millisecond,
		})
	})
}

func TestWarmupIsExcludedFromTheSummary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.fail = func(index uint64, attempt int) *op.Failure {
			if index == warmupIndex+3 && attempt == 1 {
				return &op.Failure{Cause: "closed"}
			}
			return nil
		}
		p := load()
		p.Duration, p.Operations = 0, 50
		p.WarmupClients, p.WarmupOperations = 3, 10
		doc := run(t, l, p, nil)
		counts(t, total(t, doc), 20, 20, 0, 0, 0)
		if doc.Phases[0].Name != rundoc.PhaseWarmup || doc.Phases[0].OK != 30 {
			t.Errorf("warm-up %+v", doc.Phases[0])
		}
		if len(doc.Connections.Reconnects) != 0 || len(doc.Retries) != 0 {
			t.Errorf("reconnects %v, retries %v", doc.Connections.Reconnects, doc.Retries)
		}
		if doc.Connections.Opened != 6 || l.connected.Load() != 6 {
			t.Errorf("%d connections opened, the target saw %d", doc.Connections.Opened, l.connected.Load())
		}
		if _, found := l.began.Load(uint64(0)); !found {
			t.Error("the window's operations do not begin at 0")
		}
	})
}

func TestConstantArrivalsAreOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		p := load()
		p.Rate = 100
		doc := run(t, l, p, nil)
		o := total(t, doc)
		counts(t, o, 200, 200, 0, 0, 0)
		for i := range uint64(200) {
			at, _ := l.began.Load(i)
			if want := time.Duration(i) * 10 * time.Millisecond; at != want {
				t.Fatalf("operation %d began at %v, want %v", i, at, want)
			}
		}
		if o.SendDelay.MaxNS != 0 || o.ResponseTime.MaxNS != 10e6 {
			t.Errorf("send delay up to %d ns, response time up to %d ns", o.SendDelay.MaxNS, o.ResponseTime.MaxNS)
		}
	})
}

// TestStallRaisesResponseTimeAndNotServiceTime is coordinated omission: a target that stops
// for half a second delays everything that was due meanwhile, and only what was in flight
// has a long service time.
func TestStallRaisesResponseTimeAndNotServiceTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.service = func(_ uint64, at time.Duration) time.Duration {
			if stall := time.Second; at >= stall && at < stall+500*time.Millisecond {
				return stall + 500*time.Millisecond - at
			}
			return time.Millisecond
		}
		p := load()
		p.Rate = 100
		doc := run(t, l, p, nil)
		o := total(t, doc)
		counts(t, o, 200, 200, 0, 0, 0)
		// Due in the stall are the operations of 1.00, 1.01, … 1.49 s. Two clients can be in
		// flight, so two have a long service time; all 50 have a long response time.
		h, err := o.ResponseTime.Histogram()
		if err != nil {
			t.Fatal(err)
		}
		slow := int64(0)
		for _, bar := range h.Distribution() {
			if bar.From > 2e6 {
				slow += bar.Count
			}
		}
		if slow < 48 {
			t.Errorf("%d operations have a long response time, want about 50", slow)
		}
		if p90 := *o.ServiceTime.P90NS; p90 > 1.01e6 {
			t.Errorf("service time p90 %v", time.Duration(p90))
		}
		about(t, "response time max", o.ResponseTime.MaxNS, 500e6, .001)
		about(t, "send delay max", o.SendDelay.MaxNS, 480e6, .01)
		if doc.Generator.OwnDelayP99NS > 1e3 {
			t.Errorf("the target's stall counts as the generator's delay: %d ns", doc.Generator.OwnDelayP99NS)
		}
	})
}

func TestOverloadQueuesThenDrops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		p := load()
		p.Rate, p.MaxWaiting = 1000, 40 // twice 100/s is what the two clients can do
		doc := run(t, l, p, nil)
		o := total(t, doc)
		// 2000 are due. The clients do 400 in the window, and the 40 that wait are done in the
		// drain; the rest never found a place.
		if o.Scheduled != 2000 || o.Failed != 0 || o.Unfinished != 0 || o.OK < 438 || o.OK > 442 ||
			o.Unsent != 2000-o.OK {
			t.Errorf("scheduled %d, ok %d, unsent %d", o.Scheduled, o.OK, o.Unsent)
		}
		if o.RatePerS < 198 || o.RatePerS > 200 {
			t.Errorf("%v a second", o.RatePerS)
		}
		if o.OK != l.attempts.Load() {
			t.Errorf("%d ok, the target saw %d", o.OK, l.attempts.Load())
		}
	})
}

func TestRetriesAndTheirCauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.connect = 7 * time.Millisecond
		closed := &op.Failure{Cause: "closed"}
		l.fail = func(index uint64, attempt int) *op.Failure {
			switch {
			case index == 4 && attempt <= 2:
				return closed
			case index == 7:
				return &op.Failure{Cause: "busy"}
			case index == 9:
				return &op.Failure{Cause: "rejected", Final: true}
			}
			return nil
		}
		p := load()
		p.Clients, p.Duration, p.Operations = 1, 0, 20
		doc := run(t, l, p, nil)
		o := total(t, doc)
		counts(t, o, 20, 18, 2, 0, 0)
		if o.Attempts != 20+2+5 || o.Retries != 7 || l.attempts.Load() != 27 {
			t.Errorf("%d attempts, %d retries; the target saw %d", o.Attempts, o.Retries, l.attempts.Load())
		}
		causes := map[string]int64{}
		for _, c := range o.Causes {
			causes[c.Cause] = c.Count
		}
		if causes["closed"] != 2 || causes["busy"] != 6 || causes["rejected"] != 1 {
			t.Errorf("causes %v", causes)
		}
		retries := map[string]rundoc.CauseTime{}
		for _, r := range doc.Retries {
			retries[r.Cause] = r
		}
		if retries["closed"].Count != 2 || retries["busy"].Count != 5 {
			t.Errorf("retries %+v", doc.Retries)
		}
		re := doc.Connections.Reconnects
		if len(re) != 1 || re[0].Cause != "closed" || re[0].Count != 2 || re[0].TimeNS != 14e6 {
			t.Errorf("reconnects %+v", re)
		}
		if got := doc.Ledger.States[rundoc.StateReconnecting]; got != 14e6 {
			t.Errorf("reconnecting %v", time.Duration(got))
		}
		// The pauses lie between half of 50, 100, 200, … ms and all of it.
		if got := doc.Ledger.States[rundoc.StateBackingOff]; got < (75+775)*1e6 || got > (150+1550)*1e6 {
			t.Errorf("backing off %v", time.Duration(got))
		}
		// Index 4 has the only response that took several attempts; it is in the service time
		// and not in the first attempts, which hold no failure of this kind.
		if o.ServiceTime.Count != 18 || o.FirstAttempt.Count != 17 || o.FirstAttempt.MaxNS != 10e6 ||
			o.ServiceTime.MaxNS < 100e6 {
			t.Errorf("service time %+v, first attempt %+v", o.ServiceTime, o.FirstAttempt)
		}
	})
}

func TestTimeoutsCountWithTheirDuration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.service = func(index uint64, _ time.Duration) time.Duration {
			if index%10 == 0 {
				return time.Hour
			}
			return 10 * time.Millisecond
		}
		p := load()
		p.Duration, p.Operations, p.Retry.Max, p.Retry.Timeout = 0, 100, 0, 200*time.Millisecond
		o := total(t, run(t, l, p, nil))
		counts(t, o, 100, 90, 10, 0, 0)
		if o.Causes[0] != (rundoc.Cause{Cause: "timeout", Count: 10}) || o.ServiceTime.Count != 100 ||
			o.ServiceTime.MaxNS != 200e6 {
			t.Errorf("causes %v, service time %+v", o.Causes, o.ServiceTime)
		}
	})
}

func TestUnfinishedCountWithTheirDuration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.service = func(uint64, time.Duration) time.Duration { return time.Hour }
		p := load()
		p.Retry.Timeout, p.Drain = time.Minute, 3*time.Second
		doc := run(t, l, p, nil)
		o := total(t, doc)
		counts(t, o, 2, 0, 0, 0, 2)
		if o.ServiceTime.Count != 2 || o.ServiceTime.MinNS != 5e9 {
			t.Errorf("service time %+v, want two of 5 s", o.ServiceTime)
		}
		if math.Abs(doc.Little.InFlightPredicted-2) > .001 {
			t.Errorf("%v in flight", doc.Little.InFlightPredicted)
		}
		ledger(t, doc, map[string]time.Duration{rundoc.StateAwaiting: 4 * time.Second})
	})
}

func TestStopEndsTheWindowAndDrains(t *testing.T) {
	for name, rate := range map[string]float64{"closed": 0, "open": 150} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := load()
				p.Rate, p.Duration = rate, time.Hour
				stop := make(chan struct{})
				time.AfterFunc(995*time.Millisecond, func() { close(stop) })
				doc := run(t, newLab(), p, stop)
				o := total(t, doc)
				if !doc.Interrupted || doc.Ledger.WindowNS != 995e6 || o.OK != o.Scheduled || o.OK < 145 {
					t.Errorf("interrupted %v, window %v, %d of %d ok",
						doc.Interrupted, time.Duration(doc.Ledger.WindowNS), o.OK, o.Scheduled)
				}
			})
		})
	}
}

func TestStopBeforeTheWindowSavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := load()
		p.WarmupClients, p.WarmupTime = 2, time.Minute
		alarms := wake.NewPortable()
		defer alarms.Close()
		stop := make(chan struct{})
		time.AfterFunc(time.Second, func() { close(stop) })
		if _, err := Run(t.Context(), stop, Config{Load: p, Workload: newLab(), Alarms: alarms}); err == nil ||
			!strings.Contains(err.Error(), "warm-up") {
			t.Errorf("error %v", err)
		}
	})
}

func TestSecondSignalWaitsForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.service = func(uint64, time.Duration) time.Duration { return time.Hour }
		p := load()
		p.Retry.Timeout, p.Duration, p.Drain = time.Hour, time.Hour, time.Hour
		alarms := wake.NewPortable()
		defer alarms.Close()
		ctx, cancel := context.WithCancel(t.Context())
		stop := make(chan struct{})
		time.AfterFunc(time.Second, func() { close(stop) })
		time.AfterFunc(3*time.Second, cancel)
		r, err := Run(ctx, stop, Config{Load: p, Workload: l, Alarms: alarms})
		if err != nil {
			t.Fatal(err)
		}
		doc, err := r.Document()
		if err != nil {
			t.Fatal(err)
		}
		o := total(t, doc)
		counts(t, o, 2, 0, 0, 0, 2)
		if o.ServiceTime.MaxNS != 3e9 {
			t.Errorf("lasted %v", time.Duration(o.ServiceTime.MaxNS))
		}
	})
}

func TestRampComesBeforeTheWindow(t *testing.T) {
	for name, rate := range map[string]float64{"closed": 0, "open": 200} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				p := load()
				p.Clients, p.Ramp, p.Rate = 4, time.Second, rate
				doc := run(t, l, p, nil)
				o := total(t, doc)
				want := 400.0 // 4 clients at 100/s, or half of that asked for
				if rate > 0 {
					want = rate
				}
				if math.Abs(o.RatePerS-want) > 2 {
					t.Errorf("%v a second in the window, want %v", o.RatePerS, want)
				}
				var ramp rundoc.Phase
				for _, phase := range doc.Phases {
					if phase.Name == rundoc.PhaseRamp {
						ramp = phase
					}
				}
				// The load rises in a line (four steps, or a slope): in all half of the full one.
				if share := float64(ramp.OK) / want; share < .45 || share > .64 {
					t.Errorf("the ramp did %d operations", ramp.OK)
				}
				if l.attempts.Load() != ramp.Operations+o.Attempts {
					t.Errorf("the target saw %d attempts, the ramp has %d and the window %d",
						l.attempts.Load(), ramp.Operations, o.Attempts)
				}
			})
		})
	}
}

func TestNoConnectionNoRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.refuse = func(int) *op.Failure { return &op.Failure{Cause: "refused"} }
		alarms := wake.NewPortable()
		defer alarms.Close()
		_, err := Run(t.Context(), nil, Config{Load: load(), Workload: l, Alarms: alarms})
		if err == nil || op.AsFailure(err).Cause != "refused" {
			t.Errorf("error %v", err)
		}
	})
}

// settled is the memory in use. What pools hold survives one collection.
func settled() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestMemoryDoesNotGrowWithTheRun compares what a short and a long run leave behind while
// their results are held.
func TestMemoryDoesNotGrowWithTheRun(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow under the race detector; make test runs it")
	}
	held := func(duration time.Duration) (bytes int64) {
		synctest.Test(t, func(t *testing.T) {
			p := load()
			p.Duration = duration
			alarms := wake.NewPortable()
			defer alarms.Close()
			before := settled()
			l := newLab()
			l.forget = true
			r, err := Run(t.Context(), nil, Config{Load: p, Workload: l, Alarms: alarms})
			if err != nil {
				t.Fatal(err)
			}
			bytes = settled() - before
			runtime.KeepAlive(r)
		})
		return bytes
	}
	held(time.Second) // what is made once
	short, long := held(time.Second), held(200*time.Second)
	const perSecond = 200 // a point of the series, with room to grow
	if grown := long - short; grown > 199*perSecond+64<<10 {
		t.Errorf("200 operations leave %d bytes, 40000 leave %d more", short, grown)
	}
}
