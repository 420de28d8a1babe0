package nats

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// says is the broker's word on a request.
func says(subject, code, text string) *nats.Msg {
	return &nats.Msg{Subject: subject, Header: nats.Header{"Status": {code}, "Description": {text}}}
}

// The status of an earlier request does not end the current one.
func TestCollectIgnoresEarlierRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // a receive call does not wait for long when it has something
		p := &pull{in: make(chan *nats.Msg, 10), inbox: "here", asked: 7, pending: 4, until: time.Now().Add(time.Hour)}
		p.in <- says("here.6", "404", "No Messages")
		p.in <- says("here.6", "408", "Requests Pending")
		p.in <- &nats.Msg{Subject: "here.7", Data: []byte("a")}
		p.in <- says("here.6", "409", "Consumer Deleted")
		p.in <- &nats.Msg{Subject: "here.7", Data: []byte("b")}
		p.in <- says("here.7", "408", "Request Timeout")
		s := &streamSubscription{closing: make(chan struct{})}
		session := &streamSession{streamConnection: &streamConnection{connection: &connection{lost: make(chan struct{})}}}
		messages, err := s.collect(t.Context(), session, p)
		if len(messages) != 2 || err != nil || p.pending != 0 || p.single {
			t.Errorf("%d messages, %v; %d are to come, alone %t", len(messages), err, p.pending, p.single)
		}
	})
}

// The causes follow the status texts of the broker.
func TestStatusErrorCauses(t *testing.T) {
	b := run(t, &server.Options{JetStream: true})
	for _, c := range []struct{ code, text, cause string }{
		{"404", "No Messages", ""}, {"408", "Request Timeout", ""}, {"409", "Leadership Change", ""},
		{"409", "Batch Completed", ""},
		{"409", "Exceeded MaxWaiting", topic.CauseThrottled}, {"409", "Consumer Deleted", topic.CauseNotFound},
		{"409", "Server Shutdown", topic.CauseClosed}, {"503", "", topic.CauseNotFound},
	} {
		p := newPair(t, address(t, JetStream, "", b, "storage=memory"),
			topic.SubscribeOptions{Name: "server", Batch: 10})
		session, err := p.sub.(*streamSubscription).link.get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := session.statusError(says("", c.code, c.text)); c.cause == "" {
			if err != nil {
				t.Errorf("%s %s: %v", c.code, c.text, err)
			}
		} else {
			mustBe(t, err, c.cause, false)
		}
	}
}
