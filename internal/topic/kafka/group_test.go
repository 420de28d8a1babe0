package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/plimsoll/plimsoll/internal/topic"
)

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func publish(t *testing.T, p topic.Publisher, first, last int) {
	t.Helper()
	for n := first; n <= last; n++ {
		if err := p.Publish(within(t), fmt.Appendf(nil, "%d", n)); err != nil {
			t.Fatal(err)
		}
	}
}

// gather receives until it has this many messages, and returns them by their content.
func gather(t *testing.T, s *subscription, want int) map[string]topic.Message {
	t.Helper()
	got := map[string]topic.Message{}
	for len(got) < want {
		r, err := s.Receive(within(t))
		if err != nil {
			t.Fatalf("after %d messages: %v", len(got), err)
		}
		for _, m := range r.Messages {
			got[string(m.Payload)] = m
		}
	}
	return got
}

// restart: a server that comes back gets what it had not acknowledged, and what is behind that in
// its partition, but nothing before; also when it was killed.
func restart(t *testing.T, brokers string) {
	made := mustOpen(t, "kafka://%s/restart?partitions=1&replicas=1&session=1m", brokers)
	first := mustSubscribe(t, made, topic.SubscribeOptions{Name: "a", Batch: 100})
	p := mustPublisher(t, made)
	publish(t, p, 0, 9)
	got := gather(t, first, 10)
	for _, n := range []int{0, 1, 2, 4, 9, 3, 7} { // 5 and 6 are not done
		if err := first.Ack(within(t), []topic.Message{got[fmt.Sprint(n)]}); err != nil {
			t.Fatal(err)
		}
	}
	first.client.CloseAllowingRebalance() // it leaves without a word of Close
	again := mustSubscribe(t, made, topic.SubscribeOptions{Name: "a", Batch: 100})
	defer func() { _ = again.Close() }()
	back := gather(t, again, 5)
	for n := range 10 {
		if _, ok := back[fmt.Sprint(n)]; ok != (n >= 5) {
			t.Errorf("message %d came again: %t", n, ok)
		}
	}
	_ = first.Close()
}

// rebalance: two members share the partitions, and one takes over what the other leaves.
// Everything is received by one of them, and nothing that was acknowledged comes to the other.
func rebalance(t *testing.T, brokers string) {
	const count = 60
	made := mustOpen(t, "kafka://%s/rebalance?partitions=4&replicas=1&session=1m", brokers)
	one := mustSubscribe(t, made, topic.SubscribeOptions{Name: "a", Batch: 5})
	p := mustPublisher(t, made)
	publish(t, p, 0, count/2-1)
	var mu sync.Mutex
	times := map[string]int{}
	ctx, done := context.WithCancel(within(t))
	defer done()
	work := func(s *subscription) {
		for {
			r, err := s.Receive(ctx)
			if errors.Is(err, context.Canceled) || topic.CauseOf(err) == topic.CauseClosed {
				return
			} else if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			for _, m := range r.Messages {
				times[string(m.Payload)]++
			}
			all := len(times) == count
			mu.Unlock()
			// One that was taken away is not acknowledged, and comes again.
			if err := s.Ack(context.WithoutCancel(ctx), r.Messages); err != nil &&
				topic.CauseOf(err) != topic.CauseClosed && topic.CauseOf(err) != topic.CauseUnavailable {
				t.Error(err)
			}
			if all {
				done()
			}
		}
	}
	var group sync.WaitGroup
	group.Go(func() { work(one) })
	two := mustSubscribe(t, made, topic.SubscribeOptions{Name: "a", Batch: 5})
	group.Go(func() { work(two) })
	publish(t, p, count/2, count/2+9)
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	publish(t, p, count/2+10, count-1)
	group.Wait()
	if len(times) != count {
		t.Errorf("%d messages were received, want %d", len(times), count)
	}
	if err := two.Close(); err != nil {
		t.Error(err)
	}
	for id, offset := range committed(t, made, "rebalance-a") {
		end, err := ends(t, made, id)
		if err != nil || offset != end {
			t.Errorf("partition %d: %d is committed of %d (%v)", id, offset, end, err)
		}
	}
}

// committed is what is committed for a group.
func committed(t *testing.T, made *kafkaTopic, group string) map[int32]int64 {
	t.Helper()
	client, err := made.connect(within(t))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Group = group
	of := kmsg.NewOffsetFetchRequestGroup()
	of.Group = group
	req.Groups = append(req.Groups, of)
	resp, err := req.RequestWith(within(t), client)
	if err != nil {
		t.Fatal(err)
	}
	out := map[int32]int64{}
	for _, g := range resp.Groups {
		for _, r := range g.Topics {
			for _, p := range r.Partitions {
				out[p.Partition] = p.Offset
			}
		}
	}
	for _, r := range resp.Topics {
		for _, p := range r.Partitions {
			out[p.Partition] = p.Offset
		}
	}
	if len(out) == 0 {
		t.Error("nothing is committed")
	}
	return out
}

func ends(t *testing.T, made *kafkaTopic, id int32) (int64, error) {
	t.Helper()
	client, err := made.connect(within(t))
	if err != nil {
		return 0, err
	}
	defer client.Close()
	out, err := made.ends(within(t), client, []int32{id})
	return out[id], err
}

// retention: what was removed before it was received is counted.
func retention(t *testing.T, brokers string) {
	made := mustOpen(t, "kafka://%s/retention?partitions=1&replicas=1&session=1m", brokers)
	p := mustPublisher(t, made)
	publish(t, p, 0, 0)
	if err := mustSubscribe(t, made, topic.SubscribeOptions{Name: "a", Batch: 100}).Close(); err != nil {
		t.Fatal(err)
	}
	publish(t, p, 1, 5)
	client, err := made.connect(within(t))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	req := kmsg.NewPtrDeleteRecordsRequest()
	req.TimeoutMillis = 10_000
	from := kmsg.NewDeleteRecordsRequestTopic()
	from.Topic = "retention"
	part := kmsg.NewDeleteRecordsRequestTopicPartition()
	part.Partition, part.Offset = 0, 4
	from.Partitions = append(from.Partitions, part)
	req.Topics = append(req.Topics, from)
	if _, err := req.RequestWith(within(t), client); err != nil {
		t.Fatal(err)
	}
	s := mustSubscribe(t, made, topic.SubscribeOptions{Name: "a", Batch: 100})
	defer func() { _ = s.Close() }()
	got := gather(t, s, 2)
	b, err := s.Backlog(within(t))
	if _, ok := got["4"]; !ok || err != nil || b.Dropped != 3 || b.Unacked != 2 || b.Messages != 0 {
		t.Errorf("after messages 1 to 3 were removed: %v, %+v, %v", got, b, err)
	}
}

// leaving: what was acknowledged, and could not be committed then, is when the server leaves.
func leaving(t *testing.T, brokers string) {
	made := mustOpen(t, "kafka://%s/leaving?partitions=1&replicas=1&session=1m", brokers)
	s := mustSubscribe(t, made, topic.SubscribeOptions{Name: "a", Batch: 100})
	publish(t, mustPublisher(t, made), 0, 2)
	got := gather(t, s, 3)
	s.tracker.done([]*delivery{got["0"].Handle.(*delivery), got["1"].Handle.(*delivery)})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if offset := committed(t, made, "leaving-a")[0]; offset != 2 {
		t.Errorf("%d is committed, want 2", offset)
	}
}

func TestGroups(t *testing.T) {
	c := startFake(t)
	t.Run("restart", func(t *testing.T) { restart(t, brokers(c)) })
	t.Run("leaving", func(t *testing.T) { leaving(t, brokers(c)) })
	t.Run("rebalance", func(t *testing.T) { rebalance(t, brokers(c)) })
	t.Run("retention", func(t *testing.T) { retention(t, brokers(c)) })
}
