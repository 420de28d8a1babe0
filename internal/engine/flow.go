package engine

import (
	"context"
	"sync/atomic"

	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/workload"
)

// finishFlow performs the steps that follow the one that the schedule gave, and records the flow. A step is due when
// the one before has ended and its pause has passed; one that would be due behind the window's end does not begin, and
// cuts the flow off: it has lasted until then, at least.
func (s *slot) finishFlow(ctx context.Context, first turn) {
	s.flow = record.Flow{Number: s.ph.flows.Flow(first.index), Intended: s.o.Intended, Own: s.o.Own}
	for s.o.Outcome != record.Unfinished {
		s.enter(record.Preparing, s.ph.clock.Now())
		next, pause, more := s.stepper.Step(s.within, s.ended())
		if !more {
			s.enter(record.Waiting, s.ph.clock.Now())
			break
		}
		s.enter(record.Pausing, s.ph.clock.Now())
		due := s.o.End + int64(pause)
		if !s.step(ctx, first.index, next, due) {
			s.flow.Cut = true
			break
		}
		s.flow.Own += s.o.Ready - due + s.o.Own // in the closed model a step is ready when it starts, however late
	}
	s.freed = s.o.End - s.flow.Own // who waits for this client has waited for all of that
	s.flow.End, s.flow.Last, s.flow.Outcome, s.flow.Unanswered = s.o.End, s.o.Kind, s.o.Outcome, s.o.Unanswered
	if s.flow.Cut {
		s.flow.End = max(s.flow.End, s.ph.windowEnd())
	}
	if !first.early {
		s.ph.window.RecordFlow(s.number, &s.flow)
	}
}

// flowCount counts the flows of a phase.
type flowCount struct{ underWay, over atomic.Int64 }

func (c *flowCount) begin() { c.underWay.Add(1) }

func (c *flowCount) end() {
	c.over.Add(1)
	c.underWay.Add(-1)
}

// step performs a step that is due at this stamp; false says that the window ended before, and comes then: until its
// end the client pauses, and has no time for another flow.
func (s *slot) step(ctx context.Context, index uint64, next workload.Operation, due int64) bool {
	t, ok := s.ph.source.follow(index, s.rest(due, false))
	if !ok {
		<-s.ph.soft
		return false
	}
	before := s.o
	s.prepare(t, next)
	if !s.sleepUntil(due) && due >= s.ph.windowEnd() {
		s.ph.source.takeBack(t)
		s.o = before
		return false
	}
	s.perform(ctx, t)
	return true
}
