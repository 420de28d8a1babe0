package workload

import (
	"context"
	"sync/atomic"

	"github.com/plimsoll/plimsoll/internal/engine/op"
)

// Connectionless is part of a Client whose library connects when it must: there is nothing to establish
// beforehand, and nothing to cut, since what such a client does ends with its context.
type Connectionless struct{ connected atomic.Bool }

// Connect does nothing.
func (c *Connectionless) Connect(context.Context) error {
	c.connected.Store(true)
	return nil
}

// Down says that Connect has to be called once.
func (c *Connectionless) Down() *op.Failure {
	if c.connected.Load() {
		return nil
	}
	return &op.Failure{Cause: "not connected"}
}

// Cut has nothing to cut.
func (c *Connectionless) Cut(*op.Failure) {}
