package topictest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// Patience bounds what a test waits for; it is reached only by a defect.
const Patience = 2 * time.Minute

// The acknowledgement times of the tests: soon where a message is to be delivered again, and never
// where one that is would be a failure, however long this process is held up.
const (
	soon  = 2 * time.Second
	never = 5 * time.Minute
)

// Open opens a topic that no other call has opened, with this acknowledgement time where the
// transport has one. It is closed by the suite, which closes all that it made of it before.
type Open func(t *testing.T, ackTime time.Duration) topic.Topic

// Run runs all tests. It closes all that it makes; the package's TestMain checks with goleak that
// no goroutine is left, when the servers that run in the test's process have ended, too.
func Run(t *testing.T, open Open) {
	tests := []struct {
		name    string
		ackTime time.Duration
		run     func(*testing.T, *suite)
	}{
		{"describe", never, describe},
		{"names", never, names},
		{"delivery", never, delivery},
		{"batches", never, batches},
		{"sizes", never, sizes},
		{"large", never, large},
		{"everyone", never, everyone},
		{"listeners", never, listeners},
		{"cancelled", never, cancelled},
		{"cancelled while waiting", soon, cancelledWaiting},
		{"closing while receiving", never, closing},
		{"closed", never, closed},
		{"backlog", never, backlog},
		{"redelivery", soon, redelivery},
		{"absence", soon, absence},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := &suite{topic: open(t, test.ackTime)}
			t.Cleanup(func() {
				if err := s.topic.Close(); err != nil {
					t.Errorf("closing the topic: %v", err)
				}
			})
			test.run(t, s)
		})
	}
}

// suite is a topic under test.
type suite struct {
	topic topic.Topic
}

// within bounds a test.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	t.Cleanup(cancel)
	return ctx
}

// publisher makes a publisher, which is closed at the end.
func (s *suite) publisher(t *testing.T) topic.Publisher {
	t.Helper()
	p, err := s.topic.Publisher(within(t))
	if err != nil {
		t.Fatalf("making a publisher: %v", err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("closing a publisher: %v", err)
		}
	})
	return p
}

// subscribe makes a subscription, which is closed at the end.
func (s *suite) subscribe(t *testing.T, o topic.SubscribeOptions) topic.Subscription {
	t.Helper()
	if o.Name == "" {
		o.Name = "server-1"
	}
	o.Listeners, o.Batch = max(1, o.Listeners), max(1, o.Batch)
	sub, err := s.topic.Subscribe(within(t), o)
	if err != nil {
		t.Fatalf("subscribing as %s: %v", o.Name, err)
	}
	t.Cleanup(func() {
		if err := sub.Close(); err != nil {
			t.Errorf("closing the subscription %s: %v", o.Name, err)
		}
	})
	return sub
}

// publish publishes the messages with these numbers, each with the bytes that belong to it.
func publish(t *testing.T, p topic.Publisher, first, last, size int) {
	t.Helper()
	for n := first; n <= last; n++ {
		payload := content(n, size)
		if err := p.Publish(within(t), payload); err != nil {
			t.Fatalf("publishing message %d: %v", n, err)
		}
		clear(payload) // it may be used again
	}
}

// content is a message of any bytes that begins with its number.
func content(n, size int) []byte {
	b := fmt.Appendf(nil, "message %06d ", n)
	for len(b) < size {
		b = append(b, byte(len(b)*7+n))
	}
	return b
}

// parse reads the number of a message and checks its bytes.
func parse(m topic.Message) (int, error) {
	var n int
	if _, err := fmt.Sscanf(string(m.Payload), "message %06d ", &n); err != nil {
		return 0, fmt.Errorf("a message begins with %.30q, which nobody published", m.Payload)
	}
	if !bytes.Equal(m.Payload, content(n, len(m.Payload))) {
		return 0, fmt.Errorf("message %d has other bytes than were published", n)
	}
	return n, nil
}

// number is parse for the test's own goroutine.
func number(t *testing.T, m topic.Message) int {
	t.Helper()
	n, err := parse(m)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// receive receives once, and fails the test unless there is something, at most the batch, with
// times that can be.
func (s *suite) receive(t *testing.T, sub topic.Subscription, batch int) []topic.Message {
	t.Helper()
	r, err := sub.Receive(within(t))
	if err != nil {
		t.Fatalf("receiving: %v", err)
	}
	now := time.Now()
	if n := len(r.Messages); n == 0 || n > batch {
		t.Fatalf("%d messages were received, want 1 to %d", n, batch)
	}
	if r.Began.IsZero() || r.Ended.Before(r.Began) || r.Ended.After(now) {
		t.Fatalf("a receive call lasted from %s to %s, and it is %s", r.Began, r.Ended, now)
	}
	for _, m := range r.Messages {
		if has := !m.BrokerTime.IsZero(); has != (s.topic.Describe().BrokerTime != "") {
			t.Fatalf("the broker's time is %s, and is described as %q", m.BrokerTime, s.topic.Describe().BrokerTime)
		}
		if !m.Arrived.IsZero() && m.Arrived.After(r.Ended) {
			t.Fatalf("a message arrived at %s, after the receive call ended at %s", m.Arrived, r.Ended)
		}
	}
	return r.Messages
}

// drain receives and acknowledges until it has this many different messages, each once.
func (s *suite) drain(t *testing.T, sub topic.Subscription, batch, want int) map[int]bool {
	t.Helper()
	got := map[int]bool{}
	for len(got) < want {
		messages := s.receive(t, sub, batch)
		for _, m := range messages {
			n := number(t, m)
			if got[n] {
				t.Fatalf("message %d was received twice", n)
			}
			got[n] = true
		}
		acknowledge(t, sub, messages)
	}
	return got
}

func acknowledge(t *testing.T, sub topic.Subscription, messages []topic.Message) {
	t.Helper()
	if err := sub.Ack(within(t), messages); err != nil {
		t.Fatalf("acknowledging %d messages: %v", len(messages), err)
	}
}

// mustBe fails the test unless the error is a topic's, with this cause.
func mustBe(t *testing.T, err error, cause string) {
	t.Helper()
	var known *topic.Error
	if !errors.As(err, &known) || known.Cause != cause {
		t.Fatalf("the error is %v with the cause %q, want a topic.Error with the cause %q",
			err, topic.CauseOf(err), cause)
	}
}
