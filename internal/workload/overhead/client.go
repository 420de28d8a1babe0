package overhead

import (
	"context"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/aws/smithy-go/tracing"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/workload"
)

// stage is how far a client is with an operation.
type stage int

const (
	entering stage = iota
	measuring
)

// client makes the calls. The engine's slot owns it; Close comes from another goroutine, when
// the slot has ended.
type client struct {
	o       *Overhead
	number  int // the first one, 0, does what is done once for all
	wire    *wire
	bare    *http.Client // without observation, with connections of its own
	probe   *probe
	watched *observed

	connected atomic.Bool
	session   *session
	at        int // the step
	stage     stage
	began     time.Time
	failures  int // in a row

	service string  // whose clients these are
	calls   []call  // measured
	plain   []call  // the same, without anything that measures
	null    *nuller // the null client

	attempt *op.Attempt // that goes on, or nil
}

func newClient(o *Overhead, number int) *client {
	c := &client{o: o, number: number, probe: newProbe(), bare: plainClient(o.Remote.transport())}
	c.wire = newWire(o.Remote.transport(), o.Remote.http2, c.probe.epoch)
	c.watched = &observed{p: c.probe, client: plainClient(c.wire), beside: c.bare, wired: c.sent}
	return c
}

// sent tells the engine that the request is handed to the HTTP client.
func (c *client) sent() {
	if c.attempt != nil {
		c.attempt.Sent()
	}
}

// Connect does nothing: the HTTP client connects when it must.
func (c *client) Connect(context.Context) error {
	c.connected.Store(true)
	return nil
}

// Down says that Connect has to be called once.
func (c *client) Down() *op.Failure {
	if c.connected.Load() {
		return nil
	}
	return &op.Failure{Cause: "not connected"}
}

// Cut has nothing to cut: a call ends with its context.
func (c *client) Cut(*op.Failure) {}

// Next makes ready for the next operation when one is over: sets it up and warms it up.
func (c *client) Next(over <-chan struct{}) bool {
	for {
		switch {
		case closed(over) || c.at == len(c.o.steps):
			return false
		case c.stage == entering:
			ready, ok := c.enter(over)
			if !ok {
				return false
			}
			if !ready {
				c.at++
				continue
			}
			c.stage, c.began, c.failures = measuring, time.Now(), 0
			c.probe.calls = 0
		}
		if c.failures < maxFailuresInARow && !c.o.over(c.began) {
			return true
		}
		c.at++
		c.stage = entering
	}
}

func closed(over <-chan struct{}) bool {
	select {
	case <-over:
		return true
	default:
		return false
	}
}

// enter takes the client to the first measured call of an operation. It is not ready when the
// operation cannot be measured, and ok is false when the run is over.
func (c *client) enter(over <-chan struct{}) (ready, ok bool) {
	if !c.together(over, func() { c.o.begin(c.at) }) {
		return false, false
	}
	if c.o.isSkipped(c.at) {
		return false, true
	}
	c.open()
	if !c.warmUp(over) {
		return false, false
	}
	if !c.together(over, func() { c.countAllocations(over) }) {
		return false, false
	}
	return true, true
}

// together has the first client do something, before which and after which all of them meet.
func (c *client) together(over <-chan struct{}, f func()) bool {
	if !c.o.gate.pass(over) {
		return false
	}
	if c.number == 0 {
		f()
	}
	return c.o.gate.pass(over)
}

// open makes the clients of a service.
func (c *client) open() {
	s := c.o.steps[c.at]
	c.probe.operation = s.operation
	if s.null {
		c.null = newNuller(c)
		return
	}
	if s.service == c.service {
		return
	}
	c.service = s.service
	r, kind := c.o.Remote, c.o.services[s.service]
	c.calls = kind.open(r.config(c.watched, 1), c.probe, c.o.stand)
	c.plain = kind.open(r.config(guarded{c.bare}, 1), tracing.NopTracerProvider{}, c.o.stand)
}

// index is the place of a step's operation among those of its service.
func (c *client) index() int {
	s := c.o.steps[c.at]
	return slices.Index(c.o.services[s.service].Operations, s.operation)
}

// warmUp calls the operation for as long as the plan says, and at least once: the first call
// of a connection is no figure. One that keeps failing is left to the measurement, which counts
// the failures.
func (c *client) warmUp(over <-chan struct{}) bool {
	began := time.Now()
	for failures := 0; failures < 2; {
		if closed(over) {
			return false
		}
		capture := c.at == 0 && c.number == 0 && c.o.request == nil
		if capture {
			c.watched.keep = c.o.keep
		}
		c.Prepare(0, 0)
		err := c.call()
		c.watched.keep = nil
		if c.settle(err); err != nil {
			failures++
			continue
		}
		failures = 0
		if time.Since(began) >= c.o.Plan.Warmup {
			break
		}
	}
	return true
}

// Prepare makes what a call needs beside its time.
func (c *client) Prepare(int, uint64) workload.Operation {
	if c.session == nil {
		c.session = newSession(c.o.Hard, c.o.Plan.Timeout, c.probe.epoch, c.wire)
	}
	if c.o.steps[c.at].null {
		c.null.prepare(c.session.ctx)
	}
	return workload.Operation{Kind: c.at}
}

// call makes the call that is prepared.
func (c *client) call() error {
	f := c.null.send
	if !c.o.steps[c.at].null {
		f = c.calls[c.index()]
	}
	s := c.session
	c.probe.begin()
	s.begin(c.probe.stamps[callStart])
	err := f(s.ctx)
	c.probe.pass(callEnd)
	if !s.done() || err != nil {
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
	cause := causeOf(err)
	if context.Cause(c.session.ctx) == errTimeout {
		cause = causeTimeout
	}
	return &op.Failure{Cause: cause, Final: true, Timeout: cause == causeTimeout, Err: err}
}

// settle waits for the stamps of the call that was made last, and ends a session that cannot be
// used any more: a stamp that comes too late is not the next call's. It gives nil when they are
// not to be had.
func (c *client) settle(err error) *stamps {
	var seen *stamps
	if err == nil && c.session.stamps.settled() {
		seen = c.session.stamps
	}
	if c.session.spent || seen == nil {
		c.session.end()
		c.session = nil
	}
	return seen
}

// Ended takes the figures of the call that was measured.
func (c *client) Ended(e workload.Ended) {
	if e.Why != nil {
		c.settle(e.Why)
		c.failures++
		c.o.failed(c.at, e.Why)
		return
	}
	c.failures = 0
	c.o.measured(c.at, c.probe, c.settle(nil))
}

// Close ends the client.
func (c *client) Close() {
	if c.session != nil {
		c.session.end()
	}
	c.wire.base.CloseIdleConnections()
	c.bare.CloseIdleConnections()
}
