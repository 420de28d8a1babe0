package sqs

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/topic"
)

// subscription receives from a queue.
type subscription struct {
	*setup
	http    *http.Client
	options topic.SubscribeOptions
	timeout time.Duration
	pauses  backoff.Between // before the entries of a request that failed are tried again

	closing chan struct{}
	once    sync.Once
	closed  error // what the first Close said
}

func newSubscription(s *setup, client *http.Client, o topic.SubscribeOptions) *subscription {
	return &subscription{
		setup: s, http: client, options: o, timeout: s.topic.timeout,
		pauses:  backoff.Between{First: 50 * time.Millisecond, Last: time.Second},
		closing: make(chan struct{}),
	}
}

// Receive polls until there is a message.
func (s *subscription) Receive(ctx context.Context) (topic.Received, error) {
	r := topic.Received{Began: time.Now()}
	for {
		out, err := s.poll(ctx)
		if err != nil {
			return topic.Received{}, err
		}
		r.Ended = time.Now()
		if len(out.Messages) == 0 {
			continue // the long poll has ended
		}
		r.Messages = make([]topic.Message, len(out.Messages))
		for i := range out.Messages {
			r.Messages[i] = s.message(&out.Messages[i])
		}
		return r, nil
	}
}

// poll is one request for messages. It ends when the subscription is closed.
func (s *subscription) poll(ctx context.Context) (*sqs.ReceiveMessageOutput, error) {
	wait := s.topic.settings.wait
	within, cancel := context.WithTimeout(ctx, wait+s.timeout)
	defer cancel()
	stop := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-s.closing:
			cancel()
		case <-stop:
		}
	})
	out, err := s.sqs.ReceiveMessage(within, &sqs.ReceiveMessageInput{
		QueueUrl:            &s.queueURL,
		MaxNumberOfMessages: int32(s.options.Batch),
		WaitTimeSeconds:     int32(wait / time.Second),
		VisibilityTimeout:   int32(s.topic.settings.visibility / time.Second),
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{
			types.MessageSystemAttributeNameSentTimestamp, types.MessageSystemAttributeNameApproximateReceiveCount,
		},
	}, func(o *sqs.Options) { o.Retryer = aws.NopRetryer{} })
	close(stop)
	watch.Wait()
	if err == nil {
		return out, nil
	}
	select {
	case <-s.closing:
		return nil, topic.Closed()
	default:
		return nil, explain(ctx, "receiving", err)
	}
}

// message is a message for those who take it.
func (s *subscription) message(m *types.Message) topic.Message {
	out := topic.Message{Payload: decode(aws.ToString(m.Body)), Handle: aws.ToString(m.ReceiptHandle), Others: !s.made}
	if ms, err := strconv.ParseInt(m.Attributes["SentTimestamp"], 10, 64); err == nil {
		out.BrokerTime = time.UnixMilli(ms)
	}
	times, err := strconv.Atoi(m.Attributes["ApproximateReceiveCount"])
	out.Redelivered = err == nil && times > 1
	return out
}

// ackTries is how often an entry is sent at most.
const ackTries = 4

// Ack deletes messages. Those that SQS could not delete, though nothing is wrong with them, are
// tried again.
func (s *subscription) Ack(ctx context.Context, messages []topic.Message) error {
	for len(messages) > 0 {
		n := min(maxBatch, len(messages))
		if err := s.ack(ctx, messages[:n]); err != nil {
			return err
		}
		messages = messages[n:]
	}
	return nil
}

func (s *subscription) ack(ctx context.Context, messages []topic.Message) error {
	const doing = "acknowledging"
	entries := make([]types.DeleteMessageBatchRequestEntry, len(messages))
	for i, m := range messages {
		handle, ok := m.Handle.(string)
		if !ok || handle == "" {
			return topic.Fail(topic.CauseProtocol, true, "%s: the message was not received by this subscription", doing)
		}
		entries[i] = types.DeleteMessageBatchRequestEntry{Id: aws.String(strconv.Itoa(i)), ReceiptHandle: &handle}
	}
	for try := 1; ; try++ {
		failed, err := s.remove(ctx, entries)
		if err != nil {
			return explain(ctx, doing, err)
		}
		if len(failed) == 0 {
			return nil
		}
		again, first := entries[:0], failed[0]
		for _, f := range failed {
			if f.SenderFault {
				first, try = f, ackTries
			}
			if i, err := strconv.Atoi(aws.ToString(f.Id)); err == nil && i >= 0 && i < len(messages) {
				handle := messages[i].Handle.(string)
				again = append(again, types.DeleteMessageBatchRequestEntry{Id: f.Id, ReceiptHandle: &handle})
			}
		}
		if entries = again; try >= ackTries || len(entries) == 0 {
			return topic.Fail(topic.CauseUnavailable, first.SenderFault,
				"%s: %d of %d messages will be delivered again: %s",
				doing, len(failed), len(messages),
				cause.Line(aws.ToString(first.Code)+": "+aws.ToString(first.Message)))
		}
		if !s.pauses.Wait(ctx, try-1) {
			return ctx.Err()
		}
	}
}

// remove is one request that deletes messages. It returns those that were not.
func (s *subscription) remove(ctx context.Context,
	entries []types.DeleteMessageBatchRequestEntry) ([]types.BatchResultErrorEntry, error) {
	within, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	out, err := s.sqs.DeleteMessageBatch(within, &sqs.DeleteMessageBatchInput{QueueUrl: &s.queueURL, Entries: entries})
	if err != nil {
		return nil, err
	}
	return out.Failed, nil
}

// Backlog asks SQS, whose counts are approximate.
func (s *subscription) Backlog(ctx context.Context) (topic.Backlog, error) {
	const (
		waiting = types.QueueAttributeNameApproximateNumberOfMessages
		unacked = types.QueueAttributeNameApproximateNumberOfMessagesNotVisible
	)
	within, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	out, err := s.sqs.GetQueueAttributes(within, &sqs.GetQueueAttributesInput{
		QueueUrl: &s.queueURL, AttributeNames: []types.QueueAttributeName{waiting, unacked},
	})
	if err != nil {
		return topic.Backlog{}, explain(ctx, "reading the backlog", err)
	}
	number := func(name types.QueueAttributeName) int64 {
		n, err := strconv.ParseInt(out.Attributes[string(name)], 10, 64)
		if err != nil || n < 0 {
			return -1
		}
		return n
	}
	return topic.Backlog{Messages: number(waiting), Unacked: number(unacked)}, nil
}

// Close ends the calls that wait. It removes what an ephemeral subscription made.
func (s *subscription) Close() error {
	s.once.Do(func() {
		close(s.closing)
		if s.options.Ephemeral {
			s.closed = s.undo(context.Background(), s.timeout)
		}
		s.http.CloseIdleConnections()
	})
	return s.closed
}
