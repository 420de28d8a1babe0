package nats

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/topic/topictest"
)

// content is all that a stream holds of each subject, by its sequences.
func content(t *testing.T, js jetstream.JetStream, stream string) map[string]map[uint64]string {
	t.Helper()
	found, err := js.Stream(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	info := found.CachedInfo().State
	all := map[string]map[uint64]string{}
	for n := info.FirstSeq; n <= info.LastSeq; n++ {
		m, err := found.GetMsg(t.Context(), n)
		if err != nil {
			continue
		}
		if all[m.Subject] == nil {
			all[m.Subject] = map[uint64]string{}
		}
		all[m.Subject][n] = fmt.Sprintf("%s %q", m.Header, m.Data)
	}
	return all
}

// Messages of another program in the stream survive a run.
func TestForeignMessagesStay(t *testing.T) {
	const foreign = 500
	for _, retention := range []jetstream.RetentionPolicy{jetstream.LimitsPolicy, jetstream.InterestPolicy} {
		b := run(t, &server.Options{JetStream: true})
		js := manager(t, b)
		config := jetstream.StreamConfig{Name: "orders", Subjects: []string{"updates", "orders"}, Retention: retention}
		if _, err := js.CreateStream(t.Context(), config); err != nil {
			t.Fatal(err)
		}
		worker := jetstream.ConsumerConfig{Durable: "worker", AckPolicy: jetstream.AckExplicitPolicy}
		if _, err := js.CreateConsumer(t.Context(), "orders", worker); err != nil {
			t.Fatal(err)
		}
		subject := map[int]string{0: "updates", 1: "orders"}
		for n := range foreign {
			if _, err := js.PublishAsync(subject[n%2], fmt.Appendf(nil, "order \x00 %d", n),
				jetstream.WithStallWait(topictest.Patience)); err != nil {
				t.Fatal(err)
			}
		}
		<-js.PublishAsyncComplete()
		want := content(t, js, "orders")
		if n := len(want["updates"]) + len(want["orders"]); n != foreign {
			t.Fatalf("%d messages are there", n)
		}
		p := newPair(t, address(t, JetStream, "", b, ""),
			topic.SubscribeOptions{Name: "server", Batch: 10, Ephemeral: true})
		for n := range 100 {
			p.publish(t, fmt.Sprint(n))
			if m := p.receive(t); string(m.Payload) != fmt.Sprint(n) {
				t.Fatalf("%q was received", m.Payload)
			} else if err := p.sub.Ack(t.Context(), []topic.Message{m}); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.sub.Close(); err != nil {
			t.Fatal(err)
		}
		got := content(t, js, "orders")
		for n := range got["updates"] { // ours come after theirs
			if n > foreign {
				delete(got["updates"], n)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v: %.1000s", retention, diff)
		}
	}
}

// Publishing must not push out messages of another program.
func TestPublisherDoesNotEvictForeignMessages(t *testing.T) {
	b := run(t, &server.Options{JetStream: true})
	js := manager(t, b)
	config := jetstream.StreamConfig{Name: "updates", Subjects: []string{"updates"}, MaxMsgs: 10,
		Discard: jetstream.DiscardOld}
	if _, err := js.CreateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	u := address(t, JetStream, "", b, "")
	for range 2 { // an empty stream is nobody's, also when ours are in it by and by
		p, err := mustOpen(t, u).Publisher(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_ = p.Close()
	}
	if _, err := js.Publish(t.Context(), "updates", []byte("an order")); err != nil {
		t.Fatal(err)
	}
	_, err := mustOpen(t, u).Publisher(t.Context())
	mustBe(t, err, topic.CauseUnsupported, true)
	p, err := mustOpen(t, address(t, JetStream, "", b, "discard=old")).Publisher(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_ = p.Close()
}

// An ephemeral subscription leaves an existing consumer alone and takes nothing from a work queue.
func TestForeignConsumerStays(t *testing.T) {
	b := run(t, &server.Options{JetStream: true})
	js := manager(t, b)
	opened := mustOpen(t, address(t, JetStream, "", b, ""))
	worker := jetstream.ConsumerConfig{Durable: "worker", AckPolicy: jetstream.AckExplicitPolicy}
	if _, err := js.CreateConsumer(t.Context(), "updates", worker); err != nil {
		t.Fatal(err)
	}
	sub, err := opened.Subscribe(t.Context(), topic.SubscribeOptions{Name: "worker", Ephemeral: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := sub.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Consumer(t.Context(), "updates", "worker"); err != nil {
		t.Error(err)
	}
	config := jetstream.StreamConfig{Name: "jobs", Subjects: []string{"jobs"}, Retention: jetstream.WorkQueuePolicy}
	if _, err := js.CreateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateConsumer(t.Context(), "jobs", worker); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "jobs", []byte("a job")); err != nil {
		t.Fatal(err)
	}
	u := address(t, JetStream, "", b, "")
	u.Path = "jobs"
	_, err = mustOpen(t, u).Subscribe(context.WithoutCancel(t.Context()), topic.SubscribeOptions{Name: "worker"})
	mustBe(t, err, topic.CauseUnsupported, true)
	if left := content(t, js, "jobs")["jobs"]; len(left) != 1 {
		t.Errorf("the queue has %v", left)
	}
}
