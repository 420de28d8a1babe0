package overhead

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/instrument"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/services"
)

// Config is what a run needs.
type Config struct {
	Plan   Plan // valid and resolved; its operations are those of Choose, and not empty
	Remote *services.Remote
	Soft   context.Context // stored context: the run's, of which nothing is set up after its end
	Hard   context.Context // stored context: the end of everything, what is removed after the run included
	// Creating, if not nil, is told of each thing before it is created.
	Creating func(what string)
}

// step is one operation, in the order of the table. The null client is one, too: it comes
// second, when the request that it repeats is known.
type step struct {
	service, operation string
	null               bool
}

// nullService is the null client's place in the table.
const nullService = "net/http"

// maxFailuresInARow is how many calls of an operation may fail one after the other before it is
// given up: they would fail for the rest of its time.
const maxFailuresInARow = 10

// Overhead is the workload. It must not be used for two runs.
type Overhead struct {
	Config
	steps   []step
	catalog map[string]services.Service
	rounds  int
	gate    *workload.Gate
	stand   *services.Stand
	ready   map[string]bool // the services that are set up
	left    atomic.Int64    // of the calls of a turn
	cpu     cpuUse          // of the first client

	mu          sync.Mutex
	rows        []*row
	skipped     []bool // steps that could not be set up
	failure     *services.Failure
	notes       []string
	uncleared   []string
	request     *kept // what the null client repeats
	abandon     bool  // nothing more is set up
	protocol    string
	callFailure *services.Failure // the first one
	turn        int               // that goes on, counted from 1
	turned      time.Time
}

// New makes the workload of a plan.
func New(c Config) *Overhead {
	o := &Overhead{
		Config: c, catalog: map[string]services.Service{}, gate: workload.NewGate(c.Plan.Concurrency),
		rounds: roundsOf(&c.Plan), ready: map[string]bool{}, cpu: cpuUse{clock: instrument.ProcessTime},
	}
	for _, s := range services.Catalog() {
		o.catalog[s.Name] = s
	}
	for i, name := range c.Plan.Operations {
		s, op, _ := strings.Cut(name, "/")
		o.steps = append(o.steps, step{service: s, operation: op})
		if i == 0 {
			o.steps = append(o.steps, step{service: nullService, operation: name, null: true})
		}
	}
	o.rows = make([]*row, len(o.steps))
	for i := range o.rows {
		o.rows[i] = newRow(o.steps[i])
	}
	o.skipped = make([]bool, len(o.steps))
	o.stand = services.NewStand(c.Remote, services.Needs{
		Operations: c.Plan.Operations, Timeout: c.Plan.Timeout, Creating: c.Creating,
	})
	return o
}

// Kinds names the operations.
func (o *Overhead) Kinds() []workload.Kind {
	list := make([]workload.Kind, len(o.steps))
	for i, s := range o.steps {
		list[i].Name = s.service + "/" + s.operation
	}
	return list
}

// Groups is 0: there is no secondary breakdown.
func (o *Overhead) Groups() int { return 0 }

// Kind is never asked for: the order is the clients' own.
func (o *Overhead) Kind(uint64) int { return 0 }

// NewClient makes a client.
func (o *Overhead) NewClient(number, _ int) workload.Client { return newClient(o, number) }

// setUp makes ready for the warm-up of a step: the first client does it, while the others wait at
// the gate.
func (o *Overhead) setUp(at int) {
	o.turnTo(at, -1)
	s := o.steps[at]
	if o.abandoned() {
		o.skip(at)
		return
	}
	if s.null || o.ready[s.service] {
		return
	}
	o.ready[s.service] = true
	kind := o.catalog[s.service]
	if err := kind.SetUp(o.Soft, o.stand); err != nil {
		o.refuse(s.service, err)
	}
}

// refuse notes that a service could not be set up.
func (o *Overhead) refuse(service string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, s := range o.steps {
		if s.service == service || s.null && i == 1 && o.steps[0].service == service {
			o.skipped[i] = true
		}
	}
	f, ok := err.(*services.Failure)
	if !ok { // the end of the run
		o.abandon = true
		return
	}
	f.Service = service
	if o.failure == nil {
		o.failure = f
	}
	o.abandon = o.abandon || f.Unreachable()
	o.notes = append(o.notes, fmt.Sprintf("%s was not measured: %s.", service, f.Error()))
}

// giveUp abandons the run, or one service, when a step's warm-up failed in a way that says that no server is there, or
// none that knows the service, and nothing has been answered so far. Else the calls are measured, and the
// failures counted: the server may have only this one operation in disorder.
func (o *Overhead) giveUp(at int, why string, err error) {
	f := o.callFailed(o.steps[at], why, err)
	if (f.Unreachable() || f.Foreign()) && !o.stand.Answered() {
		o.refuse(f.Service, f)
	}
}

// callFailed words the failure of a call.
func (o *Overhead) callFailed(s step, why string, err error) *services.Failure {
	f := &services.Failure{Service: s.service, Operation: s.operation, Cause: why,
		Err: fmt.Errorf("no response within %v", o.Plan.Timeout)}
	if err != nil && why != cause.Timeout {
		f.Err = errors.New(services.Describe(err))
	}
	return f
}

func (o *Overhead) skip(at int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.skipped[at] = true
}

func (o *Overhead) abandoned() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.abandon
}

func (o *Overhead) isSkipped(at int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.skipped[at] || o.steps[at].null && o.request == nil
}

// clear removes what the set-up of a service made.
func (o *Overhead) clear() {
	left := o.stand.Clear(o.Hard)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.uncleared = append(o.uncleared, left...)
}

// CleanUp removes what is left of the set-up. It is called once, when the run has ended,
// however it did.
func (o *Overhead) CleanUp() {
	o.clear()
	o.stand.Close()
}
