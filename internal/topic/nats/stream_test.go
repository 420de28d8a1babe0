package nats

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/topic/topictest"
)

// A deleted consumer is reported and made again.
func TestDeletedConsumerIsMadeAgain(t *testing.T) {
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

// A full stream refuses publishing, loses nothing, and accepts messages again after acknowledgements.
func TestFullStreamRefusesPublish(t *testing.T) {
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

// The error of a full stream names the limit that was reached and says what to do.
func TestFullStreamNamesItsLimit(t *testing.T) {
	b := run(t, &server.Options{JetStream: true})
	js := manager(t, b)
	const purge, slower = "purge it, raise ", "lower --rate, raise --listeners, or raise "
	for _, c := range []struct {
		config jetstream.StreamConfig
		want   []string
	}{
		{jetstream.StreamConfig{MaxMsgs: 2}, []string{"(max_msgs=2, discard=new)", purge + "max_msgs"}},
		{jetstream.StreamConfig{MaxBytes: 100}, []string{"(max_bytes=100, discard=new)", purge + "max_bytes"}},
		{jetstream.StreamConfig{MaxMsgs: 100, MaxMsgsPerSubject: 1, DiscardNewPerSubject: true},
			[]string{"(max_msgs_per_subject=1, discard=new)", purge + "max_msgs_per_subject"}},
		{jetstream.StreamConfig{MaxMsgs: 2, Retention: jetstream.WorkQueuePolicy},
			[]string{"(max_msgs=2, discard=new)", slower + "max_msgs"}},
	} {
		c.config.Name, c.config.Subjects, c.config.Discard = "updates", []string{"updates"}, jetstream.DiscardNew
		c.config.Storage = jetstream.MemoryStorage
		if _, err := js.CreateStream(t.Context(), c.config); err != nil {
			t.Fatal(err)
		}
		pub, err := mustOpen(t, address(t, JetStream, "", b, "")).Publisher(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			if err = pub.Publish(t.Context(), []byte("message")); err != nil {
				break
			}
		}
		mustBe(t, err, topic.CauseFull, false)
		for _, want := range append(c.want, "the stream updates is full") {
			if err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: %q is not in the error %q", c.config, want, err)
			}
		}
		_ = pub.Close()
		if err := js.DeleteStream(t.Context(), "updates"); err != nil {
			t.Fatal(err)
		}
	}
}

// A broker without room for a stream that has limits of its own refuses messages, and that is no fault of the client.
func TestFullBrokerRefusesPublish(t *testing.T) {
	b := run(t, &server.Options{JetStream: true, JetStreamMaxMemory: 100_000})
	js := manager(t, b)
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{
		Name: "updates", Subjects: []string{"updates"}, Storage: jetstream.MemoryStorage, Discard: jetstream.DiscardNew,
	}); err != nil {
		t.Fatal(err)
	}
	pub, err := mustOpen(t, address(t, JetStream, "", b, "")).Publisher(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer pub.Close()
	for range 20 {
		if err = pub.Publish(t.Context(), make([]byte, 10_000)); err != nil {
			break
		}
	}
	mustBe(t, err, topic.CauseFull, false)
	if err != nil && !strings.Contains(err.Error(), "the broker has no space left (") {
		t.Error(err)
	}
}

// Close returns messages that were delivered to a listener which had given up.
func TestCloseReturnsMessages(t *testing.T) {
	b := run(t, &server.Options{JetStream: true})
	u := address(t, JetStream, "", b, "ack_wait=1h")
	p := newPair(t, u, topic.SubscribeOptions{Name: "server", Batch: 10})
	s := p.sub.(*streamSubscription)
	session, err := s.link.get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lane := <-session.pulls
	if err := lane.request(session, 10, time.Minute); err != nil {
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

// Describe reports the limits of an existing stream.
func TestExistingStreams(t *testing.T) {
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
		!strings.Contains(notes, "The stream old discards its oldest messages") ||
		!strings.Contains(notes, "keeps acknowledged messages") {
		t.Errorf("the stream that drops is described as %+v", got)
	}
	u.Path = "aged.x"
	if got := mustOpen(t, u).Describe(); got.AtLeastOnce ||
		!strings.Contains(strings.Join(got.Notes, "\n"), "discards messages after 1h0m0s") {
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
