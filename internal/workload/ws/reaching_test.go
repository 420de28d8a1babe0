package ws

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/fanout"
)

// TestLateDeliveryDoesNotEndTheNextAttempt must not end the attempt that its slot makes after it: the receiver may be
// about to tell of it when the time is over.
func TestLateDeliveryDoesNotEndTheNextAttempt(t *testing.T) {
	ctl := op.NewControl(op.NewClock(), time.Hour, func(*op.Failure) {})
	defer ctl.Stop()
	var r reaching
	told := &fanout.Message{Outgoing: fanout.Outgoing{Seq: 1}}
	for _, next := range []func(){func() {}, func() { r.begin(2, &ctl.Attempt) }} {
		ctl.Begin(0)
		r.begin(1, &ctl.Attempt)
		ctl.Complete(op.ErrTimeout)
		ctl.End(nil)
		r.end()
		ctl.Begin(0)
		next()
		if r.Reached(told) {
			t.Error("it ended another attempt")
		}
		if !ctl.Complete(nil) {
			t.Error("the other attempt had ended")
		}
		ctl.End(nil)
	}
	ctl.Begin(0)
	r.begin(1, &ctl.Attempt)
	fan := fanout.New(fanout.Options{Tag: "tag", Receivers: 1, Rooms: 1, Clients: 1})
	fan.Receiver(0).Present()
	fan.Send(&fanout.Outgoing{Seq: 1, Waiter: &r})
	fan.Receiver(0).Deliver([]byte("tag-0-0.1"), 0, 1)
	if ctl.Complete(nil) || ctl.End(nil) != nil {
		t.Error("it did not end its own")
	}
}
