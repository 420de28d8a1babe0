package topictest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/topic"
)

func describe(t *testing.T, s *suite) {
	d := s.topic.Describe()
	if d.Transport == "" || d.Client == "" || d.Endpoint == "" || d.Acknowledged == "" || d.MaxMessage < 0 {
		t.Errorf("the description lacks something: %+v", d)
	}
}

// names: a subscription's name is checked.
func names(t *testing.T, s *suite) {
	for _, name := range []string{"", "a.b", "a b", "a*", "größe", "a/b"} {
		sub, err := s.topic.Subscribe(within(t), topic.SubscribeOptions{Name: name, Listeners: 1, Batch: 1})
		if err == nil {
			t.Errorf("there is a subscription with the name %q", name)
			_ = sub.Close()
			continue
		}
		mustBe(t, err, topic.CauseUsage)
	}
}

// delivery: a message comes as it was published, after it was published.
func delivery(t *testing.T, s *suite) {
	sub, p := s.subscribe(t, topic.SubscribeOptions{Batch: 10}), s.publisher(t)
	for n := 1; n <= 3; n++ {
		before := time.Now()
		publish(t, p, n, n, 500)
		r, err := sub.Receive(within(t))
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Messages) != 1 || number(t, r.Messages[0]) != n || r.Messages[0].Redelivered {
			t.Fatalf("%d messages were received, want message %d alone, for the first time", len(r.Messages), n)
		}
		if arrived := r.Messages[0].Arrived; r.Ended.Before(before) || !arrived.IsZero() && arrived.Before(before) {
			t.Fatalf("the message was received at %s, before it was published at %s", r.Ended, before)
		}
		acknowledge(t, sub, r.Messages)
	}
}

// batches: a receive call returns several messages, never more than the batch.
func batches(t *testing.T, s *suite) {
	const batch, count = 7, 40
	sub, p := s.subscribe(t, topic.SubscribeOptions{Batch: batch}), s.publisher(t)
	publish(t, p, 1, count, 100)
	got := s.drain(t, sub, batch, count)
	if len(got) != count {
		t.Fatalf("%d messages were received, want %d", len(got), count)
	}
}

// sizes: any bytes and the usual sizes of a batch of updates.
func sizes(t *testing.T, s *suite) {
	sub, p := s.subscribe(t, topic.SubscribeOptions{Batch: 10}), s.publisher(t)
	for n, size := range []int{1, 300, 5_500, 43_000, 100_000} {
		if limit := s.topic.Describe().MaxMessage; limit > 0 && size > limit {
			continue
		}
		publish(t, p, n, n, size)
		messages := s.receive(t, sub, 10)
		if len(messages) != 1 || number(t, messages[0]) != n || len(messages[0].Payload) != len(content(n, size)) {
			t.Fatalf("the message of %d bytes did not come as it was", size)
		}
		acknowledge(t, sub, messages)
	}
}

// large: what is beyond the limit is refused, and the largest message passes.
func large(t *testing.T, s *suite) {
	limit := s.topic.Describe().MaxMessage
	if limit == 0 || limit > 64<<20 {
		t.Skipf("the largest message is %d bytes", limit)
	}
	sub, p := s.subscribe(t, topic.SubscribeOptions{Batch: 1}), s.publisher(t)
	err := p.Publish(within(t), make([]byte, limit+1))
	mustBe(t, err, topic.CauseTooLarge)
	var known *topic.Error
	if errors.As(err, &known); !known.Final {
		t.Error("the error for a message that is too large is not final")
	}
	publish(t, p, 1, 1, limit)
	messages := s.receive(t, sub, 1)
	if number(t, messages[0]) != 1 || len(messages[0].Payload) != limit {
		t.Fatalf("a message of %d bytes was received, want one of %d", len(messages[0].Payload), limit)
	}
	acknowledge(t, sub, messages)
}

// everyone: each subscription gets all messages.
func everyone(t *testing.T, s *suite) {
	const count = 20
	one := s.subscribe(t, topic.SubscribeOptions{Name: "server-1", Batch: 10})
	two := s.subscribe(t, topic.SubscribeOptions{Name: "server_2", Batch: 3, Ephemeral: true})
	publish(t, s.publisher(t), 1, count, 100)
	if diff := cmp.Diff(s.drain(t, one, 10, count), s.drain(t, two, 3, count)); diff != "" {
		t.Errorf("the subscriptions received different messages (-one +two):\n%s", diff)
	}
}

// listeners: several goroutines receive, publish and acknowledge at the same time.
func listeners(t *testing.T, s *suite) {
	const workers, each = 4, 50
	sub := s.subscribe(t, topic.SubscribeOptions{Listeners: workers, Batch: 10})
	p := s.publisher(t)
	ctx := within(t)
	receiving, done := context.WithCancel(ctx)
	defer done()
	got := &tally{want: workers * each, times: map[int]int{}, done: done}
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for n := range each {
				if err := p.Publish(ctx, content(w*each+n, 200)); err != nil {
					t.Errorf("publishing: %v", err)
				}
			}
		})
		group.Go(func() {
			if err := got.receive(receiving, sub); err != nil {
				t.Error(err)
				done()
			}
		})
	}
	group.Wait()
	want := map[int]int{}
	for n := range workers * each {
		want[n] = 1
	}
	if diff := cmp.Diff(want, got.times); diff != "" {
		t.Errorf("how often each message was received (-want +got):\n%s", diff)
	}
}

// tally counts how often each message was received, by several goroutines.
type tally struct {
	want  int
	done  func() // is called when all were received
	mu    sync.Mutex
	times map[int]int
}

// receive receives and acknowledges until ctx is cancelled.
func (y *tally) receive(ctx context.Context, sub topic.Subscription) error {
	for {
		r, err := sub.Receive(ctx)
		if errors.Is(err, context.Canceled) {
			return nil
		} else if err != nil {
			return fmt.Errorf("receiving: %w", err)
		}
		if err := sub.Ack(context.WithoutCancel(ctx), r.Messages); err != nil {
			return fmt.Errorf("acknowledging: %w", err)
		}
		if err := y.count(r.Messages); err != nil {
			return err
		}
	}
}

func (y *tally) count(messages []topic.Message) error {
	y.mu.Lock()
	defer y.mu.Unlock()
	for _, m := range messages {
		n, err := parse(m)
		if err != nil {
			return err
		}
		y.times[n]++
	}
	if len(y.times) == y.want {
		y.done()
	}
	return nil
}

// cancelled: a context that is done is the error of every call.
func cancelled(t *testing.T, s *suite) {
	sub, p := s.subscribe(t, topic.SubscribeOptions{}), s.publisher(t)
	ctx, cancel := context.WithCancel(within(t))
	cancel()
	if err := p.Publish(ctx, []byte("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("publishing: %v, want %v", err, context.Canceled)
	}
	if _, err := sub.Receive(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("receiving: %v, want %v", err, context.Canceled)
	}
}

// cancelledWaiting: a receive call that was given up takes no message with it.
func cancelledWaiting(t *testing.T, s *suite) {
	const rounds = 5
	sub, p := s.subscribe(t, topic.SubscribeOptions{Batch: 10}), s.publisher(t)
	got := map[int]bool{}
	for n := 1; n <= rounds; n++ {
		ctx, cancel := context.WithCancel(within(t))
		var r topic.Received
		var group sync.WaitGroup
		group.Go(func() {
			var err error
			if r, err = sub.Receive(ctx); err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("receiving: %v", err)
			}
		})
		publish(t, p, n, n, 100)
		cancel()
		group.Wait()
		for _, m := range r.Messages {
			got[number(t, m)] = true
		}
		acknowledge(t, sub, r.Messages)
	}
	for len(got) < rounds {
		messages := s.receive(t, sub, 10)
		for _, m := range messages {
			got[number(t, m)] = true
		}
		acknowledge(t, sub, messages)
	}
}

// closing: a receive call that waits ends when its subscription is closed.
func closing(t *testing.T, s *suite) {
	sub := s.subscribe(t, topic.SubscribeOptions{Listeners: 3, Batch: 10})
	var group sync.WaitGroup
	errs := make(chan error, 3)
	for range 3 {
		group.Go(func() {
			_, err := sub.Receive(within(t))
			errs <- err
		})
	}
	if err := sub.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
	group.Wait()
	close(errs)
	for err := range errs {
		if err == nil || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("receiving from a subscription that is closed: %v, want an error of its own", err)
		}
	}
}

// closed: after Close a call fails, and another Close does not.
func closed(t *testing.T, s *suite) {
	sub, p := s.subscribe(t, topic.SubscribeOptions{}), s.publisher(t)
	if err := errors.Join(sub.Close(), p.Close()); err != nil {
		t.Fatal(err)
	}
	if err := p.Publish(within(t), []byte("x")); err == nil {
		t.Error("a publisher that is closed publishes")
	}
	if _, err := sub.Receive(within(t)); err == nil {
		t.Error("a subscription that is closed receives")
	}
}
