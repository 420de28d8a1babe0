package engine

import (
	"context"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/workload"
)

// client is a workload's client with what the engine keeps of its connection. Its slots
// share it.
type client struct {
	workload.Client

	mu    sync.Mutex   // held while connecting
	tries atomic.Int64 // that have ended
	last  *op.Failure  // how the last one ended
	ever  atomic.Bool  // it was connected once

	stage  sync.Mutex  // guards joined, and that the connection is closed when it becomes 0
	joined int         // slots that take part, where stages change the number of clients
	left   atomic.Bool // the stages removed it: its connection is closed
}

// Down returns why there is no working connection, or nil.
func (c *client) Down() *op.Failure {
	if c.left.Load() {
		return removed
	}
	return c.Client.Down()
}

// cutter is what cuts an attempt of a slot.
func (c *client) cutter(within int) func(why *op.Failure) {
	if m, ok := c.Client.(workload.Multiplexed); ok {
		return func(why *op.Failure) { m.CutSlot(within, why) }
	}
	return c.Cut
}

// connect makes sure of a connection. Of several slots that want one, the first tries, and
// the others take its result. replaced says whether this call replaced a lost connection.
func (c *client) connect(ctx context.Context, ph *phase) (why *op.Failure, replaced bool) {
	before := c.tries.Load()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Down() == nil {
		return nil, false
	}
	if c.tries.Load() != before {
		return c.last, false
	}
	why = c.try(ctx, ph)
	c.last = why
	c.tries.Add(1)
	if why != nil {
		return why, false
	}
	return nil, c.ever.Swap(true)
}

// try connects once, within the time that an attempt may take.
func (c *client) try(ctx context.Context, ph *phase) *op.Failure {
	bounded, cancel := context.WithTimeout(ctx, ph.load.Retry.Timeout)
	defer cancel()
	from := ph.clock.Now()
	err := c.Connect(bounded)
	switch {
	case err == nil:
		c.left.Store(false)
		ph.connections.Opened(ph.clock.Now() - from)
		return nil
	case ctx.Err() != nil:
		return op.ErrUnfinished
	}
	ph.connections.Failed()
	return op.AsFailure(err)
}

// connectAtOnce bounds how many clients connect at the same time before the window: a burst
// of thousands of handshakes overflows a server's queue of connections, which is not what is
// measured there.
const connectAtOnce = 64

// connectAll connects clients of a phase, each with one try. The first one goes ahead: when
// that fails, there is no point in the others, and its error is the run's. A later one that
// fails tries again in the window, where that is counted.
func connectAll(ctx context.Context, ph *phase, clients []*client) error {
	if why, _ := clients[0].connect(ctx, ph); why != nil {
		return why
	}
	var workers sync.WaitGroup
	var next atomic.Int64
	for range min(connectAtOnce, len(clients)-1) {
		workers.Go(func() {
			for i := next.Add(1); i < int64(len(clients)) && ctx.Err() == nil; i = next.Add(1) {
				clients[i].connect(ctx, ph)
			}
		})
	}
	workers.Wait()
	if len(clients) > connectAtOnce {
		debug.FreeOSMemory() // what handshakes leave behind is as much as what connections keep
	}
	return ctx.Err()
}
