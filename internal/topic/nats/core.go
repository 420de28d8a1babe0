package nats

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// What a subscription of core NATS holds in memory at most.
const (
	maxWaiting      = 1 << 20
	maxWaitingBytes = 256 << 20
	// handover is how many messages the library may be ahead of the goroutine that stamps them,
	// which does nothing else.
	handover = 1 << 16
)

// coreSubscription receives from core NATS.
type coreSubscription struct {
	topic   *natsTopic
	options topic.SubscribeOptions
	queue   *queue
	link    *link[*coreSession]
	closing chan struct{}
	once    sync.Once
	dropped atomic.Int64 // by the library, of sessions that ended
	broker  string       // the process that it is connected to; of the link's turn
}

// coreSession is one connection of a subscription.
type coreSession struct {
	*connection
	sub     *nats.Subscription
	in      chan *nats.Msg // handed over by the library
	owner   *coreSubscription
	stamper sync.WaitGroup
}

func (t *natsTopic) subscribeCore(ctx context.Context, o topic.SubscribeOptions) (topic.Subscription, error) {
	s := &coreSubscription{
		topic: t, options: o, queue: newQueue(maxWaiting, maxWaitingBytes), closing: make(chan struct{}),
	}
	s.link = newLink(s.connect)
	_, err := s.link.get(ctx)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// connect connects and subscribes, and returns when the broker knows.
func (s *coreSubscription) connect(ctx context.Context) (*coreSession, error) {
	conn, err := s.topic.dialer.dial(ctx)
	if err != nil {
		return nil, err
	}
	s.broker = conn.tell(&s.options, s.broker)
	session := &coreSession{connection: conn, owner: s, in: make(chan *nats.Msg, handover)}
	session.sub, err = conn.ChanQueueSubscribe(s.topic.settings.subject, s.options.Name, session.in)
	if err == nil {
		within, cancel := context.WithTimeout(ctx, s.topic.dialer.timeout)
		defer cancel()
		err = conn.FlushWithContext(within)
	}
	if last := conn.LastError(); err == nil && errors.Is(last, nats.ErrPermissionViolation) {
		err = last
	}
	if err != nil {
		conn.close()
		return nil, explain(ctx, "subscribing", err)
	}
	session.stamper.Go(func() { session.stamp(session.in) })
	return session, nil
}

// stamp notes when each message was handed over, until the connection ends.
func (c *coreSession) stamp(in <-chan *nats.Msg) {
	for {
		select {
		case m := <-in:
			c.owner.queue.put(arrival{payload: m.Data, at: time.Now()})
			continue
		case <-c.lost:
		}
		for {
			select {
			case m := <-in:
				c.owner.queue.put(arrival{payload: m.Data, at: time.Now()})
			default:
				c.owner.queue.fail(c.gone(": messages published before it is restored are lost for this subscription"))
				return
			}
		}
	}
}

// close ends the connection, and the goroutine with it.
func (c *coreSession) close() {
	if n, err := c.sub.Dropped(); err == nil {
		c.owner.dropped.Add(int64(n))
	}
	c.connection.close()
	c.stamper.Wait()
}

// Receive waits for a message and takes those that are there.
func (s *coreSubscription) Receive(ctx context.Context) (topic.Received, error) {
	began := time.Now()
	for {
		select {
		case <-s.closing:
			return topic.Received{}, topic.Closed()
		default:
		}
		taken, err := s.queue.take(s.options.Batch)
		if err != nil {
			return topic.Received{}, err
		}
		if len(taken) > 0 {
			return received(began, taken), nil
		}
		session, err := s.link.get(ctx)
		if err != nil {
			return topic.Received{}, err
		}
		select {
		case <-s.queue.ready:
		case <-session.lost:
			session.stamper.Wait() // then the queue has all of it, and the reason
		case <-s.closing:
		case <-ctx.Done():
			return topic.Received{}, ctx.Err()
		}
	}
}

// received words what was taken. A listener that finds a message waiting has not waited itself.
func received(began time.Time, taken []arrival) topic.Received {
	r := topic.Received{Messages: make([]topic.Message, len(taken)), Began: began, Ended: taken[len(taken)-1].at}
	if r.Ended.Before(r.Began) {
		r.Began = r.Ended
	}
	for i, a := range taken {
		r.Messages[i] = topic.Message{Payload: a.payload, Arrived: a.at}
	}
	return r
}

// Ack has nothing to do: the broker has forgotten the messages.
func (*coreSubscription) Ack(ctx context.Context, _ []topic.Message) error { return ctx.Err() }

// Backlog is what waits in the client after a round trip to the broker, whose answer comes behind
// all that it had for this connection. When it does not come, nobody knows what is on its way.
func (s *coreSubscription) Backlog(ctx context.Context) (topic.Backlog, error) {
	var session *coreSession
	s.link.peek(func(c *coreSession) { session = c })
	err := s.arrived(ctx, session)
	l := topic.Backlog{Messages: -1, Dropped: s.dropped.Load()}
	ahead := 0 // counted before the queue: a message on its way to it rather counts twice than not at all
	if session != nil {
		ahead = len(session.in)
		if n, dropErr := session.sub.Dropped(); dropErr == nil {
			l.Dropped += int64(n)
		}
	}
	waiting, dropped := s.queue.count()
	l.Dropped += dropped
	if err == nil {
		l.Messages = waiting + int64(ahead)
	}
	return l, err
}

// arrived waits until all that the broker had for a connection has come.
func (s *coreSubscription) arrived(ctx context.Context, session *coreSession) error {
	if session == nil || session.dead() {
		return topic.Fail(topic.CauseClosed, false, "reading the backlog: there is no connection to the broker")
	}
	within, cancel := context.WithTimeout(ctx, s.topic.dialer.timeout)
	defer cancel()
	if err := session.FlushWithContext(within); err != nil {
		return explain(ctx, "reading the backlog", err)
	}
	return nil
}

// Close ends the subscription: the broker knows it no longer.
func (s *coreSubscription) Close() error {
	s.once.Do(func() { close(s.closing) })
	s.link.close()
	return nil
}
