package engine

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestWhoWaitsBehindAFlow: an arrival that waits for its client since the generator was late with a step of the flow
// before waits for the generator, whichever of the steps that was.
func TestWhoWaitsBehindAFlow(t *testing.T) {
	for name, late := range map[string]time.Duration{"the first step": 10, "the last step": 40} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := load()
				l.Clients, l.Rate, l.Duration, l.Operations = 1, 20, 0, 2
				w := &journey{lab: newLab(), steps: 2, pause: 20 * time.Millisecond}
				// The first flow would be over at 40 ms, and is at 75 ms; the second is due at 50 ms.
				w.lab.thaw = func(at time.Duration) time.Duration {
					if at == late*time.Millisecond {
						return at + 35*time.Millisecond
					}
					return at
				}
				doc := runFlows(t, w, l)
				for _, o := range doc.Operations {
					about(t, o.Name+", free", o.ResponseTime.Free.MaxNS, int64(10*time.Millisecond), 0.001)
				}
				odd := flowOf(t, doc, "odd").ResponseTime
				about(t, "the second flow", odd.MaxNS, int64(65*time.Millisecond), 0.001)
				about(t, "free", odd.Free.MaxNS, int64(40*time.Millisecond), 0.001)
			})
		})
	}
}

// TestTheGeneratorBetweenSteps: what it takes to make a step, behind the time at which the step was due, is the
// generator's part of the flow in both models.
func TestTheGeneratorBetweenSteps(t *testing.T) {
	for name, rate := range map[string]float64{"closed": 0, "open": 10} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := load()
				l.Clients, l.Rate, l.Duration, l.Operations = 1, rate, 0, 1
				w := &journey{lab: newLab(), steps: 3}
				w.lab.prepare = 5 * time.Millisecond
				f := flowOf(t, runFlows(t, w, l), "even").ResponseTime
				behind := int64(0)
				if rate > 0 {
					behind = int64(5 * time.Millisecond) // the first step, too
				}
				about(t, "raw", f.MaxNS, int64(40*time.Millisecond)+behind, 0.001)
				about(t, "free", f.Free.MaxNS, int64(30*time.Millisecond), 0.001)
			})
		})
	}
}

// TestTheLimitCountsFlows: those of the warm-up too, however many steps each has.
func TestTheLimitCountsFlows(t *testing.T) {
	for name, rate := range map[string]float64{"closed": 0, "open": 10} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := load()
				l.Clients, l.Rate, l.Duration, l.Operations = 2, rate, 0, 10
				l.WarmupClients, l.WarmupOperations = 1, 3
				doc := runFlows(t, &journey{lab: newLab(), steps: 4}, l)
				counts(t, total(t, doc), 28, 28, 0, 0, 0)
				if warm := doc.Phases[0]; warm.Name != rundoc.PhaseWarmup || warm.Operations != 12 || warm.OK != 12 {
					t.Errorf("the warm-up: %+v", warm)
				}
			})
		})
	}
}

// TestSoManyFlowsAreCarriedToTheirEnds: the end of a schedule of so many arrivals cuts none of them off, whether
// clients are free then or not.
func TestSoManyFlowsAreCarriedToTheirEnds(t *testing.T) {
	for _, clients := range []int{1, 2, 10} {
		synctest.Test(t, func(t *testing.T) {
			l := load()
			l.Clients, l.Rate, l.Duration, l.Operations = clients, 10, 0, 3
			doc := runFlows(t, &journey{lab: newLab(), steps: 2, pause: 500 * time.Millisecond}, l)
			counts(t, total(t, doc), 6, 6, 0, 0, 0)
			flowCounts(t, flowOf(t, doc, "even"), 2, 2, 0, 0)
			flowCounts(t, flowOf(t, doc, "odd"), 1, 1, 0, 0)
		})
	}
}

// TestAFlowThatIsCutOff: it has lasted until the window ended, and at least until its last answer.
func TestAFlowThatIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := load()
		l.Clients, l.Rate, l.Duration = 4, 1, 1995*time.Millisecond
		w := &journey{lab: newLab(), steps: 2, pause: 10 * time.Second}
		w.lab.service = func(index uint64, _ time.Duration) time.Duration {
			return map[bool]time.Duration{true: time.Second - time.Millisecond, false: 10 * time.Millisecond}[index == 100]
		}
		doc := runFlows(t, w, l) // arrivals at 0 and at 1 s
		about(t, "pauses at the end", flowOf(t, doc, "even").ResponseTime.MinNS, int64(l.Duration), 0.001)
		about(t, "ends in the drain", flowOf(t, doc, "odd").ResponseTime.MinNS, int64(time.Second-time.Millisecond), 0.001)
	})
}

// TestAPauseUntilTheEnd: a client whose next step is due behind the end of the window has no time for another flow until
// then. What is due and waits for it is sent in the drain.
func TestAPauseUntilTheEnd(t *testing.T) {
	for name, rate := range map[string]float64{"closed": 0, "open": 10} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := load()
				l.Clients, l.Rate = 1, rate
				doc := runFlows(t, &journey{lab: newLab(), steps: 2, pause: 10 * time.Second}, l)
				o := total(t, doc)
				if rate == 0 {
					counts(t, o, 1, 1, 0, 0, 0)
					return
				}
				counts(t, o, 20, 20, 0, 0, 0)
				about(t, "the second arrival", o.ResponseTime.MaxNS, int64(1910*time.Millisecond), 0.001)
				about(t, "rate", int64(o.RatePerS*2), 1, 0)
			})
		})
	}
}

// looker is a workload whose clients read their answers themselves, and look at them for so long.
type looker struct {
	*lab
	look time.Duration
}

func (l *looker) NewClient(number, slots int) workload.Client {
	return &lookClient{l.lab.NewClient(number, slots).(*labClient), l}
}

type lookClient struct {
	*labClient
	of *looker
}

func (c *lookClient) ReadsItself() {}

func (c *lookClient) Do(_ context.Context, slot int, a *op.Attempt) *op.Failure {
	c.begin(slot, a)
	s := &c.slots[slot]
	a.Sent()
	time.Sleep(c.of.service(s.index, time.Since(c.of.made)))
	a.Answering(nil)
	a.Over(nil)
	why := c.of.fail(s.index, s.attempt)
	time.Sleep(c.of.look)
	return why
}

// TestLookingAtAnswers: it is the generator's work. It is in no time of the target, its client is not in flight and does
// not wait for a turn meanwhile, and who waits for that client waits for the generator.
func TestLookingAtAnswers(t *testing.T) {
	t.Run("closed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := load()
			l.Clients, l.Duration = 2, 30*time.Second
			doc := runFlows(t, &looker{newLab(), 30 * time.Millisecond}, l)
			about(t, "service", total(t, doc).ServiceTime.MaxNS, int64(10*time.Millisecond), 0.001)
			ledger(t, doc, map[string]time.Duration{rundoc.StateAwaiting: 15 * time.Second, rundoc.StatePreparing: 45 * time.Second})
			lawOfLittle(t, doc)
		})
	})
	t.Run("open", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := load()
			l.Clients, l.Rate, l.Duration, l.Operations = 1, 50, 0, 3
			doc := runFlows(t, &looker{newLab(), 15 * time.Millisecond}, l)
			sum := total(t, doc)
			about(t, "the third", sum.ResponseTime.MaxNS, int64(20*time.Millisecond), 0.001)
			about(t, "the third, free", sum.ResponseTime.Free.MaxNS, int64(10*time.Millisecond), 0.001)
		})
	})
	t.Run("retried", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := load()
			l.Clients, l.Duration, l.Operations = 1, 0, 2
			w := &looker{newLab(), 15 * time.Millisecond}
			w.fail = func(_ uint64, attempt int) *op.Failure {
				if attempt == 1 {
					return &op.Failure{Cause: "check"}
				}
				return nil
			}
			doc := runFlows(t, w, l)
			raw, free := doc.Operations[0].ServiceTime.MaxNS, doc.Operations[0].ServiceTime.Free.MaxNS
			about(t, "looking, of a retried one", raw-free, int64(15*time.Millisecond), 0.001)
		})
	})
}

func lawOfLittle(t *testing.T, doc *rundoc.Run) {
	t.Helper()
	l := doc.Little
	if bound, judged := l.Bound(); !judged || l.InFlightSampled-l.InFlightPredicted > bound ||
		l.InFlightPredicted-l.InFlightSampled > bound {
		t.Errorf("Little's law: %v sampled, %v predicted, bound %v", l.InFlightSampled, l.InFlightPredicted, bound)
	}
}

// TestProgressOfFlows: a limit of flows is reached by flows, and not by their steps.
func TestProgressOfFlows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := load()
		l.Clients, l.Duration, l.Operations = 1, 0, 40
		w := &journey{lab: newLab(), steps: 2, pause: 80 * time.Millisecond} // a flow takes 100 ms
		var first atomic.Int64
		runWith(t, Config{Load: l, Workload: w, Progress: func(p Progress) {
			if p.Measured {
				first.CompareAndSwap(0, int64(1000*p.Done)) // 1.25 s of 4 s, by the 12 flows that are over
			}
		}}, nil)
		about(t, "done, in thousandths", first.Load(), 300, 0.01)
	})
}

// TestWhoHoldsTheClients: flows do that while they pause, and neither is the target slow then nor the generator.
func TestWhoHoldsTheClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := load()
		l.Clients, l.Rate, l.Duration, l.MaxWaiting = 2, 10, 200*time.Second, 1
		doc := runFlows(t, &journey{lab: newLab(), steps: 2, pause: 980 * time.Millisecond}, l)
		about(t, "pausing", doc.Ledger.States[rundoc.StatePausing], int64(392*time.Second), 0.005)
		doc.Plan, doc.Workload = []byte(`{"load":{"rate_per_s":10}}`), rundoc.WorkloadHTTP
		if o := total(t, doc); o.Unsent == 0 {
			t.Errorf("%+v", o)
		}
		for _, reason := range rundoc.Judge(doc).Reasons {
			if strings.Contains(reason, "did not offer the load") {
				t.Error(reason)
			}
		}
		var said []string
		for _, w := range rundoc.Warnings(doc) {
			said = append(said, w.Message)
		}
		text := strings.Join(said, "\n")
		for _, want := range []string{"The clients were too few for the load", "10 a second of 997 ms each are 9.97 at the same time, and 2 may be",
			"Raise --clients to 13"} { // of 402 flows two were cut off
			if !strings.Contains(text, want) {
				t.Errorf("%q is not said: %s", want, text)
			}
		}
	})
}

// TestRecordedArrivalsAtOnce: those of one moment are all due then, those that clients have no time for wait, and more
// than may wait are unsent; a schedule that its own speed has taken out of all time has an end.
func TestRecordedArrivalsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := load()
		l.Clients, l.Arrivals, l.Rate, l.Duration, l.MaxWaiting = 2, plan.AsRecorded, 3, 2*time.Second, 4
		w := &past{lab: newLab(), at: append(make([]time.Duration, 9), time.Second, time.Second, 1<<63-1)}
		doc := runFlows(t, w, l)
		counts(t, total(t, doc), 11, 6, 0, 5, 0)
		about(t, "the second pair", total(t, doc).ResponseTime.MaxNS, int64(20*time.Millisecond), 0.001)
		about(t, "window", doc.Ledger.WindowNS, int64(2*time.Second), 0)
	})
	for name, at := range map[string][]time.Duration{"none": nil, "before all time": {-1}} {
		synctest.Test(t, func(t *testing.T) {
			l := load()
			l.Arrivals, l.Rate = plan.AsRecorded, 3
			if o := total(t, runFlows(t, &past{lab: newLab(), at: at}, l)); o.Scheduled != 0 {
				t.Errorf("%s: %d scheduled", name, o.Scheduled)
			}
		})
	}
}

// TestManyRecordedArrivals: a limit of operations ends them where it says, or the last of them does.
func TestManyRecordedArrivals(t *testing.T) {
	const all = 20_000
	for limit, want := range map[int64]time.Duration{all / 2: all / 2 * time.Millisecond, 2 * all: (all - 1 + 10) * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			l := load()
			l.Clients, l.Arrivals, l.Rate, l.Duration, l.Operations = 20, plan.AsRecorded, 1000, 0, limit
			w := &past{lab: newLab()}
			w.lab.forget = true
			for n := range all {
				w.at = append(w.at, time.Duration(n)*time.Millisecond)
			}
			doc := runFlows(t, w, l)
			counts(t, total(t, doc), min(limit, all), min(limit, all), 0, 0, 0)
			about(t, "window", doc.Ledger.WindowNS, int64(want), 0)
		})
	}
}
