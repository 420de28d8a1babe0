package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestOperationLimitCountsFlows: those of the warm-up too, however many steps each has.
func TestOperationLimitCountsFlows(t *testing.T) {
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

// synctest: used only inside a bubble.
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

// TestCheckingResponsesIsGeneratorWork: it is the generator's work. It is in no time of the target, its client is not in flight and does
// not wait for a turn meanwhile, and who waits for that client waits for the generator.
func TestCheckingResponsesIsGeneratorWork(t *testing.T) {
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

// TestManyRecordedArrivals: a limit of operations ends them where it says, or the last of them does.
func TestManyRecordedArrivals(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow under the race detector; make test runs it")
	}
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
