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
	d.Acknowledged = "the broker has put the message into the queues of all connected " +
		"subscribers; it has stored nothing"
	d.Notes = []string{
		"Core NATS delivers at most once: what a subscriber cannot take, or misses while it is away, is lost, and " +
			"only its own client's losses are counted.",
		"Messages are sent without being asked for, so a receive call is only the wait of a listener; there is " +
			"nothing to acknowledge, and that time is 0.",
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
		note("The stream %s is in the broker's memory, and is lost with the broker.", t.stream.Name)
	}
	if t.discards() {
		d.AtLeastOnce = false
		note("The stream %s throws its oldest messages away when it is full, whether they were acknowledged or not.",
			t.stream.Name)
	}
	if t.stream.MaxAge > 0 {
		d.AtLeastOnce = false
		note("The stream %s throws messages away after %s, whether they were acknowledged or not.",
			t.stream.Name, t.stream.MaxAge)
	}
	if t.settings.blind {
		d.AtLeastOnce = false
		d.Acknowledged = "the broker has read the message (acks=0); whether the stream stored it, nobody says"
		note("With acks=0 a message that the stream %s refuses is lost without an error.", t.stream.Name)
	}
	if t.stream.Retention == jetstream.LimitsPolicy {
		note("The stream %s keeps messages after they were acknowledged, and so fills up.", t.stream.Name)
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
			"the stream %s holds %d messages, and throws its oldest away when it is full: "+
				"take another, or say discard=old in the URL if they may go", t.stream.Name, t.held)
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
			"%q cannot be the name of a subscription: it has letters, digits, '-' and '_'", o.Name)
	}
	if t.settings.streams {
		return t.subscribeStream(ctx, o)
	}
	return t.subscribeCore(ctx, o)
}

// Close has nothing to end: the connections are those of publishers and subscriptions.
func (*natsTopic) Close() error { return nil }
