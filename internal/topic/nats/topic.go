package nats

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// library is the client's import path.
const library = "github.com/nats-io/nats.go"

// defaultTimeout bounds a request when the configuration does not.
const defaultTimeout = 10 * time.Second

// natsTopic is an opened topic.
type natsTopic struct {
	settings   settings
	dialer     *dialer
	maxPayload int64
	stream     jetstream.StreamConfig // of JetStream alone
	held       uint64                 // messages that the stream had when the topic was opened
}

// Open connects once, to learn the broker's limits and, for JetStream, to find or make the
// stream.
func Open(ctx context.Context, c topic.Config) (topic.Topic, error) {
	s, err := parse(c.URL)
	if err != nil {
		return nil, topic.Fail(topic.CauseUsage, true, "%w", err)
	}
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	d, err := newDialer(s, c.Timeout)
	if err != nil {
		return nil, topic.Fail(topic.CauseUsage, true, "%w", err)
	}
	t := &natsTopic{settings: s, dialer: d}
	conn, err := d.dial(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.close()
	t.maxPayload = conn.MaxPayload()
	if !s.streams {
		return t, nil
	}
	info, err := t.findStream(ctx, conn)
	if err != nil {
		return nil, err
	}
	t.stream, t.held = info.Config, info.State.Msgs
	t.settings.stream = t.stream.Name
	return t, nil
}

// Describe tells what the transport is and can.
func (t *natsTopic) Describe() topic.Description {
	d := topic.Description{
		Transport: t.settings.transport(), Metrics: "Nats", Client: library, Endpoint: t.settings.host,
		MaxMessage: int(t.maxPayload),
	}
	if t.settings.streams {
		t.describeStream(&d)
		return d
	}
	d.Acknowledged = "the broker has queued the message for all connected subscribers; nothing is stored"
	d.Notes = []string{
		"Core NATS delivers at most once: a subscriber loses messages that it cannot keep up with or that are published " +
			"while it is disconnected, and only losses in its own client are counted.",
		"The broker pushes messages: a receive call only measures how long a listener waits. There are no " +
			"acknowledgements, so their time is 0.",
	}
	return d
}

func (t *natsTopic) describeStream(d *topic.Description) {
	d.AtLeastOnce, d.Durable, d.Metrics = true, true, "NatsJetStream"
	d.BrokerTime = "when JetStream stored the message"
	d.Acknowledged = "the stream has stored the message"
	if size := int64(t.stream.MaxMsgSize); size > 0 && size < t.maxPayload {
		d.MaxMessage = int(size)
	}
	note := func(format string, args ...any) { d.Notes = append(d.Notes, fmt.Sprintf(format, args...)) }
	if t.stream.Storage == jetstream.MemoryStorage {
		d.Acknowledged += " in memory"
		note("The stream %s is kept in the broker's memory and is lost when the broker stops.", t.stream.Name)
	}
	if t.discards() {
		d.AtLeastOnce = false
		note("The stream %s discards its oldest messages when it is full, acknowledged or not.",
			t.stream.Name)
	}
	if t.stream.MaxAge > 0 {
		d.AtLeastOnce = false
		note("The stream %s discards messages after %s, acknowledged or not.",
			t.stream.Name, t.stream.MaxAge)
	}
	if t.settings.blind {
		d.AtLeastOnce = false
		d.Acknowledged = "the broker has read the message; whether the stream stored it is unknown (acks=0)"
		note("With acks=0, a message that the stream %s rejects is lost without an error.", t.stream.Name)
	}
	if t.stream.Retention == jetstream.LimitsPolicy {
		note("The stream %s keeps acknowledged messages, so it fills up.", t.stream.Name)
	}
}

// discards reports whether the stream throws messages away for new ones.
func (t *natsTopic) discards() bool {
	limited := t.stream.MaxBytes > 0 || t.stream.MaxMsgs > 0 || t.stream.MaxMsgsPerSubject > 0
	return t.stream.Discard == jetstream.DiscardOld && limited || t.stream.MaxMsgsPerSubject > 0
}

// Publisher makes a publisher with a connection of its own. What somebody else has put into the stream
// must not be pushed out of it.
func (t *natsTopic) Publisher(ctx context.Context) (topic.Publisher, error) {
	if t.discards() && t.held > 0 && !t.settings.discard {
		return nil, topic.Fail(topic.CauseUnsupported, true,
			"the stream %s contains %d messages and discards its oldest when it is full: use another stream, or add "+
				"discard=old to the URL if they may be discarded", t.stream.Name, t.held)
	}
	if t.settings.streams && !t.settings.blind {
		p := &streamPublisher{topic: t}
		p.link = newLink(p.connect)
		if _, err := p.link.get(ctx); err != nil {
			return nil, err
		}
		return p, nil
	}
	p := &corePublisher{topic: t}
	p.link = newLink(t.dialer.dial)
	if _, err := p.link.get(ctx); err != nil {
		return nil, err
	}
	return p, nil
}

// Subscribe makes a subscription, or takes up the one that is there.
func (t *natsTopic) Subscribe(ctx context.Context, o topic.SubscribeOptions) (topic.Subscription, error) {
	o.Listeners, o.Batch = max(1, o.Listeners), max(1, o.Batch)
	if !topic.ValidName(o.Name) {
		return nil, topic.Fail(topic.CauseUsage, true,
			"%q is not a valid subscription name: use letters, digits, '-' and '_'", o.Name)
	}
	if t.settings.streams {
		return t.subscribeStream(ctx, o)
	}
	return t.subscribeCore(ctx, o)
}

// Close has nothing to end: the connections are those of publishers and subscriptions.
func (*natsTopic) Close() error { return nil }
