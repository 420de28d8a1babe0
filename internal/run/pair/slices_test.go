package pair_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/pair"
	"github.com/plimsoll/plimsoll/internal/runtest"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// load is a kind of traffic whose operations do next to nothing, and see those of another one that go on meanwhile.
type load struct {
	plan   plan.Load
	own    *atomic.Int64 // under way
	others *atomic.Int64
	met    *atomic.Int64 // operations of the other that were under way
	refuse *op.Failure   // of connections
	meet   func()        // called during each operation; may be nil
	done   func()        // called after each operation; may be nil
}

func (l *load) Measure(soft, hard context.Context, r *run.Run) (*run.Found, error) {
	got, err := r.Drive(soft, hard, run.Load{Load: l.plan, Workload: l, Target: &run.Target{}})
	if err != nil {
		return nil, err
	}
	return &run.Found{Doc: got.Doc, Plan: 1}, nil
}

func (*load) Conclude(*rundoc.Run) run.Conclusion          { return run.Conclusion{} }
func (*load) Kinds() []workload.Kind                       { return []workload.Kind{{Name: "work"}} }
func (*load) Groups() int                                  { return 0 }
func (*load) Kind(uint64) int                              { return 0 }
func (l *load) NewClient(int, int) workload.Client         { return &client{load: l} }
func (*client) Prepare(int, uint64) (o workload.Operation) { return o }
func (*client) Close()                                     {}

type client struct {
	workload.Connectionless
	load *load
}

func (c *client) Connect(ctx context.Context) error {
	if c.load.refuse != nil {
		return c.load.refuse
	}
	return c.Connectionless.Connect(ctx)
}

func (c *client) Do(_ context.Context, _ int, a *op.Attempt) *op.Failure {
	c.load.own.Add(1)
	defer c.load.own.Add(-1)
	a.Sent()
	if c.load.meet != nil {
		c.load.meet()
	}
	<-time.After(100 * time.Microsecond) // so that operations of the two sides can overlap
	c.load.met.Add(c.load.others.Load())
	if c.load.done != nil {
		c.load.done()
	}
	return nil
}

// operations is the number of operations of each side, including the warm-up.
const operations = 600

// twoLoads are two that see each other.
func twoLoads() (loads [2]*load, met *atomic.Int64) {
	var under [2]atomic.Int64
	met = &atomic.Int64{}
	for side := range loads {
		loads[side] = &load{own: &under[side], others: &under[1-side], met: met, plan: plan.Load{
			Seed: 1, Clients: 3, Pipeline: 1, Operations: operations, Drain: time.Minute,
			WarmupClients: 3, WarmupOperations: 5, Retry: plan.Retry{Timeout: 2 * runtest.Patience},
		}}
	}
	return loads, met
}

func jobsOf(loads [2]*load) (jobs [2]run.Job) {
	for side, l := range loads {
		jobs[side] = run.Job{Workload: "http", Operations: "requests", Work: l}
	}
	return jobs
}

// In slices, no operation of one side overlaps one of the other side, and each document has the operations of its side.
func TestSlicesDoNotOverlap(t *testing.T) {
	for first := range 2 {
		loads, met := twoLoads()
		for _, l := range loads {
			l.plan.WarmupClients, l.plan.WarmupOperations = 0, 0 // so that the window has all operations
		}
		made := pair.Launch(t.Context(), t.Context(), environment(), jobsOf(loads),
			pair.Options{Way: setdoc.BySlices, First: first, Seed: 3, Slice: 5 * time.Millisecond})
		if met.Load() != 0 {
			t.Errorf("first %d: %d operations overlapped one of the other side", first, met.Load())
		}
		for side, doc := range made.Docs {
			if doc == nil {
				t.Fatalf("first %d: side %d was not measured: %v", first, side, made.Errs[side])
			}
			if got := doc.Operations[0]; got.OK != operations || got.Scheduled != operations {
				t.Errorf("first %d, side %d: %d of %d operations, want %d", first, side, got.OK, got.Scheduled, operations)
			}
			if busy := pair.Busy(doc); busy <= 0 || busy > 1 {
				t.Errorf("first %d, side %d: busy for a share of %v of the time", first, side, busy)
			}
			runtest.CheckInvariants(t, doc)
		}
		if made.Slices == 0 {
			t.Errorf("first %d: no slices", first)
		}
	}
}

// At the same time, operations of the two sides overlap, and the loads of these tests notice it. The first operation of
// each side waits for one of the other.
func TestAtOnceOperationsOverlap(t *testing.T) {
	loads, met := twoLoads()
	var began [2]chan struct{}
	for side := range began {
		began[side] = make(chan struct{})
	}
	for side, l := range loads {
		var once sync.Once
		l.meet = func() {
			once.Do(func() { close(began[side]) })
			select {
			case <-began[1-side]:
			case <-time.After(runtest.Patience):
				t.Error("no operation of the other side began")
			}
		}
	}
	made := pair.Launch(t.Context(), t.Context(), environment(), jobsOf(loads), pair.Options{Way: setdoc.AtOnce})
	if made.Docs[0] == nil || made.Docs[1] == nil {
		t.Errorf("not measured: %v", made.Errs)
	}
	if met.Load() == 0 {
		t.Error("no operation overlapped one of the other side")
	}
}

// A side that cannot connect ends the launch, whether it is the first or the second, and so does a load that depends on
// how long ago it began, or one that the engine does not carry out.
func TestBySlicesEndsWhenOneSideCannotBegin(t *testing.T) {
	for side := range 2 {
		for name, spoil := range map[string]func(*run.Job, *load){
			"refused": func(_ *run.Job, l *load) { l.refuse = &op.Failure{Cause: "refused"} },
			"ramp":    func(_ *run.Job, l *load) { l.plan.Ramp = time.Second },
			"no load": func(j *run.Job, _ *load) { j.Work = worker{began: func(string) {}} },
		} {
			loads, _ := twoLoads()
			jobs := jobsOf(loads)
			spoil(&jobs[side], loads[side])
			made := pair.Launch(t.Context(), t.Context(), environment(), jobs, pair.Options{Way: setdoc.BySlices})
			if made.Docs != [2]*rundoc.Run{} || made.Errs[side] == nil {
				t.Errorf("%s, side %d: %v", name, side, made.Errs)
			}
			if made.Slices > 0 {
				t.Errorf("%s, side %d: there were slices", name, side)
			}
		}
	}
}

// An interrupt ends both, and what was measured is there.
func TestBySlicesInterrupted(t *testing.T) {
	loads, _ := twoLoads()
	for _, l := range loads {
		l.plan.Operations, l.plan.Duration = 0, time.Hour
	}
	soft, cancel := context.WithCancel(t.Context())
	var n atomic.Int64
	loads[1].done = func() {
		if n.Add(1) == 100 { // in the warm-up 15 of them
			cancel()
		}
	}
	jobs := jobsOf(loads)
	made := pair.Launch(soft, t.Context(), environment(), jobs, pair.Options{Way: setdoc.BySlices})
	for side, doc := range made.Docs {
		if doc != nil && !doc.Interrupted {
			t.Errorf("side %d is not said to be interrupted", side)
		}
		if made.Errs[side] == nil {
			t.Errorf("side %d went well", side)
		}
	}
}
