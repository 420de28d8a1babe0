package workload

import (
	"context"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/engine/wire"
)

// Workload is a kind of traffic.
type Workload interface {
	// Kinds names the operations' kinds; an operation refers to its kind by index. One
	// entry each in the run document's operations.
	Kinds() []Kind
	// Groups is the number of groups for the secondary breakdown (a chat's rooms), or 0.
	Groups() int
	// Kind is the kind of operation number index: the one that Prepare gives, without the
	// work of making it.
	Kind(index uint64) int
	// NewClient makes the client with this number, without touching the network. slots is
	// how many operations it may have in flight.
	NewClient(number, slots int) Client
}

// Kind is a name and labels that operations share.
type Kind struct {
	Name   string
	Labels map[string]string
	// Stages says that its attempts tell when their answers began (Attempt.Answering).
	Stages bool
}

// Operation is what the engine must know of an operation that was prepared.
type Operation struct {
	Kind  int
	Group int
}

// Client is one simulated user.
type Client interface {
	// Connect establishes the connection. The engine calls it before the first operation
	// and, from one goroutine at a time, whenever Down says that it is lost.
	Connect(ctx context.Context) error
	// Down says why there is no working connection, or nil. It is called before every
	// attempt.
	Down() *op.Failure
	// Prepare makes operation number index for this slot, a pure function of the plan's seed
	// and the index. It does no I/O. The operation stays prepared through its retries.
	Prepare(slot int, index uint64) Operation
	// Do performs one attempt of the slot's prepared operation: it sends, calls a.Sent,
	// waits with a.Await for Complete or does its own waiting, and returns what went wrong.
	Do(ctx context.Context, slot int, a *op.Attempt) *op.Failure
	// Cut makes a Do that is stuck before Sent return, by closing the connection; why is how
	// the stuck attempt ended. Any goroutine may call it.
	Cut(why *op.Failure)
	// Close ends the client; it waits for its goroutines.
	Close()
}

// Stamped is a Workload whose connections tell when the kernel received what they read: each is a wire.Conn.
type Stamped interface {
	Workload
	// Stamp is called once, before the first client is made.
	Stamp(t *wire.Times)
}

// Opener is a Workload that has connections beside its clients'.
type Opener interface {
	Workload
	// Open is called once, after Stamp and before the first client is made, with the clock that the run's stamps are of.
	// ctx ends when the run is to stop before it has begun. An error ends the run.
	Open(ctx context.Context, clock *op.Clock) error
	// Shut is called once, when the last client has been closed, also where Open failed. It waits for its goroutines.
	Shut()
}

// Sender is a Client that can send a prepared operation without waiting for anything. In the open model
// the engine then sends at the very moment when the operation is due, where waking the slot's
// goroutine would take longer than many a target does.
type Sender interface {
	Client
	// Reserve makes sure that Send can begin. False says that it cannot now; the engine calls Do then, on the slot's
	// goroutine.
	Reserve(slot int) bool
	// Send is the first half of Do, for what was reserved. It sends what the connection takes at once, and calls a.Sent
	// if that was all. Reserve and Send are called on the engine's pacing thread and must not block: another
	// slot's operation is due next. The answer may end the attempt before Send returns.
	Send(slot int, a *op.Attempt)
	// Await is the second half, on the slot's goroutine: it sends what Send could not, waits, and returns as Do does.
	Await(slot int, a *op.Attempt) *op.Failure
}

// Reader is a Client that reads the answers itself, where Do and Await are called: an attempt that has been sent and is
// ended by its timeout or by the end of the run is cut, too.
type Reader interface {
	Client
	// ReadsItself says so.
	ReadsItself()
}

// Multiplexed is a Reader whose slots share a connection on which each can be ended alone.
type Multiplexed interface {
	Reader
	// CutSlot is Cut for the slot's attempt; the others go on.
	CutSlot(slot int, why *op.Failure)
}

// Sequence is a Client whose operations have an order of their own, each following from how
// the one before ended. It has one slot, and belongs to a closed model without a number of
// operations: its run ends when every client has none left. The index that Prepare gets says
// nothing to it.
type Sequence interface {
	Client
	// Next waits until the client may begin its next operation. It is false when none is left,
	// and as soon as over is closed.
	Next(over <-chan struct{}) bool
	// Ended tells how the operation that Prepare made last has ended, on the slot's goroutine
	// and before the next one.
	Ended(e Ended)
}

// Flowing is a Workload whose operations come in flows: an operation that the schedule gives is the first step of a
// flow, and others may follow it on its slot, each when the one before has ended. Each step is an operation of its own;
// the engine stamps the flow as a whole, too.
type Flowing interface {
	Workload
	// Flows names the flows; an operation refers to its flow by index. One entry each in the run document's flows.
	Flows() []string
	// Flow is the flow that operation number index begins.
	Flow(index uint64) int
}

// Stepper is a Client of a Flowing workload.
type Stepper interface {
	Client
	// Step is told how the operation of the slot has ended, and prepares the one that follows it: when pause has passed
	// since then. It is false when the flow is over: all of it is done, or it cannot go on. It does no I/O.
	Step(slot int, e Ended) (next Operation, pause time.Duration, more bool)
}

// Recorded is a Workload whose operations have times of their own, at which the open model begins them when its plan
// has these for its arrivals.
type Recorded interface {
	Workload
	// At is when operation number index is due, since the beginning of the load, and never before the one ahead of it;
	// false when there is none left.
	At(index uint64) (time.Duration, bool)
}

// Ended is how an operation ended.
type Ended struct {
	Start    time.Duration // since the start of the window
	Duration time.Duration
	Bytes    int64
	Why      *op.Failure // nil when it ended ok
}
