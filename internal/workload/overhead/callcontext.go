package overhead

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/workload/overhead/services"
)

// callContext is the context of calls that follow each other, so that no call pays for one of its
// own. It lasts until one of them fails or takes too long.
type callContext struct {
	ctx     context.Context // stored context: the calls share it
	cancel  context.CancelCauseFunc
	timeout time.Duration
	stamps  *stamps
	spent   bool

	// One timer goes on through many calls: to set and to stop it for each would cost them more.
	epoch time.Time
	timer *time.Timer
	due   atomic.Int64 // when the call that goes on is to end, since epoch; or one of the below
}

const (
	idle    = 0  // no call goes on
	overdue = -1 // the call that went on took too long
)

// newCallContext makes one whose calls may take that long. w, if not nil, observes its requests.
func newCallContext(hard context.Context, timeout time.Duration, epoch time.Time, w *wire) *callContext {
	s := &callContext{timeout: timeout, epoch: epoch}
	if w != nil {
		s.stamps = w.renew()
		hard = w.observe(hard, s.stamps)
	}
	s.ctx, s.cancel = context.WithCancelCause(hard)
	s.timer = time.AfterFunc(timeout, s.checkTime)
	return s
}

// beginCall begins a call, at that time since epoch.
func (s *callContext) beginCall(now time.Duration) { s.due.Store(int64(now + s.timeout)) }

// endCall ends a call. It is false when the call took too long.
func (s *callContext) endCall() bool { return s.due.Swap(idle) != overdue }

// checkTime is the timer's function. It ends a call that has taken too long, and looks again when the
// call that goes on would have, or one that began now.
func (s *callContext) checkTime() {
	due := s.due.Load()
	rest := s.timeout
	if due > 0 {
		rest = time.Duration(due) - time.Since(s.epoch)
	}
	if rest <= 0 {
		if s.due.CompareAndSwap(due, overdue) {
			s.cancel(services.ErrTimeout)
			return
		}
		rest = s.timeout // it ended just now
	}
	s.timer.Reset(rest)
	if s.ctx.Err() != nil {
		s.timer.Stop() // close was faster
	}
}

func (s *callContext) close() {
	s.cancel(nil)
	s.timer.Stop()
}
