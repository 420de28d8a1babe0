package nats

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/topic/topictest"
)

func TestLostStream(t *testing.T) {
	host, port := place(t)
	b := run(t, &server.Options{JetStream: true, Host: host, Port: port})
	var events topictest.Events
	p := newPair(t, address(t, JetStream, "", b, "storage=memory"),
		topic.SubscribeOptions{Name: "server", Batch: 10, Tell: events.Tell})
	p.publish(t, "a")
	failed := p.waiting(t)
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
	failed = p.waiting(t)
	end(b)
	if err := <-failed; err == nil {
		t.Fatal("a message was received from a broker that ended")
	}
	run(t, &server.Options{JetStream: true, Host: host, Port: port})
	if _, err := p.sub.Backlog(t.Context()); err != nil { // makes the stream and the consumer anew
		t.Fatal(err)
	}
	p.publish(t, "b")
	if m := p.receive(t); string(m.Payload) != "b" {
		t.Errorf("%q was received from the new broker, want b", m.Payload)
	}
	events.MustBe(t, topic.EventRestarted, topic.EventRemade)
	if !events.Has(topic.EventRemade, "the stream updates was made again") {
		t.Error("it is not said that the stream is another")
	}
}

// TestSharedConsumer: what another subscription of the same name has taken is told, by the broker's count.
func TestSharedConsumer(t *testing.T) {
	b := run(t, &server.Options{JetStream: true})
	var ours, theirs topictest.Events
	p := newPair(t, address(t, JetStream, "", b, ""), topic.SubscribeOptions{Name: "server", Batch: 10, Tell: ours.Tell})
	for range 3 {
		p.publish(t, "a")
		p.receive(t)
	}
	asked := func(p pair) {
		t.Helper()
		for range 2 {
			if _, err := p.sub.Backlog(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	asked(p)
	ours.MustBe(t)
	other := newPair(t, address(t, JetStream, "", b, ""),
		topic.SubscribeOptions{Name: "server", Batch: 10, Tell: theirs.Tell})
	for range 5 {
		p.publish(t, "b")
		other.receive(t)
	}
	asked(p)
	asked(other)
	ours.MustBe(t, topic.EventShared)
	theirs.MustBe(t)
	if !ours.Has(topic.EventShared, "has delivered 5 to somebody else") {
		t.Errorf("%+v", &ours)
	}
}

func TestDeletedConsumer(t *testing.T) {
	b := run(t, &server.Options{JetStream: true})
	var events topictest.Events
	p := newPair(t, address(t, JetStream, "", b, ""),
		topic.SubscribeOptions{Name: "server", Batch: 10, Tell: events.Tell})
	failed, js := p.waiting(t), manager(t, b)
	for asked := false; !asked; { // until the request is there
		info, err := js.Consumer(t.Context(), "updates", "server")
		if err != nil {
			t.Fatal(err)
		}
		asked = info.CachedInfo().NumWaiting > 0
	}
	if err := js.DeleteConsumer(t.Context(), "updates", "server"); err != nil {
		t.Fatal(err)
	}
	mustBe(t, <-failed, topic.CauseNotFound, false)
	if _, err := p.sub.Backlog(t.Context()); err != nil { // makes it anew
		t.Fatal(err)
	}
	p.publish(t, "a")
	p.receive(t)
	events.MustBe(t, topic.EventReconnected, topic.EventRemade)
	if !events.Has(topic.EventRemade, "the consumer server was deleted") {
		t.Error("it is not said that the consumer is another")
	}
}

func TestForeignConsumer(t *testing.T) {
	b := run(t, &server.Options{JetStream: true})
	u := address(t, JetStream, "", b, "")
	mustOpen(t, u) // makes the stream
	config := jetstream.ConsumerConfig{Durable: "server", MaxAckPending: 1, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: time.Hour}
	if _, err := manager(t, b).CreateConsumer(t.Context(), "updates", config); err != nil {
		t.Fatal(err)
	}
	p := newPair(t, u, topic.SubscribeOptions{Name: "server", Batch: 10, Listeners: 3})
	const count = 20
	for n := range count {
		p.publish(t, fmt.Sprint(n))
	}
	got := make(chan string, count)
	ctx, cancel := context.WithTimeout(t.Context(), topictest.Patience)
	defer cancel()
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			for ctx.Err() == nil {
				r, err := p.sub.Receive(ctx)
				if err != nil {
					return
				}
				for _, m := range r.Messages {
					got <- string(m.Payload)
				}
				if err := p.sub.Ack(context.WithoutCancel(ctx), r.Messages); err != nil {
					t.Error(err)
				}
				if len(got) == count {
					cancel()
				}
			}
		})
	}
	group.Wait()
	if len(got) != count {
		t.Errorf("%d messages were received within a minute, want %d", len(got), count)
	}
}

func TestRequestsPending(t *testing.T) {
	b := run(t, &server.Options{JetStream: true})
	u, js := address(t, JetStream, "", b, ""), manager(t, b)
	mustOpen(t, u) // makes the stream
	config := jetstream.ConsumerConfig{Durable: "server", MaxAckPending: 1, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: time.Hour}
	if _, err := js.CreateConsumer(t.Context(), "updates", config); err != nil {
		t.Fatal(err)
	}
	p := newPair(t, u, topic.SubscribeOptions{Name: "server", Batch: 10, Listeners: 2})
	for range 3 {
		p.publish(t, "a")
	}
	first := p.receive(t) // its request may bring nine more, but not before it is acknowledged
	second := p.waiting(t)
	ctx, cancel := context.WithTimeout(t.Context(), topictest.Patience)
	defer cancel()
	for waiting := 0; waiting < 2; {
		info, err := js.Consumer(ctx, "updates", "server")
		if err != nil {
			t.Fatalf("%d requests wait, want 2: %v", waiting, err)
		}
		waiting = info.CachedInfo().NumWaiting
	}
	if err := p.sub.Ack(ctx, []topic.Message{first}); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-second: // unless the first listener's request got both
		if err != nil {
			t.Error(err)
		}
	default:
	}
}

func manager(t *testing.T, b *server.Server) jetstream.JetStream {
	t.Helper()
	nc, err := nats.Connect("nats://"+b.Addr().String(), nats.Timeout(topictest.Patience))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(topictest.Patience))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

func TestFull(t *testing.T) {
	b := run(t, &server.Options{JetStream: true})
	p := newPair(t, address(t, JetStream, "", b, "storage=memory&max_bytes=100000"),
		topic.SubscribeOptions{Name: "server", Batch: 1})
	published := 0
	for {
		err := p.pub.Publish(t.Context(), fmt.Appendf(make([]byte, 10_000), "%d", published))
		if err != nil {
			mustBe(t, err, topic.CauseFull, false)
			break
		}
		if published++; published > 10 {
			t.Fatal("the stream takes more than it has room for")
		}
	}
	for n := range published {
		m := p.receive(t)
		if want := fmt.Sprint(n); !strings.HasSuffix(string(m.Payload), want) {
			t.Fatalf("message %d has other bytes", n)
		}
		if err := p.sub.Ack(t.Context(), []topic.Message{m}); err != nil {
			t.Fatal(err)
		}
	}
	if published < 5 {
		t.Errorf("the stream was full after %d messages", published)
	}
	p.publish(t, "more")
}

func TestGiveBack(t *testing.T) {
	b := run(t, &server.Options{JetStream: true})
	u := address(t, JetStream, "", b, "ack_wait=1h")
	p := newPair(t, u, topic.SubscribeOptions{Name: "server", Batch: 10})
	s := p.sub.(*streamSubscription)
	session, err := s.link.get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lane := <-session.pulls
	if err := lane.request(session, 10, time.Second); err != nil {
		t.Fatal(err)
	}
	p.publish(t, "a")
	session.pulls <- lane
	for { // until it was delivered
		l, err := p.sub.Backlog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if l.Unacked == 1 {
			break
		}
	}
	if err := p.sub.Close(); err != nil {
		t.Fatal(err)
	}
	if m := newPair(t, u, topic.SubscribeOptions{Name: "server", Batch: 10}).receive(t); string(m.Payload) != "a" ||
		!m.Redelivered {
		t.Errorf("%q was received (again: %t), want a, again", m.Payload, m.Redelivered)
	}
}

func TestStreams(t *testing.T) {
	b := run(t, &server.Options{JetStream: true})
	js := manager(t, b)
	for _, c := range []jetstream.StreamConfig{
		{Name: "old", Subjects: []string{"updates", "other"}, MaxBytes: 1000, MaxMsgSize: 500,
			Discard: jetstream.DiscardOld},
		{Name: "aged", Subjects: []string{"aged.*"}, MaxAge: time.Hour, Storage: jetstream.MemoryStorage},
	} {
		if _, err := js.CreateStream(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	u := address(t, JetStream, "", b, "")
	got := mustOpen(t, u).Describe()
	if notes := strings.Join(got.Notes, "\n"); got.AtLeastOnce || got.MaxMessage != 500 ||
		!strings.Contains(notes, "The stream old throws its oldest messages away") ||
		!strings.Contains(notes, "keeps messages after") {
		t.Errorf("the stream that drops is described as %+v", got)
	}
	u.Path = "aged.x"
	if got := mustOpen(t, u).Describe(); got.AtLeastOnce ||
		!strings.Contains(strings.Join(got.Notes, "\n"), "away after 1h0m0s") {
		t.Errorf("the stream that forgets is described as %+v", got)
	}
	u.RawQuery = "stream=old"
	_, err := open(t, u)
	mustBe(t, err, topic.CauseNotFound, true)
	u.Path, u.RawQuery = "new", ""
	if got := mustOpen(t, u).Describe(); !got.AtLeastOnce || !got.Durable || len(got.Notes) > 0 {
		t.Errorf("a stream of our own is described as %+v", got)
	}
	_, err = open(t, address(t, JetStream, "", run(t, &server.Options{}), ""))
	mustBe(t, err, topic.CauseUnsupported, true)
}
