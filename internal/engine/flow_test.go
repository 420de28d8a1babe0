package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/rundoc"
)

// journey is a workload whose operations come in flows of so many steps, with a pause before each step behind the
// first. Step k of flow n is the lab's operation 100·n + k.
type journey struct {
	*lab
	steps int
	pause time.Duration
}

func (j *journey) Flows() []string       { return []string{"even", "odd"} }
func (j *journey) Flow(index uint64) int { return int(index % 2) }
func (j *journey) NewClient(number, slots int) workload.Client {
	c := &journeyClient{Client: j.lab.NewClient(number, slots), of: j, at: make([]journeyAt, slots)}
	if s, sends := c.Client.(workload.Sender); sends {
		return journeySender{c, s}
	}
	return c
}

// journeySender is one whose lab client can send without waiting.
type journeySender struct {
	*journeyClient
	sender workload.Sender
}

func (c journeySender) Reserve(slot int) bool                     { return c.sender.Reserve(slot) }
func (c journeySender) Send(slot int, a *op.Attempt)              { c.sender.Send(slot, a) }
func (c journeySender) Await(slot int, a *op.Attempt) *op.Failure { return c.sender.Await(slot, a) }

type journeyClient struct {
	workload.Client
	of *journey
	at []journeyAt
}

type journeyAt struct {
	flow uint64
	step int
}

func (c *journeyClient) Prepare(slot int, index uint64) workload.Operation {
	c.at[slot] = journeyAt{flow: index}
	return c.Client.Prepare(slot, 100*index)
}

func (c *journeyClient) Step(slot int, e workload.Ended) (workload.Operation, time.Duration, bool) {
	at := &c.at[slot]
	at.step++
	if e.Why != nil || at.step == c.of.steps {
		return workload.Operation{}, 0, false
	}
	return c.Client.Prepare(slot, 100*at.flow+uint64(at.step)), c.of.pause, true
}

func flowOf(t *testing.T, doc *rundoc.Run, name string) rundoc.FlowFigures {
	t.Helper()
	for _, f := range doc.Flows {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no flow %q in %+v", name, doc.Flows)
	return rundoc.FlowFigures{}
}

func flowCounts(t *testing.T, f rundoc.FlowFigures, started, completed, failed, cut int64) {
	t.Helper()
	got := [...]int64{f.Started, f.Completed, f.Failed, f.Cut}
	if want := [...]int64{started, completed, failed, cut}; got != want {
		t.Errorf("flow %s: started, completed, failed, cut: %v, want %v", f.Name, got, want)
	}
}

// TestFlowInTheOpenModel: an arrival begins a flow at its time, whose later steps are due when the one before has
// ended and the pause has passed, whatever the schedule does meanwhile.
func TestFlowInTheOpenModel(t *testing.T) {
	for name, sends := range map[string]bool{"slots send": false, "alarms send": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := load()
				l.Clients, l.Rate, l.Duration, l.Pipeline = 10, 10, 2*time.Second, 1
				w := &journey{lab: newLab(), steps: 3, pause: 50 * time.Millisecond}
				if sends {
					w.lab.sends = func(uint64) sending { return whole }
				}
				doc := runFlows(t, w, l)
				// 20 flows of 3 × 10 ms and 2 × 50 ms; the one that is due at 1.9 s has its third step due at 2.02 s, behind
				// the end.
				counts(t, total(t, doc), 59, 59, 0, 0, 0)
				flowCounts(t, flowOf(t, doc, "even"), 10, 10, 0, 0)
				odd := flowOf(t, doc, "odd")
				flowCounts(t, odd, 10, 9, 0, 1)
				about(t, "longest flow", odd.ResponseTime.MaxNS, int64(130*time.Millisecond), 0.001)
				about(t, "the one that is cut off", odd.ResponseTime.MinNS, int64(100*time.Millisecond), 0.001)
				sum := total(t, doc)
				about(t, "longest step", sum.ResponseTime.MaxNS, int64(10*time.Millisecond), 0.001)
				about(t, "awaiting", doc.Ledger.States[rundoc.StateAwaiting], int64(590*time.Millisecond), 0)
			})
		})
	}
}

func runFlows(t *testing.T, w workload.Workload, l plan.Load) *rundoc.Run {
	t.Helper()
	doc, _ := runWith(t, Config{Load: l, Workload: w}, nil)
	return doc
}

// TestFlowWaitsForAClient: what an arrival waits for a free client is in its flow's response time, and in that of
// its first step alone.
func TestFlowWaitsForAClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := load()
		l.Clients, l.Rate, l.Operations, l.Duration = 1, 1000, 3, 0
		w := &journey{lab: newLab(), steps: 2}
		w.lab.service = func(uint64, time.Duration) time.Duration { return 100 * time.Millisecond }
		doc := runFlows(t, w, l)
		counts(t, total(t, doc), 6, 6, 0, 0, 0)
		even := flowOf(t, doc, "even") // arrivals 0 and 2 ms: 200, and 3 × 200 − 2
		flowCounts(t, even, 2, 2, 0, 0)
		about(t, "first flow", even.ResponseTime.MinNS, int64(200*time.Millisecond), 0.001)
		about(t, "third flow", even.ResponseTime.MaxNS, int64(598*time.Millisecond), 0.001)
		sum := total(t, doc)
		about(t, "its first step", sum.ResponseTime.MaxNS, int64(498*time.Millisecond), 0.001)
		about(t, "service", sum.ServiceTime.MaxNS, int64(100*time.Millisecond), 0.001)
	})
}

// TestFlowInTheClosedModel: a client begins its next flow when the last one is over, and pauses between steps as the
// flow says; the limit of operations counts flows.
func TestFlowInTheClosedModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := load()
		l.Clients, l.Duration, l.Operations, l.ThinkTime = 2, 0, 6, 300*time.Millisecond
		w := &journey{lab: newLab(), steps: 2, pause: 90 * time.Millisecond}
		doc := runFlows(t, w, l)
		counts(t, total(t, doc), 12, 12, 0, 0, 0)
		flowCounts(t, flowOf(t, doc, "even"), 3, 3, 0, 0)
		about(t, "flow", flowOf(t, doc, "odd").ResponseTime.MeanNS, int64(110*time.Millisecond), 0.001)
		about(t, "window", doc.Ledger.WindowNS, int64(3*110*time.Millisecond+3*300*time.Millisecond), 0)
		about(t, "awaiting", doc.Ledger.States[rundoc.StateAwaiting], int64(120*time.Millisecond), 0)
	})
}

// TestFlowFailsWithItsStep: it ends with its step, which is told by name, and a quick no makes no time look better.
func TestFlowFailsWithItsStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := load()
		l.Clients, l.Duration, l.Operations, l.Retry.Max = 1, 0, 4, 0
		w := &journey{lab: newLab(), steps: 2}
		w.lab.fail = func(index uint64, _ int) *op.Failure {
			if index == 101 { // an odd step of flow 1
				return &op.Failure{Cause: "rejected", Final: true}
			}
			return nil
		}
		w.lab.service = func(index uint64, _ time.Duration) time.Duration {
			if index == 300 {
				return time.Hour // longer than its timeout
			}
			return 10 * time.Millisecond
		}
		doc := runFlows(t, w, l)
		counts(t, total(t, doc), 7, 5, 2, 0, 0)
		odd := flowOf(t, doc, "odd")
		flowCounts(t, odd, 2, 0, 2, 0)
		if odd.ResponseTime.Count != 1 {
			t.Errorf("%d of the failed flows have a time: only the one that had no answer", odd.ResponseTime.Count)
		}
		about(t, "the one without an answer", odd.ResponseTime.MinNS, int64(time.Second), 0.001)
		failed := map[string]int64{}
		for _, f := range odd.FailedAt {
			failed[f.Operation] += f.Count
		}
		if len(failed) != 2 || failed["odd"] != 1 || failed["even"] != 1 {
			t.Errorf("failed at %v", failed)
		}
	})
}

// TestInterruptCutsFlows: what is under way is waited for, and no step begins behind the end.
func TestInterruptCutsFlows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := load()
		l.Clients, l.Rate, l.Duration = 4, 2, 0
		w := &journey{lab: newLab(), steps: 100, pause: 30 * time.Millisecond}
		stop := make(chan struct{})
		time.AfterFunc(1005*time.Millisecond, func() { close(stop) })
		doc, _ := runWith(t, Config{Load: l, Workload: w}, stop)
		even, odd := flowOf(t, doc, "even"), flowOf(t, doc, "odd")
		flowCounts(t, even, 2, 0, 0, 2) // those of 0 and 1 s, and of 0.5 s
		flowCounts(t, odd, 1, 0, 0, 1)
		// Steps of 10 ms every 40 ms: the first flow was in its 26th when the end came, and that was waited for.
		about(t, "the first flow", even.ResponseTime.MaxNS, int64(1010*time.Millisecond), 0.001)
		counts(t, total(t, doc), 26+13+1, 26+13+1, 0, 0, 0)
	})
}

// TestFlowsOfTheRampAreExcluded: a flow that the ramp began is in no figure of the window but by its steps there.
func TestFlowsOfTheRampAreExcluded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := load()
		l.Clients, l.Rate, l.Duration, l.Ramp = 4, 4, time.Second, time.Second
		w := &journey{lab: newLab(), steps: 2, pause: 290 * time.Millisecond}
		doc := runFlows(t, w, l)
		started := flowOf(t, doc, "even").Started + flowOf(t, doc, "odd").Started
		if started != 4 {
			t.Errorf("%d flows, want those of the window, 4", started)
		}
		var early int64
		for _, p := range doc.Phases {
			if p.Name == rundoc.PhaseRamp {
				early = p.Operations
			}
		}
		// The ramp's two arrivals are at 0 and 0.71 s; the second step of the latter is due at 1.01 s, in the window.
		if early != 3 {
			t.Errorf("the ramp has %d operations, want 3", early)
		}
	})
}

// TestStages: those of what was answered sum to its time; the request of which the answer begins early is sent until
// then, and the kernel's stamp of an answer is believed where it can be.
func TestStages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := load()
		l.Clients, l.Duration, l.Operations, l.Retry.Max = 1, 0, 30, 1
		w := newLab()
		w.staged = true
		w.send = 3 * time.Millisecond
		w.fail = func(index uint64, attempt int) *op.Failure {
			if index == 7 && attempt == 1 {
				return &op.Failure{Cause: "rejected"}
			}
			return nil
		}
		doc := runFlows(t, w, l)
		for _, o := range doc.Operations {
			if o.Stages == nil || o.Stages.Send.Count != 15 {
				t.Fatalf("%s has the stages %+v", o.Name, o.Stages)
			}
			about(t, "send", o.Stages.Send.MaxNS, int64(3*time.Millisecond), 0.001)
			about(t, "wait", o.Stages.Wait.MinNS, int64(8*time.Millisecond), 0.001)
			about(t, "body", o.Stages.Body.MaxNS, int64(2*time.Millisecond), 0.001)
		}
	})
}

// TestRecordedArrivals: the schedule is that of the workload's own times, and ends with them.
func TestRecordedArrivals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := load()
		l.Clients, l.Arrivals, l.Rate, l.Duration = 4, plan.AsRecorded, 3, 2*time.Second
		w := &past{lab: newLab(), at: []time.Duration{0, 700 * time.Millisecond, 700 * time.Millisecond, 3 * time.Second}}
		doc := runFlows(t, w, l)
		counts(t, total(t, doc), 3, 3, 0, 0, 0)
		for index, at := range w.at[:3] {
			if began, _ := w.began.Load(uint64(index)); began != at {
				t.Errorf("operation %d began at %v, want %v", index, began, at)
			}
		}
	})
}

type past struct {
	*lab
	at []time.Duration
}

func (p *past) At(index uint64) (time.Duration, bool) {
	if index >= uint64(len(p.at)) {
		return 0, false
	}
	return p.at[index], true
}
