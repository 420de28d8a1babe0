package engine

import (
	"context"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/record"
)

// removed reports that a connection was closed because the stages lowered the number of clients.
var removed = &op.Failure{Cause: "client-stages", Final: true}

// joinStage waits until the stages of a closed model include the slot's client. It returns false if they do not before
// the end of the window. Meanwhile the slot is idle and the connection of its client is closed.
func (s *slot) joinStage(ctx context.Context) bool {
	if len(s.ph.load.ClientStages) == 0 || !s.ph.main {
		return true
	}
	now := s.ph.clock.Now()
	number := s.number / s.ph.load.Pipeline
	from, asked := s.ph.load.ActiveFrom(number, time.Duration(now-s.ph.start))
	if asked && s.ph.start+int64(from) <= now {
		if !s.joined {
			s.join(ctx)
		}
		return true
	}
	s.enter(record.Idle, now)
	if s.joined {
		s.joined = false
		s.client.leave()
	}
	if !asked {
		return false
	}
	if !s.sleepUntil(s.ph.start + int64(from)) {
		return false
	}
	s.join(ctx)
	return true
}

// join has the slot take part in the load.
func (s *slot) join(ctx context.Context) {
	s.joined = true
	if down := s.client.join(); down != nil {
		s.connect(ctx, down)
	}
}

// join counts a slot that takes part. It returns why there is no working connection, or nil.
func (c *client) join() *op.Failure {
	c.stage.Lock()
	defer c.stage.Unlock()
	c.joined++
	return c.Down()
}

// leave closes the connection when the last slot has left. A slot that joins meanwhile finds the connection closed.
func (c *client) leave() {
	c.stage.Lock()
	defer c.stage.Unlock()
	c.joined--
	if c.joined == 0 {
		c.left.Store(true)
		c.Cut(removed)
	}
}
