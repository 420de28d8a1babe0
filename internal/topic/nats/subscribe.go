package nats

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// keepIdle is how long JetStream keeps an ephemeral subscription that nobody receives for, such as
// one whose server was killed.
const keepIdle = 5 * time.Minute

// streamSubscription receives from a stream, by a pull consumer.
type streamSubscription struct {
	topic   *natsTopic
	options topic.SubscribeOptions
	link    *link[*streamSession]
	made    atomic.Bool // the consumer was made here
	known   known       // of the link's turn
	closing chan struct{}
	once    sync.Once
}

// known is what the last connection found.
type known struct {
	broker           string // its process
	stream, consumer time.Time
}

// streamSession is one connection of a subscription.
type streamSession struct {
	*streamConnection
	next  string     // where to ask for messages
	pulls chan *pull // those that no Receive uses
	acks  chan *acks // those that no Ack uses

	all       []*pull
	before    uint64        // deliveries of the consumer, when this connection was made
	received  atomic.Uint64 // by this connection
	elsewhere atomic.Uint64 // deliveries to somebody else, by the last answer
}

func (t *natsTopic) subscribeStream(ctx context.Context, o topic.SubscribeOptions) (topic.Subscription, error) {
	s := &streamSubscription{topic: t, options: o, closing: make(chan struct{})}
	s.link = newLink(s.connect)
	if _, err := s.link.get(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// connect connects, and makes sure that the stream and the consumer are there.
func (s *streamSubscription) connect(ctx context.Context) (*streamSession, error) {
	conn, err := s.topic.dialer.dial(ctx)
	if err != nil {
		return nil, err
	}
	session, err := s.prepare(ctx, conn)
	if err != nil {
		conn.close()
		return nil, err
	}
	return session, nil
}

func (s *streamSubscription) prepare(ctx context.Context, conn *connection) (*streamSession, error) {
	stream, err := s.topic.findStream(ctx, conn)
	if err != nil {
		return nil, err
	}
	if stream.Config.Retention == jetstream.WorkQueuePolicy { // others' messages, too, would be gone for everybody
		return nil, topic.Fail(topic.CauseUnsupported, true,
			"the stream %s is a work queue, which deletes a message once one subscription has received it: use another subject",
			stream.Config.Name)
	}
	doing := "the consumer " + s.options.Name
	js, err := jetstream.New(conn.Conn, jetstream.WithDefaultTimeout(s.topic.dialer.timeout))
	if err != nil {
		return nil, explain(ctx, doing, err)
	}
	consumer, err := s.findConsumer(ctx, js)
	if err != nil {
		return nil, explain(ctx, doing, err)
	}
	s.compare(conn, stream.Created, consumer)
	session := &streamSession{
		streamConnection: &streamConnection{connection: conn, js: js},
		next:             "$JS.API.CONSUMER.MSG.NEXT." + s.topic.settings.stream + "." + s.options.Name,
		pulls:            make(chan *pull, s.options.Listeners), acks: make(chan *acks, s.options.Listeners),
		before: consumer.Delivered.Consumer,
	}
	for range s.options.Listeners {
		p, err := newPull(conn, s.options.Batch)
		if err != nil {
			return nil, explain(ctx, doing, err)
		}
		a, err := newAcks(conn)
		if err != nil {
			return nil, explain(ctx, doing, err)
		}
		session.pulls <- p
		session.all = append(session.all, p)
		session.acks <- a
	}
	return session, nil
}

// findConsumer finds the consumer, or makes it.
func (s *streamSubscription) findConsumer(ctx context.Context, js jetstream.JetStream) (*jetstream.ConsumerInfo,
	error) {
	stream, name := s.topic.settings.stream, s.options.Name
	found, err := js.Consumer(ctx, stream, name)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		if found, err = js.CreateConsumer(ctx, stream, s.consumer()); err == nil {
			s.made.Store(true)
		}
	}
	if err != nil {
		return nil, err
	}
	config := found.CachedInfo().Config
	if config.AckPolicy != jetstream.AckExplicitPolicy || config.DeliverSubject != "" {
		return nil, topic.Fail(topic.CauseUnsupported, true, "the consumer %s exists and is not a pull consumer with "+
			"explicit acknowledgement: use another name", name)
	}
	return found.CachedInfo(), nil
}

// compare tells of what is not what the last connection found.
func (s *streamSubscription) compare(conn *connection, stream time.Time, consumer *jetstream.ConsumerInfo) {
	last := s.known
	s.known = known{broker: conn.tell(&s.options, last.broker), stream: stream, consumer: consumer.Created}
	switch {
	case last.broker == "":
	case !last.stream.Equal(stream):
		s.options.Report(topic.EventRemade, "the stream %s was recreated, and with it the consumer %s: their previous "+
			"messages are gone", s.topic.settings.stream, s.options.Name)
	case !last.consumer.Equal(consumer.Created):
		s.options.Report(topic.EventRemade, "the consumer %s was deleted and recreated: it misses the messages published "+
			"in between", s.options.Name)
	}
}

// consumer is that of this subscription.
func (s *streamSubscription) consumer() jetstream.ConsumerConfig {
	c := jetstream.ConsumerConfig{
		Name: s.options.Name, FilterSubject: s.topic.settings.subject,
		DeliverPolicy: jetstream.DeliverNewPolicy, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: s.topic.settings.ackWait, MaxDeliver: -1,
		// A limit would stop everything for as long as so many are not acknowledged.
		MaxAckPending: -1, MaxWaiting: max(512, 2*s.options.Listeners),
	}
	if s.options.Ephemeral {
		c.InactiveThreshold = keepIdle
	} else {
		c.Durable = s.options.Name
	}
	return c
}

// Backlog asks the broker.
func (s *streamSubscription) Backlog(ctx context.Context) (topic.Backlog, error) {
	session, err := s.link.get(ctx)
	if err != nil {
		return topic.Backlog{}, err
	}
	consumer, err := session.js.Consumer(ctx, s.topic.settings.stream, s.options.Name)
	if err != nil {
		return topic.Backlog{}, explain(ctx, "the consumer "+s.options.Name, err)
	}
	info := consumer.CachedInfo()
	session.others(&s.options, info.Delivered.Consumer)
	return topic.Backlog{Messages: int64(info.NumPending), Unacked: int64(info.NumAckPending)}, nil
}

// others tells of deliveries of the consumer that did not come here. Two answers in a row have to say so: a message may
// be on its way from the library to its receiver.
func (s *streamSession) others(o *topic.SubscribeOptions, delivered uint64) {
	here := s.before + s.received.Load()
	for _, p := range s.all {
		here += uint64(len(p.in))
	}
	now := max(here, delivered) - here
	if last := s.elsewhere.Swap(now); min(last, now) > 0 {
		o.Report(topic.EventShared, "the broker delivered messages of the consumer %s to another subscriber: %d",
			o.Name, min(last, now))
	}
}

// Close ends the subscription's connection. What it was sent and nobody received it gives back,
// so that the next one need not wait for it.
func (s *streamSubscription) Close() error {
	s.once.Do(func() { close(s.closing) })
	ctx, cancel := context.WithTimeout(context.Background(), s.topic.dialer.timeout)
	defer cancel()
	var err error
	s.link.peek(func(session *streamSession) {
		if session.dead() {
			return
		}
		session.giveBack(ctx)
		if s.options.Ephemeral && s.made.Load() {
			err = session.js.DeleteConsumer(ctx, s.topic.settings.stream, s.options.Name)
		}
	})
	s.link.close()
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return explain(ctx, "deleting the consumer "+s.options.Name, err)
	}
	return nil
}

// giveBack ends the requests that wait at the broker, and returns the messages that came.
func (s *streamSession) giveBack(ctx context.Context) {
	var idle []*pull
	for range cap(s.pulls) {
		select {
		case p := <-s.pulls: // a Receive that waits returns it, because the subscription is closing
			_ = p.sub.Unsubscribe() // the broker ends requests that nobody listens for
			idle = append(idle, p)
		case <-ctx.Done():
			return
		}
	}
	if s.FlushWithContext(ctx) != nil { // the broker sends nothing more when it has answered
		return
	}
	for _, p := range idle {
		for len(p.in) > 0 {
			if m := <-p.in; status(m) == "" {
				_ = s.Publish(m.Reply, []byte("-NAK"))
			}
		}
	}
	_ = s.FlushWithContext(ctx)
}

// status is the status of a message of the broker's own, or "".
func status(m *nats.Msg) string {
	if len(m.Header) == 0 || len(m.Data) > 0 {
		return ""
	}
	return m.Header.Get("Status")
}
