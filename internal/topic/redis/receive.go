package redis

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// lane is a consumer of the group. One Receive uses it at a time.
type lane struct {
	consumer string
	running  bool         // a command is under way, and its outcome will come
	done     chan outcome // has room for it
}

// outcome is what a command brought.
type outcome struct {
	messages []topic.Message
	ended    time.Time
	err      error
}

// Receive waits for messages and takes those that are there. The command runs in a goroutine of
// its own, because the library cannot give one up without breaking the connection off, and with
// it what was just on its way; a Receive that is given up leaves it running for the next one.
func (s *subscription) Receive(ctx context.Context) (topic.Received, error) {
	began := time.Now()
	var l *lane
	select {
	case <-s.closing:
		return topic.Received{}, topic.Closed()
	default:
	}
	if ctx.Err() != nil {
		return topic.Received{}, ctx.Err()
	}
	select {
	case l = <-s.lanes:
	case <-ctx.Done():
		return topic.Received{}, ctx.Err()
	case <-s.closing:
		return topic.Received{}, topic.Closed()
	}
	defer func() { s.lanes <- l }()
	for {
		if !l.running {
			l.running = true
			s.start(func() { l.done <- s.read(l.consumer) })
		}
		select {
		case o := <-l.done:
			l.running = false
			if o.err != nil {
				return topic.Received{}, s.failed(ctx, o.err)
			}
			if len(o.messages) == 0 {
				continue
			}
			if o.ended.Before(began) {
				began = o.ended // it was there before this call
			}
			return topic.Received{Messages: o.messages, Began: began, Ended: o.ended}, nil
		case <-ctx.Done():
			return topic.Received{}, ctx.Err()
		case <-s.closing:
			return topic.Received{}, topic.Closed()
		}
	}
}

// failed words an error of a command that received.
func (s *subscription) failed(ctx context.Context, err error) error {
	select {
	case <-s.closing:
		return topic.Closed()
	default:
	}
	if strings.HasPrefix(err.Error(), "NOGROUP") {
		s.missing.Store(true)
	} else {
		s.failing.Store(true)
	}
	return explain(ctx, "receiving", err)
}

// read takes what others did not acknowledge, if it is time to look for that, or waits for
// messages.
func (s *subscription) read(consumer string) outcome {
	ctx := context.Background() // the command ends by itself, or with the client
	if s.missing.CompareAndSwap(true, false) {
		// All that a new stream has was published after this subscription was made.
		if err := s.findGroup(ctx, "0"); err != nil {
			s.missing.Store(true)
			return outcome{err: err}
		}
		s.options.Report(topic.EventRemade, "the group %s, and possibly its stream, was deleted and has been recreated",
			s.options.Name)
		s.compare(ctx, s.failing.Swap(false))
	}
	now, every := int64(time.Since(s.began)), int64(s.topic.settings.ackWait/2)
	due := s.claimAt.Load()
	if now >= due && s.claimAt.CompareAndSwap(due, now+every) {
		messages, more, err := s.claim(ctx, consumer)
		if more || err != nil {
			s.claimAt.Store(now) // so that the next one goes on
		}
		if len(messages) > 0 || err != nil {
			return outcome{messages: messages, ended: time.Now(), err: err}
		}
		due = now + every
	}
	block := max(time.Millisecond, min(5*time.Second, time.Duration(max(due, s.claimAt.Load())-now)))
	streams, err := s.reader.XReadGroup(ctx, &redis.XReadGroupArgs{
		Group: s.options.Name, Consumer: consumer, Streams: []string{s.topic.settings.stream, ">"},
		Count: int64(s.options.Batch), Block: block,
	}).Result()
	o := outcome{ended: time.Now()}
	if err != nil && !errors.Is(err, redis.Nil) {
		o.err = err
		return o
	}
	if s.failing.CompareAndSwap(true, false) {
		s.compare(ctx, true)
	}
	for _, stream := range streams {
		o.messages = append(o.messages, received(stream.Messages, false)...)
	}
	return o
}

// claim takes over messages that were not acknowledged in time; more says that there may be others.
func (s *subscription) claim(ctx context.Context, consumer string) (messages []topic.Message, more bool, err error) {
	for start := "0-0"; ; {
		entries, next, deleted, err := s.reader.XAutoClaimWithDeleted(ctx, &redis.XAutoClaimArgs{
			Stream: s.topic.settings.stream, Group: s.options.Name, Consumer: consumer,
			MinIdle: s.topic.settings.ackWait, Start: start, Count: int64(s.options.Batch),
		}).Result()
		if err != nil {
			return nil, false, err
		}
		s.dropped.Add(int64(len(deleted)))
		if len(entries) > 0 || next == "0-0" {
			return received(entries, true), next != "0-0", nil
		}
		start = next
	}
}

// received makes messages of entries. An entry of somebody else's has no payload here, and is
// counted as unreadable by who reads it.
func received(entries []redis.XMessage, again bool) []topic.Message {
	messages := make([]topic.Message, len(entries))
	for i, e := range entries {
		payload, _ := e.Values[field].(string)
		messages[i] = topic.Message{
			Payload: []byte(payload), BrokerTime: timeOf(e.ID), Redelivered: again, Handle: e.ID,
		}
	}
	return messages
}

// timeOf is the time in an entry's identifier, which begins with it in milliseconds.
func timeOf(id string) time.Time {
	text, _, _ := strings.Cut(id, "-")
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}
