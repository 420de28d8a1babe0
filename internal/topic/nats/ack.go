package nats

import (
	"context"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// ackTogether is how many messages are acknowledged before the broker's answers are awaited.
const ackTogether = 256

// acks is a place where the answers to acknowledgements come in. One Ack uses it at a time.
type acks struct {
	in    chan *nats.Msg
	inbox string
	calls uint64
}

func newAcks(conn *connection) (*acks, error) {
	a := &acks{inbox: conn.NewInbox(), in: make(chan *nats.Msg, 4*ackTogether)}
	_, err := conn.ChanSubscribe(a.inbox+".*", a.in)
	return a, err
}

// Ack acknowledges messages and waits until the broker has confirmed each: all requests go out
// before the first answer is awaited, so that a batch takes as long as one message.
func (s *streamSubscription) Ack(ctx context.Context, messages []topic.Message) error {
	session, err := s.link.get(ctx)
	if err != nil {
		return err
	}
	var a *acks
	select {
	case a = <-session.acks:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { session.acks <- a }()
	for len(messages) > 0 {
		n := min(ackTogether, len(messages))
		if err := a.ack(ctx, session, messages[:n], s.topic.dialer.timeout); err != nil {
			return err
		}
		messages = messages[n:]
	}
	return nil
}

func (a *acks) ack(ctx context.Context, s *streamSession, messages []topic.Message, timeout time.Duration) error {
	const doing = "acknowledging"
	a.calls++
	reply := a.inbox + "." + strconv.FormatUint(a.calls, 10)
	for _, m := range messages {
		to, ok := m.Handle.(string)
		if !ok || to == "" {
			return topic.Fail(topic.CauseProtocol, true, "%s: the message was not received by this subscription", doing)
		}
		if err := s.PublishRequest(to, reply, []byte("+ACK")); err != nil {
			return explain(ctx, doing, err)
		}
	}
	late := time.NewTimer(timeout)
	defer late.Stop()
	for left := len(messages); left > 0; {
		select {
		case m := <-a.in:
			if m.Subject != reply {
				continue // an answer that an earlier call did not wait for
			}
			if status(m) != "" {
				return topic.Fail(topic.CauseNotFound, false, "%s: the consumer does not respond", doing)
			}
			left--
		case <-s.lost:
			return s.gone("; unacknowledged messages will be delivered again")
		case <-late.C:
			return topic.Fail(topic.CauseTimeout, false, "%s: the broker did not confirm %d of %d messages within %s",
				doing, left, len(messages), timeout)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
