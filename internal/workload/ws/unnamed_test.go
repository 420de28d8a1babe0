package ws

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/fanout"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/wsproto"
)

// TestAnAnswerWithoutANameIsNotThatOfTheNextMessage: what comes when the message before has been given up may be that
// one's.
func TestAnAnswerWithoutANameIsNotThatOfTheNextMessage(t *testing.T) {
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

// TestAnAnswerToWhatHasJustTimedOutIsLate, and not that of the message behind it.
func TestAnAnswerToWhatHasJustTimedOutIsLate(t *testing.T) {
	tb := newTable(t, 2)
	tb.send(0)
	tb.send(1)
	tb.c[0].Complete(op.ErrTimeout)
	tb.p.settleAnswer(wsproto.AnswersOrder, nil, false, nil)
	if tb.p.slots[1].attempt == nil {
		t.Error("it ended the next one")
	}
	tb.counts(replyCounts{Late: 1})
}

// TestWhichAnswersHaveNoName: after a timeout of one such message the connection is cut.
func TestWhichAnswersHaveNoName(t *testing.T) {
	for rule, want := range map[string]bool{
		`{answers: order}`:                        true,
		`{answers: only}`:                         true,
		`{answers: only, refused: {/error: "*"}}`: true,
		`{when: {/error: "*"}, answers: only, refused: {/error: "*"}}`:  false,
		`{when: {/error: "*"}, answers: order, refused: {/error: "*"}}`: true,
	} {
		p := ProtocolOf(t, "protocol: 1\ncodec: json\nmessages: [{send: '{}'}]\nreceive: ["+rule+"]")
		if got := unnamed(&p.Rules[0]); got != want {
			t.Errorf("%s: %v", rule, got)
		}
	}
}

// TestALateCutIsNotOfTheNextConnection: a message's time may be noticed to be over when another has replaced its own.
func TestALateCutIsNotOfTheNextConnection(t *testing.T) {
	w, err := New(Options{Protocol: chatProtocol(t), Rooms: 1}, "ws://localhost/", "tag")
	if err != nil {
		t.Fatal(err)
	}
	c := w.NewClient(0, 1).(sender).Client
	present, before := w.newTalk(c, c.values), w.newTalk(c, c.values)
	closed, other := net.Pipe()
	defer other.Close()
	before.link = &link{Conn: closed}
	c.talk = present
	c.cutTalk(before, op.ErrTimeout)
	if c.cut != nil {
		t.Errorf("the present connection ends with %v", c.cut)
	}
}

// TestAPartOfASecretIsNotShown, where what is shown ends within one.
func TestAPartOfASecretIsNotShown(t *testing.T) {
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

// TestAMessageThatReachedNobodyHasFailed: all receivers had gone before they had it.
func TestAMessageThatReachedNobodyHasFailed(t *testing.T) {
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

// TestACheckOfWhatCannotBeReadBeforeTheOpening: a server may greet before anything was said.
func TestACheckOfWhatCannotBeReadBeforeTheOpening(t *testing.T) {
	p := ProtocolOf(t, "protocol: 1\ncodec: socketio\nmessages: [{send: '42${id}[]'}]\nreceive: [{when: {type: \"43\"}, answers: ack}]")
	w, err := New(Options{Protocol: p, Rooms: 1}, "ws://localhost/", "tag")
	if err != nil {
		t.Fatal(err)
	}
	var told []Shown
	c := &check{t: w, tell: func(s Shown) { told = append(told, s) }}
	k := w.newTalk(c, template.Values{})
	k.message.Raw = []byte("hello")
	c.ruleTook(k, -1, errors.New("it is no packet"))
	if len(told) != 1 || told[0].Text != "hello" || len(told[0].Why) != 0 {
		t.Errorf("%+v", told)
	}
}
