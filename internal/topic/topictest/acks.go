package topictest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// backlog: what waits and what is not acknowledged is counted, where the transport says it.
func backlog(t *testing.T, s *suite) {
	const count = 5
	sub, p := s.subscribe(t, topic.SubscribeOptions{Batch: count}), s.publisher(t)
	publish(t, p, 1, count, 100)
	s.untilBacklog(t, sub, "messages were published", count, 0)
	var messages []topic.Message
	for len(messages) < count {
		messages = append(messages, s.receive(t, sub, count)...)
	}
	unacked := int64(0)
	if s.topic.Describe().AtLeastOnce {
		unacked = count
	}
	s.untilBacklog(t, sub, "they were received", 0, unacked)
	acknowledge(t, sub, messages)
	s.untilBacklog(t, sub, "they were acknowledged", 0, 0)
}

// untilBacklog asks for the backlog until it is this one, but for what the transport does not say.
func (s *suite) untilBacklog(t *testing.T, sub topic.Subscription, after string, waiting, unacked int64) {
	t.Helper()
	ctx := within(t)
	for {
		b, err := sub.Backlog(ctx)
		if err != nil {
			t.Fatalf("the backlog after %s: %v", after, err)
		}
		if b.Dropped > 0 {
			t.Fatalf("%d messages were dropped", b.Dropped)
		}
		if (b.Messages == waiting || b.Messages == -1) && (b.Unacked == unacked || b.Unacked == -1) {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("the backlog after %s is %+v, want %d messages and %d unacknowledged", after, b, waiting, unacked)
		}
	}
}

// redelivery: what is not acknowledged comes again, and what is acknowledged does not.
func redelivery(t *testing.T, s *suite) {
	if !s.topic.Describe().AtLeastOnce {
		t.Skip("the transport delivers at most once")
	}
	const count = 6
	sub, p := s.subscribe(t, topic.SubscribeOptions{Batch: count}), s.publisher(t)
	began := time.Now()
	publish(t, p, 1, count, 100)
	want := map[int]bool{}
	for seen := map[int]bool{}; len(seen) < count; {
		for _, m := range s.receive(t, sub, count) {
			n := number(t, m)
			seen[n] = true
			if n%2 == 0 {
				want[n] = true
			} else {
				acknowledge(t, sub, []topic.Message{m})
			}
		}
	}
	inTime := time.Since(began) < soon // else one may have been on its way again when it was acknowledged
	got := map[int]bool{}
	for again := 0; again < len(want); {
		messages := s.receive(t, sub, count)
		for _, m := range messages {
			n := number(t, m)
			if want[n] && !got[n] {
				again++
			}
			if want[n] || inTime {
				got[n] = true
			}
		}
		acknowledge(t, sub, messages)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what was delivered again (-want +got):\n%s", diff)
	}
}

// absence: messages wait for a subscription that is away, and those that it had received and not
// acknowledged come again.
func absence(t *testing.T, s *suite) {
	d := s.topic.Describe()
	if !d.Durable || !d.AtLeastOnce {
		t.Skip("the transport keeps nothing for a subscription that is away")
	}
	p := s.publisher(t)
	first := s.subscribe(t, topic.SubscribeOptions{Batch: 10})
	publish(t, p, 1, 3, 100)
	s.receive(t, first, 10) // and no acknowledgement
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	publish(t, p, 4, 6, 100)
	second := s.subscribe(t, topic.SubscribeOptions{Batch: 10})
	got := map[int]bool{}
	for len(got) < 6 {
		messages := s.receive(t, second, 10)
		for _, m := range messages {
			got[number(t, m)] = true
		}
		acknowledge(t, second, messages)
	}
}
