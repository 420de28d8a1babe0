package engine

import (
	"context"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/instrument"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/wake"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/rundoc"
)

// lab is a workload whose every time is known. Under a fake clock nothing else takes time,
// so the figures of a run can be worked out by hand.
type lab struct {
	prepare time.Duration                                      // of an operation
	send    time.Duration                                      // until it is sent
	service func(index uint64, at time.Duration) time.Duration // from sent to answered; at is since the lab was made
	connect time.Duration
	fail    func(index uint64, attempt int) *op.Failure // nil: answered
	refuse  func(try int) *op.Failure                   // of connections
	hang    func(try int) bool                          // a connection that only the context ends

	sends     func(index uint64) sending                           // nil: its clients only know Do
	thaw      func(at time.Duration) time.Duration                 // when the generator can do what is to be done at this time
	stamped   func(index uint64, came time.Duration) time.Duration // what the kernel says of an answer that came then
	made      time.Time
	attempts  atomic.Int64 // counted on the target's side
	measured  atomic.Int64 // of those
	connected atomic.Int64
	staged    bool     // its clients say when an answer begins: a fifth of its time before its end
	forget    bool     // keep no began
	began     sync.Map // index → time of its first attempt, by the lab's own clock
}

func newLab() *lab {
	return &lab{
		service: func(uint64, time.Duration) time.Duration { return 10 * time.Millisecond },
		fail:    func(uint64, int) *op.Failure { return nil },
		refuse:  func(int) *op.Failure { return nil },
		hang:    func(int) bool { return false },
		thaw:    func(at time.Duration) time.Duration { return at },
		stamped: func(_ uint64, came time.Duration) time.Duration { return came },
		made:    time.Now(),
	}
}

func (l *lab) Kinds() []workload.Kind {
	return []workload.Kind{{Name: "even", Stages: l.staged}, {Name: "odd", Stages: l.staged}}
}
func (l *lab) Groups() int           { return 0 }
func (l *lab) Kind(index uint64) int { return int(index % 2) }
func (l *lab) NewClient(_, slots int) workload.Client {
	c := &labClient{lab: l, slots: make([]labSlot, slots)}
	if l.sends != nil {
		return &labSender{labClient: c}
	}
	return c
}

type labClient struct {
	lab   *lab
	up    atomic.Bool
	lost  atomic.Pointer[op.Failure]
	tries int
	slots []labSlot
}

type labSlot struct {
	index   uint64
	attempt int
	answer  *time.Timer
}

// synctest: used only inside a bubble.
func (c *labClient) Connect(ctx context.Context) error {
	c.tries++
	if c.lab.hang(c.tries) {
		<-ctx.Done()
		return &op.Failure{Cause: "connect-timeout", Timeout: true}
	}
	time.Sleep(c.lab.connect)
	if why := c.lab.refuse(c.tries); why != nil {
		return why
	}
	c.up.Store(true)
	c.lab.connected.Add(1)
	return nil
}

func (c *labClient) Down() *op.Failure {
	if c.up.Load() {
		return nil
	}
	if why := c.lost.Load(); why != nil {
		return why
	}
	return &op.Failure{Cause: "never"}
}

// synctest: used only inside a bubble.
func (c *labClient) Prepare(slot int, index uint64) workload.Operation {
	time.Sleep(c.lab.prepare)
	c.slots[slot] = labSlot{index: index}
	return workload.Operation{Kind: c.lab.Kind(index)}
}

func (c *labClient) Do(_ context.Context, slot int, a *op.Attempt) *op.Failure {
	c.begin(slot, a)
	c.finish(slot, a)
	return c.await(slot, a)
}

// begin notes an attempt on the target's side.
func (c *labClient) begin(slot int, a *op.Attempt) {
	s := &c.slots[slot]
	s.attempt++
	c.lab.attempts.Add(1)
	if a.Measured() {
		c.lab.measured.Add(1)
	}
	if !c.lab.forget {
		c.lab.began.LoadOrStore(s.index, time.Since(c.lab.made))
	}
}

// finish sends the whole, which the target answers.
//
// synctest: used only inside a bubble.
func (c *labClient) finish(slot int, a *op.Attempt) {
	s := &c.slots[slot]
	time.Sleep(c.lab.send)
	a.Sent()
	a.Moved(100)
	service := c.lab.service(s.index, time.Since(c.lab.made))
	s.answer = time.AfterFunc(service, func() {
		why := c.lab.fail(s.index, s.attempt)
		if why != nil && why.Cause == "closed" {
			c.lost.Store(why)
			c.up.Store(false)
		}
		came := time.Since(c.lab.made)
		if c.lab.staged {
			a.Answering(stamp(came - service/5))
		}
		time.Sleep(c.lab.thaw(came) - came)
		a.CompleteBy(stamp(c.lab.stamped(s.index, came)), why)
	})
}

// await waits for the answer.
func (c *labClient) await(slot int, a *op.Attempt) *op.Failure {
	why := a.Await()
	c.slots[slot].answer.Stop()
	return why
}

// stamp is a connection whose data came so long after the run's beginning, which under a fake clock is the lab's.
type stamp time.Duration

func (s stamp) Received() int64 { return int64(s) }

// sending is how far a labSender gets without waiting.
type sending int

const (
	whole sending = iota
	part          // and the rest has to wait
	refused
)

// labSender is a client that can send without waiting.
type labSender struct {
	*labClient
	sending sync.Mutex // an answer may come before Send has come back
}

func (c *labSender) Reserve(slot int) bool { return c.lab.sends(c.slots[slot].index) != refused }

func (c *labSender) Send(slot int, a *op.Attempt) {
	c.sending.Lock()
	defer c.sending.Unlock()
	c.begin(slot, a)
	if c.lab.sends(c.slots[slot].index) == whole {
		c.finish(slot, a)
	}
}

// synctest: used only inside a bubble.
func (c *labSender) Await(slot int, a *op.Attempt) *op.Failure {
	c.sending.Lock()
	rest := c.lab.sends(c.slots[slot].index) == part
	c.sending.Unlock()
	if rest {
		time.Sleep(time.Millisecond)
		c.finish(slot, a)
	}
	return c.await(slot, a)
}

func (c *labClient) Cut(*op.Failure) {}
func (c *labClient) Close()          {}

// unwatched is a meter that sees no gaps and has no goroutine, for phases that are made by hand.
func unwatched(clock *op.Clock) *instrument.Meter {
	return instrument.Start(instrument.Config{Now: clock.Now, Epoch: clock.Epoch(), Off: instrument.Hiccups})
}

// load is a closed load of two clients for two seconds.
func load() plan.Load {
	return plan.Load{
		Seed: 1, Clients: 2, Pipeline: 1, Duration: 2 * time.Second, Drain: 5 * time.Second,
		Arrivals: plan.Constant, MaxWaiting: 1000,
		Retry: plan.Retry{Timeout: time.Second, Max: 5, InitialBackoff: 50 * time.Millisecond, MaxBackoff: time.Second},
	}
}

// run carries out a load in fake time and checks that the laws hold.
func run(t *testing.T, l *lab, load plan.Load, stop <-chan struct{}) *rundoc.Run {
	t.Helper()
	doc, _ := runWith(t, Config{Load: load, Workload: l}, stop)
	return doc
}

// runWith carries out a run in fake time and checks that the laws hold.
func runWith(t *testing.T, c Config, stop <-chan struct{}) (*rundoc.Run, *record.Run) {
	t.Helper()
	if c.Alarms == nil {
		c.Alarms = wake.NewPortable()
		defer c.Alarms.Close()
	}
	r, err := Run(t.Context(), stop, c)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := r.Document()
	if err != nil {
		t.Fatal(err)
	}
	for _, reason := range rundoc.Judge(doc).Reasons {
		if strings.HasPrefix(reason, "invariant violated") {
			t.Error(reason)
		}
	}
	// In fake time the readings of the clock that Little's law compares are the same.
	if l := doc.Little; math.Abs(l.InFlightSampled-l.InFlightPredicted) > 1e-9 {
		t.Errorf("%v operations were in flight, and %v by their recorded times", l.InFlightSampled, l.InFlightPredicted)
	}
	return doc, r
}

func total(t *testing.T, doc *rundoc.Run) rundoc.Operation {
	t.Helper()
	sum, err := doc.Totals()
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// counts checks the outcomes of a run.
func counts(t *testing.T, o rundoc.Operation, scheduled, ok, failed, unsent, unfinished int64) {
	t.Helper()
	got := [...]int64{o.Scheduled, o.OK, o.Failed, o.Unsent, o.Unfinished}
	if want := [...]int64{scheduled, ok, failed, unsent, unfinished}; got != want {
		t.Errorf("scheduled, ok, failed, unsent, unfinished: %v, want %v", got, want)
	}
}

// about checks a figure against the truth, within a share of it: a histogram's precision.
func about(t *testing.T, name string, got, want int64, share float64) {
	t.Helper()
	if math.Abs(float64(got-want)) > share*math.Abs(float64(want))+1 {
		t.Errorf("%s: %v, want %v", name, time.Duration(got), time.Duration(want))
	}
}

func ledger(t *testing.T, doc *rundoc.Run, want map[string]time.Duration) {
	t.Helper()
	for _, state := range rundoc.States {
		about(t, state, doc.Ledger.States[state], int64(want[state]), 0)
	}
}
