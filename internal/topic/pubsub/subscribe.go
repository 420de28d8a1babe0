package pubsub

import (
	"context"
	"fmt"
	"sync"
	"time"

	pubsub "cloud.google.com/go/pubsub/v2/apiv1"
	pb "cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/topic"
)

// How much is on its way to the listeners at most.
const (
	outstanding      = 1000     // messages of a stream that are not acknowledged
	outstandingBytes = 64 << 20 // their bytes
	waiting          = 1000     // messages that no listener has taken
)

// ackTogether is how many messages are acknowledged in one request: Pub/Sub takes 512 KiB, and an
// identifier has some 200 bytes.
const ackTogether = 1000

// keepIdle is how long Pub/Sub keeps an ephemeral subscription that nobody receives for, at least:
// less than a day it does not take.
const keepIdle = 24 * time.Hour

// subscription receives for a server.
type subscription struct {
	topic   *pubsubTopic
	options topic.SubscribeOptions
	client  *pubsub.SubscriptionAdminClient
	name    string
	made    bool // it was made here

	in      chan topic.Message
	broken  chan error // why a stream broke, until somebody was told
	closing chan struct{}
	streams sync.WaitGroup
	once    sync.Once
	closed  error // what the first Close said

	mu   sync.Mutex
	late []string // the handles of what came when it was closed
}

// Subscribe finds the subscription of a server, or makes it.
func (t *pubsubTopic) Subscribe(ctx context.Context, o topic.SubscribeOptions) (topic.Subscription, error) {
	if !topic.ValidName(o.Name) {
		return nil, topic.Fail(topic.CauseUsage, true,
			"%q is not a valid subscription name: use letters, digits, '-' and '_'", o.Name)
	}
	o.Listeners, o.Batch = max(1, o.Listeners), max(1, o.Batch)
	name, err := t.settings.subscriptionName(o.Name)
	if err != nil {
		return nil, topic.Fail(topic.CauseUsage, true, "%w", err)
	}
	doing := "the subscription " + name
	client, err := pubsub.NewSubscriptionAdminClient(ctx, t.options()...)
	if err != nil {
		return nil, explain(ctx, doing, err)
	}
	s := &subscription{
		topic: t, options: o, client: client, name: name, in: make(chan topic.Message, waiting),
		broken: make(chan error, 1), closing: make(chan struct{}),
	}
	within, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	if err := s.findSubscription(within); err != nil {
		_ = client.Close()
		return nil, explain(ctx, doing, err)
	}
	streams := t.settings.streams
	if streams == 0 {
		streams = min(o.Listeners, maxStreams)
	}
	for range streams {
		s.streams.Go(s.stream)
	}
	return s, nil
}

// findSubscription finds the subscription, or makes it.
func (s *subscription) findSubscription(ctx context.Context) error {
	for range 2 { // another may make it in between
		found, err := s.client.GetSubscription(ctx, &pb.GetSubscriptionRequest{Subscription: s.name}, once())
		switch {
		case err == nil:
			return s.checkSubscription(found)
		case status.Code(err) != codes.NotFound || !s.topic.settings.create:
			return err
		}
		wanted := &pb.Subscription{
			Name: s.name, Topic: s.topic.settings.topicName(),
			AckDeadlineSeconds: int32(s.topic.settings.deadline / time.Second),
		}
		if s.options.Ephemeral {
			wanted.ExpirationPolicy = &pb.ExpirationPolicy{Ttl: durationpb.New(keepIdle)}
			wanted.MessageRetentionDuration = durationpb.New(time.Hour)
		}
		_, err = s.client.CreateSubscription(ctx, wanted, once())
		if err == nil {
			s.made = true
			return nil
		}
		if status.Code(err) != codes.AlreadyExists {
			return err
		}
	}
	return topic.Fail(topic.CauseUnavailable, false, "it is repeatedly created and deleted by something else")
}

// checkSubscription refuses a subscription that was there, and does not bring all messages of the topic here.
func (s *subscription) checkSubscription(found *pb.Subscription) error {
	switch {
	case found.GetTopic() != s.topic.settings.topicName():
		return topic.Fail(topic.CauseUsage, true, "it belongs to another topic, %s: delete it, or use another name",
			found.GetTopic())
	case found.GetPushConfig().GetPushEndpoint() != "" || found.GetBigqueryConfig() != nil ||
		found.GetCloudStorageConfig() != nil:
		return topic.Fail(topic.CauseUnsupported, true, "it delivers to another endpoint: use another name")
	case found.GetFilter() != "":
		return topic.Fail(topic.CauseUnsupported, true,
			"it has a filter, which would hold messages back: use another name")
	}
	return nil
}

// Receive waits for a message and takes those that are there.
func (s *subscription) Receive(ctx context.Context) (topic.Received, error) {
	r := topic.Received{Began: time.Now()}
	select {
	case <-s.closing:
		return topic.Received{}, topic.Closed()
	default:
	}
	if err := ctx.Err(); err != nil {
		return topic.Received{}, err
	}
	select {
	case m := <-s.in:
		r.Messages = append(r.Messages, m)
	case err := <-s.broken:
		return topic.Received{}, err
	case <-s.closing:
		return topic.Received{}, topic.Closed()
	case <-ctx.Done():
		return topic.Received{}, ctx.Err()
	}
	for len(r.Messages) < s.options.Batch {
		select {
		case m := <-s.in:
			r.Messages = append(r.Messages, m)
			continue
		default:
		}
		break
	}
	for i := range r.Messages {
		if r.Messages[i].Arrived.After(r.Ended) {
			r.Ended = r.Messages[i].Arrived
		}
	}
	if r.Ended.Before(r.Began) { // a listener that finds messages waiting has not waited itself
		r.Began = r.Ended
	}
	return r, nil
}

// Ack has messages acknowledged, and returns with the answer.
func (s *subscription) Ack(ctx context.Context, messages []topic.Message) error {
	const doing = "acknowledging"
	ids := make([]string, len(messages))
	for i, m := range messages {
		id, ok := m.Handle.(string)
		if !ok || id == "" {
			return topic.Fail(topic.CauseProtocol, true, "%s: the message was not received by this subscription", doing)
		}
		ids[i] = id
	}
	for len(ids) > 0 {
		n := min(ackTogether, len(ids))
		within, cancel := context.WithTimeout(ctx, s.topic.timeout)
		err := s.client.Acknowledge(within, &pb.AcknowledgeRequest{Subscription: s.name, AckIds: ids[:n]})
		cancel()
		if err != nil {
			return explain(ctx, doing, err)
		}
		ids = ids[n:]
	}
	return nil
}

// Backlog is not known to the service's own interface.
func (s *subscription) Backlog(ctx context.Context) (topic.Backlog, error) {
	return topic.Backlog{Messages: -1, Unacked: -1}, ctx.Err()
}

// Close ends the streams, and gives back what no listener has taken, so that the next one need
// not wait for it. An ephemeral subscription that was made here is deleted.
func (s *subscription) Close() error {
	s.once.Do(func() {
		close(s.closing)
		s.streams.Wait()
		asked := context.Background() // nobody's context ends it
		ctx, cancel := context.WithTimeout(asked, s.topic.timeout)
		defer cancel()
		if s.options.Ephemeral && s.made {
			err := s.client.DeleteSubscription(ctx, &pb.DeleteSubscriptionRequest{Subscription: s.name})
			if err != nil && status.Code(err) != codes.NotFound {
				s.closed = explain(asked, "deleting the subscription "+s.name, err)
			}
		} else if left, err := s.giveBack(ctx); err != nil {
			s.closed = explain(asked, fmt.Sprintf("%d unreceived messages will be redelivered only after %v: "+
				"returning them", left, s.topic.settings.deadline), err)
		}
		if err := s.client.Close(); err != nil && s.closed == nil {
			s.closed = explain(asked, "closing the connection", err)
		}
	})
	return s.closed
}

// giveBack has the messages that nobody has taken delivered again at once. It tells how many are not.
func (s *subscription) giveBack(ctx context.Context) (left int, err error) {
	ids := s.late // the streams have ended: nothing is added
	for {
		select {
		case m := <-s.in:
			ids = append(ids, m.Handle.(string))
			continue
		default:
		}
		break
	}
	for len(ids) > 0 {
		n := min(ackTogether, len(ids))
		if err := s.release(ctx, ids[:n]); err != nil {
			return len(ids), err
		}
		ids = ids[n:]
	}
	return 0, nil
}

// release gives back messages. It tries again: what is not given back is nobody's for minutes.
func (s *subscription) release(ctx context.Context, ids []string) error {
	const tries = 3
	pauses := backoff.Between{First: firstPause, Last: lastPause}
	for try := 1; ; try++ {
		err := s.client.ModifyAckDeadline(ctx, &pb.ModifyAckDeadlineRequest{Subscription: s.name, AckIds: ids}, once())
		if err == nil {
			return nil
		}
		if _, final := causeOf(err); final || try == tries || !pauses.Wait(ctx, try-1) {
			return err
		}
	}
}
