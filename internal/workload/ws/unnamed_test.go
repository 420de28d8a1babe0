package ws

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/fanout"
	"github.com/plimsoll/plimsoll/internal/wsproto"
)

// TestUnnamedAnswerAfterATimeoutIsLate: what comes when the message before has been given up may be that
// one's.
func TestUnnamedAnswerAfterATimeoutIsLate(t *testing.T) {
	for _, means := range []wsproto.Meaning{wsproto.AnswersOrder, wsproto.AnswersOnly} {
		tb := newTable(t, 2)
		tb.send(0)
		tb.giveUp(0)
		tb.send(1)
		tb.p.settleAnswer(means, nil, false, nil)
		if tb.p.slots[1].attempt == nil {
			t.Errorf("%v: the answer to a message that was given up ended the next one", means)
		}
		tb.counts(replyCounts{Late: 1})
		tb.p.renew(nil, nil)
		tb.p.settleAnswer(means, nil, false, nil)
		if why := tb.end(1); why != nil {
			t.Errorf("%v: on another connection: %v", means, why)
		}
	}
}

// TestPartOfASecretIsNotShown, where what is shown ends within one.
func TestPartOfASecretIsNotShown(t *testing.T) {
	for _, length := range []int{190, 3000, 5000} {
		secret := strings.Repeat("hunter2.", length/8)
		w := &Traffic{protocol: &wsproto.Protocol{Secrets: []string{secret}}}
		for _, text := range []string{"no such token: " + secret, ("no such token: " + secret)[:length], secret + secret} {
			if got := w.shown([]byte(text), nil); strings.Contains(got, "hunter2") {
				t.Errorf("a secret of %d bytes: %s", length, got)
			}
		}
	}
}

// TestMessageThatReachedNobodyFails: all receivers had gone before they had it.
func TestMessageThatReachedNobodyFails(t *testing.T) {
	fan := fanout.New(fanout.Options{Tag: "tag", Receivers: 2, Rooms: 1, Clients: 1})
	for i := range 2 {
		fan.Receiver(i).Present()
	}
	ctl := attemptOf(t)
	var r reaching
	r.begin(1, &ctl.Attempt)
	fan.Send(&fanout.Outgoing{Client: 0, Seq: 1, Measured: true, Waiter: &r})
	for i := range 2 {
		fan.Receiver(i).Gone()
	}
	if why := ctl.End(nil); why == nil || why.Cause != nobodyThere {
		t.Errorf("it ended with %v", why)
	}
	if f := fan.Figures(); f.Completed != 0 || f.Failed != 1 || f.Nobody != 1 {
		t.Errorf("%+v", f)
	}
}

func attemptOf(t *testing.T) *op.Control {
	clock := op.NewClock()
	ctl := op.NewControl(clock, time.Hour, func(*op.Failure) {})
	t.Cleanup(ctl.Stop)
	ctl.Begin(clock.Now())
	return ctl
}
