package overhead

import (
	"context"
	"net/http"
	"time"

	"github.com/aws/smithy-go/tracing"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/services"
)

// progress is how far a client is with an operation.
type progress int

const (
	entering progress = iota
	measuring
)

// client makes the calls. The engine's slot owns it; Close comes from another goroutine, when
// the slot has ended.
type client struct {
	workload.Connectionless
	o       *Overhead
	number  int // the first one, 0, does what is done once for all
	wire    *wire
	bare    *http.Client // without observation, by the same connections
	beside  *http.Client // of calls that the SDK makes beside those that are measured: by others
	probe   *probe
	watched *observed

	callCtx  *callContext
	course   course
	progress progress
	cpu      time.Duration // that the process had used when the turn's measurement began

	calls map[string][]services.Call // by service: measured
	plain map[string][]services.Call // the same, without anything that measures; of the first client
	null  *nuller                    // the null client

	attempt *op.Attempt // that goes on, or nil
}

func newClient(o *Overhead, number int) *client {
	c := &client{o: o, number: number, probe: newProbe(), beside: services.PlainClient(o.Remote.Transport())}
	c.wire = newWire(o.Remote.Transport(), o.Remote.HTTP2, c.probe.epoch)
	c.bare = services.PlainClient(c.wire.base)
	c.course = newCourse(len(o.steps))
	c.calls, c.plain = map[string][]services.Call{}, map[string][]services.Call{}
	c.watched = &observed{p: c.probe, client: services.PlainClient(c.wire), beside: c.beside, wired: c.sent}
	return c
}

// sent tells the engine that the request is handed to the HTTP client.
func (c *client) sent() {
	if c.attempt != nil {
		c.attempt.Sent()
	}
}

// Next makes ready for the next turn when one is over.
func (c *client) Next(over <-chan struct{}) bool {
	for {
		switch {
		case closed(over) || c.course.turn == c.o.turns():
			return false
		case c.progress == entering:
			ready, ok := c.enter(over)
			if !ok {
				return false
			}
			if !ready {
				c.course.turn++
				continue
			}
			c.progress, c.course.began, c.probe.calls = measuring, time.Now(), c.course.calls[c.step()]
			c.cpu = c.o.cpu.clock()
		}
		if !c.course.hopeless() && !c.o.over(&c.course) {
			return true
		}
		c.o.usedCPU(c.step(), c.o.cpu.clock()-c.cpu, c.probe.calls-c.course.calls[c.step()])
		c.course.calls[c.step()] = c.probe.calls
		c.course.endTurn()
		c.progress = entering
	}
}

// step is the one whose turn it is.
func (c *client) step() int { return c.course.step() }

func closed(over <-chan struct{}) bool {
	select {
	case <-over:
		return true
	default:
		return false
	}
}

// enter takes the client to the first measured call of a turn. It is not ready when there is none,
// and ok is false when the run is over.
func (c *client) enter(over <-chan struct{}) (ready, ok bool) {
	at, round := c.step(), c.course.round()
	if round < 0 {
		return false, c.introduce(over)
	}
	if c.o.isSkipped(at) {
		return false, true
	}
	if !c.together(over, func() { c.o.beginTurn(at, round) }) {
		return false, false
	}
	if c.o.done(&c.course) {
		return false, true
	}
	c.open()
	ok = c.warmUp(over, min(returning, c.o.Plan.Warmup))
	return ok, ok
}

// introduce sets an operation up and warms it up. It is false when the run is over.
func (c *client) introduce(over <-chan struct{}) bool {
	at := c.step()
	if !c.together(over, func() { c.o.setUp(at) }) {
		return false
	}
	if c.o.isSkipped(at) {
		return true
	}
	c.open()
	return c.warmUp(over, c.o.Plan.Warmup) && c.together(over, func() {
		if !c.o.isSkipped(at) {
			c.countAllocations(over)
		}
	})
}

// together has the first client do something, before which and after which all of them meet.
func (c *client) together(over <-chan struct{}, f func()) bool {
	if !c.o.gate.Pass(over, nil) {
		return false
	}
	if c.number == 0 {
		f()
	}
	return c.o.gate.Pass(over, nil)
}

// open makes ready to call the step's operation. The clients of its service are made once.
func (c *client) open() {
	s := c.o.steps[c.step()]
	c.probe.operation = s.operation
	if s.null {
		if c.null == nil {
			c.null = newNuller(c)
		}
		return
	}
	if c.calls[s.service] != nil {
		return
	}
	r, kind := c.o.Remote, c.o.catalog[s.service]
	c.calls[s.service] = kind.Open(r.Config(c.watched, 1), c.probe, c.o.stand)
	if c.number == 0 {
		c.plain[s.service] = kind.Open(r.Config(services.Guarded{Client: c.bare}, 1), tracing.NopTracerProvider{}, c.o.stand)
	}
}

// called is the call of the step's operation, of the clients of either kind.
func (c *client) called(of map[string][]services.Call) services.Call {
	s := c.o.steps[c.step()]
	kind := c.o.catalog[s.service]
	return of[s.service][kind.Index(s.operation)]
}

// warmUpTries is how many calls of a warm-up may fail in a row.
const warmUpTries = 2

// warmUp calls the operation for that long, and at least once: the first call of a connection is no
// figure. One that keeps failing is left to the measurement, which counts the failures.
func (c *client) warmUp(over <-chan struct{}, atLeast time.Duration) bool {
	began := time.Now()
	for failures := 0; failures < warmUpTries; {
		if closed(over) {
			return false
		}
		capture := c.step() == 0 && c.number == 0 && c.o.request == nil
		if capture {
			c.watched.keep = c.o.keepRequest
		}
		c.Prepare(0, 0)
		err := c.call()
		c.watched.keep = nil
		why := ""
		if err != nil {
			why = c.causeOf(err)
		}
		if c.settle(err); err != nil {
			if failures++; failures == warmUpTries && c.number == 0 {
				c.o.giveUp(c.step(), why, err)
			}
			continue
		}
		failures = 0
		c.o.stand.NoteAnswer()
		if time.Since(began) >= atLeast {
			break
		}
	}
	return true
}

// Prepare makes what a call needs beside its time.
func (c *client) Prepare(int, uint64) workload.Operation {
	if c.callCtx == nil {
		c.callCtx = newCallContext(c.o.Hard, c.o.Plan.Timeout, c.probe.epoch, c.wire)
	}
	if c.o.steps[c.step()].null {
		c.null.prepare(c.callCtx.ctx)
	}
	return workload.Operation{Kind: c.step()}
}

// call makes the call that is prepared.
func (c *client) call() error {
	f := c.null.send
	if !c.o.steps[c.step()].null {
		f = c.called(c.calls)
	}
	s := c.callCtx
	c.probe.beginCall()
	s.beginCall(c.probe.stamps[callStart])
	err := f(s.ctx)
	c.probe.pass(callEnd)
	if !s.endCall() || err != nil {
		s.spent = true
	}
	return err
}

// Do makes a call that is measured.
func (c *client) Do(_ context.Context, _ int, a *op.Attempt) *op.Failure {
	c.attempt = a
	err := c.call()
	c.attempt = nil
	if err == nil {
		return nil
	}
	if c.o.Hard.Err() != nil {
		return op.ErrUnfinished
	}
	why := c.causeOf(err)
	return &op.Failure{Cause: why, Final: true, Timeout: why == cause.Timeout, Err: err}
}

// causeOf is the cause of an error of the call that was made last.
func (c *client) causeOf(err error) string {
	if context.Cause(c.callCtx.ctx) == services.ErrTimeout {
		return cause.Timeout
	}
	return services.CauseOf(err)
}

// settle waits for the stamps of the call that was made last, and ends a context that cannot be
// used any more: a stamp that comes too late is not the next call's. It gives nil when they are
// not to be had.
func (c *client) settle(err error) *stamps {
	var seen *stamps
	if err == nil && c.callCtx.stamps.settled() {
		seen = c.callCtx.stamps
	}
	if c.callCtx.spent || seen == nil {
		c.callCtx.close()
		c.callCtx = nil
	}
	return seen
}

// Ended takes the figures of the call that was measured.
func (c *client) Ended(e workload.Ended) {
	if e.Why != nil {
		c.settle(e.Why)
		c.course.failures[c.step()]++
		c.o.failed(c.step(), e.Why)
		return
	}
	c.course.failures[c.step()] = 0
	c.o.recordCall(c.step(), c.probe, c.settle(nil))
}

// Close ends the client.
func (c *client) Close() {
	if c.callCtx != nil {
		c.callCtx.close()
	}
	c.wire.base.CloseIdleConnections()
	c.beside.CloseIdleConnections()
}
