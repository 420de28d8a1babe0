package redis

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// forgotten is how long a consumer that has nothing has done nothing when it is removed: it is
// one of a server that is gone.
const forgotten = time.Hour

// consumerPrefix is how the names of our consumers begin.
const consumerPrefix = "plimsoll-"

// subscription receives from the stream, by a consumer group.
type subscription struct {
	topic   *redisTopic
	options topic.SubscribeOptions
	reader  *redis.Client // for commands that wait
	admin   *redis.Client // for all others
	lanes   chan *lane    // those that no Receive uses

	closing chan struct{}
	once    sync.Once
	closed  error
	mu      sync.Mutex // of starting work, against waiting for its end
	work    sync.WaitGroup

	claimAt atomic.Int64 // when to look next for what nobody acknowledged, in ns of began
	began   time.Time
	dropped atomic.Int64
	missing atomic.Bool            // the group was not there at the last attempt
	failing atomic.Bool            // so did the last command that received
	server  atomic.Pointer[string] // the process of the server; "" when it does not tell
	id      string                 // of this subscription, in the names of its consumers
	made    atomic.Bool            // the group was made here
}

// Subscribe makes a subscription, or takes up the one that is there.
func (t *redisTopic) Subscribe(ctx context.Context, o topic.SubscribeOptions) (topic.Subscription, error) {
	o.Listeners, o.Batch = max(1, o.Listeners), max(1, o.Batch)
	if !topic.ValidName(o.Name) {
		return nil, topic.Fail(topic.CauseUsage, true,
			"%q is not a valid subscription name: use letters, digits, '-' and '_'", o.Name)
	}
	s := &subscription{
		topic: t, options: o, closing: make(chan struct{}), began: time.Now(),
		lanes: make(chan *lane, o.Listeners),
	}
	var err error
	if s.reader, err = t.client(); err != nil {
		return nil, topic.Fail(topic.CauseUsage, true, "%w", err)
	}
	if s.admin, err = t.client(); err != nil {
		return nil, topic.Fail(topic.CauseUsage, true, "%w", err)
	}
	if err := s.findGroup(ctx, "$"); err != nil {
		return nil, errors.Join(err, s.reader.Close(), s.admin.Close())
	}
	s.forgetConsumers(ctx, func(c redis.XInfoConsumer) bool { return c.Idle > forgotten })
	s.id = rand.Text()[:10]
	process := s.process(ctx)
	s.server.Store(&process)
	for n := range o.Listeners {
		s.lanes <- &lane{consumer: consumerPrefix + s.id + "-" + strconv.Itoa(n), done: make(chan outcome, 1)}
	}
	return s, nil
}

// findGroup makes the group unless it is there.
func (s *subscription) findGroup(ctx context.Context, from string) error {
	within, cancel := context.WithTimeout(ctx, s.topic.timeout)
	defer cancel()
	err := s.admin.XGroupCreateMkStream(within, s.topic.settings.stream, s.options.Name, from).Err()
	switch {
	case err == nil:
		s.made.Store(true)
		return nil
	case strings.HasPrefix(err.Error(), "BUSYGROUP"):
		return s.checkGroup(within)
	}
	return explain(ctx, "creating the group "+s.options.Name, err)
}

// checkGroup refuses a group that another program receives for: each message that came here would
// be missing there.
func (s *subscription) checkGroup(ctx context.Context) error {
	consumers, err := s.admin.XInfoConsumers(ctx, s.topic.settings.stream, s.options.Name).Result()
	if err != nil {
		return nil // it is not told, or will be when messages are received
	}
	for _, c := range consumers {
		if !strings.HasPrefix(c.Name, consumerPrefix) {
			return topic.Fail(topic.CauseUnsupported, true,
				"the group %s has a consumer of another program, %q, whose messages would be taken: use another name",
				s.options.Name, c.Name)
		}
	}
	return nil
}

// forgetConsumers removes consumers that have no message. One that has must stay: its messages
// would be forgotten with it.
func (s *subscription) forgetConsumers(ctx context.Context, which func(redis.XInfoConsumer) bool) {
	within, cancel := context.WithTimeout(ctx, s.topic.timeout)
	defer cancel()
	stream, group := s.topic.settings.stream, s.options.Name
	consumers, err := s.admin.XInfoConsumers(within, stream, group).Result()
	if err != nil {
		return
	}
	for _, c := range consumers {
		if c.Pending == 0 && strings.HasPrefix(c.Name, consumerPrefix) && which(c) {
			s.admin.XGroupDelConsumer(within, stream, group, c.Name)
		}
	}
}

// Ack acknowledges messages with one command.
func (s *subscription) Ack(ctx context.Context, messages []topic.Message) error {
	if len(messages) == 0 {
		return ctx.Err()
	}
	ids := make([]string, len(messages))
	for i, m := range messages {
		id, ok := m.Handle.(string)
		if !ok || id == "" {
			return topic.Fail(topic.CauseProtocol, true, "acknowledging: the message was not received by this subscription")
		}
		ids[i] = id
	}
	within, cancel := context.WithTimeout(ctx, s.topic.timeout)
	defer cancel()
	if err := s.admin.XAck(within, s.topic.settings.stream, s.options.Name, ids...).Err(); err != nil {
		return explain(ctx, "acknowledging", err)
	}
	return nil
}

// Backlog asks the server, which says how many messages wait from version 7 on, when the group
// has read some and nobody deleted others; else they are counted, if they are few.
func (s *subscription) Backlog(ctx context.Context) (topic.Backlog, error) {
	within, cancel := context.WithTimeout(ctx, s.topic.timeout)
	defer cancel()
	groups, err := s.admin.XInfoGroups(within, s.topic.settings.stream).Result()
	if err != nil {
		return topic.Backlog{}, explain(ctx, "the group "+s.options.Name, err)
	}
	for _, g := range groups {
		if g.Name == s.options.Name {
			s.others(within)
			b := topic.Backlog{Messages: g.Lag, Unacked: g.Pending, Dropped: s.dropped.Load()}
			if g.Lag < 0 || g.EntriesRead <= 0 {
				b.Messages = s.count(within, g.LastDeliveredID)
			}
			return b, nil
		}
	}
	return topic.Backlog{}, topic.Fail(topic.CauseNotFound, false, "the group %s does not exist", s.options.Name)
}

// count is how many messages come after one, or −1 when they are too many to look at.
func (s *subscription) count(ctx context.Context, after string) int64 {
	const many = 100
	messages, err := s.admin.XRangeN(ctx, s.topic.settings.stream, "("+after, "+", many).Result()
	if err != nil || len(messages) == many {
		return -1
	}
	return int64(len(messages))
}

// Close ends what waits, and forgets an ephemeral group that was made here.
func (s *subscription) Close() error {
	s.once.Do(func() {
		s.mu.Lock()
		close(s.closing)
		s.mu.Unlock()
		_ = s.reader.Close() // which ends the commands that wait
		s.work.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), s.topic.timeout)
		defer cancel()
		if s.options.Ephemeral && s.made.Load() {
			s.closed = s.destroyGroup(ctx)
		} else {
			s.forgetLanes(ctx)
		}
		_ = s.admin.Close()
	})
	return s.closed
}

// start starts a goroutine, unless the subscription is closing.
func (s *subscription) start(work func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closing:
	default:
		s.work.Go(work)
	}
}

// destroyGroup removes the group, which may be gone already.
func (s *subscription) destroyGroup(ctx context.Context) error {
	err := s.admin.XGroupDestroy(ctx, s.topic.settings.stream, s.options.Name).Err()
	if err != nil && !strings.Contains(err.Error(), "requires the key to exist") {
		return explain(ctx, "deleting the group "+s.options.Name, err)
	}
	return nil
}

// forgetLanes removes our own consumers.
func (s *subscription) forgetLanes(ctx context.Context) {
	ours := map[string]bool{}
	for range cap(s.lanes) {
		select {
		case l := <-s.lanes: // a Receive that waits returns it, because the subscription is closing
			ours[l.consumer] = true
		case <-ctx.Done():
			return
		}
	}
	s.forgetConsumers(ctx, func(c redis.XInfoConsumer) bool { return ours[c.Name] })
}
