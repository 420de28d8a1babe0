package nats

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/plimsoll/plimsoll/internal/topic"
)

const (
	// keepRequest is how long the broker keeps a pull request for which it has no messages.
	keepRequest = 30 * time.Second
	// linger is how long a receive call that has messages waits for others, or for the broker to
	// say that there are none. That comes right behind the last message, unless the consumer is
	// somebody else's and has a limit of its own, such as max_ack_pending.
	linger = 50 * time.Millisecond
)

// pull is a place where messages that were asked for come in. One Receive uses it at a time; a
// request that its Receive did not wait for is the next one's.
type pull struct {
	sub   *nats.Subscription
	in    chan *nats.Msg
	inbox string

	asked   uint64    // requests so far
	pending int       // messages that the last one may still bring; 0 when it has ended
	until   time.Time // when it has ended at the latest
	single  bool      // the broker refused a request because others wait: wait in the line for one message
}

// newPull subscribes to an inbox of its own.
func newPull(conn *connection, batch int) (*pull, error) {
	inbox := conn.NewInbox()
	p := &pull{inbox: inbox, in: make(chan *nats.Msg, 2*batch+16)}
	var err error
	p.sub, err = conn.ChanSubscribe(inbox+".*", p.in)
	return p, err
}

// reply is where the answers to the last request go.
func (p *pull) reply() string { return p.inbox + "." + strconv.FormatUint(p.asked, 10) }

// request asks for up to a batch of messages, for what there is, or else for the first to come.
func (p *pull) request(s *streamSession, batch int, timeout time.Duration) error {
	p.asked++
	if p.single {
		batch = 1
	}
	request := fmt.Appendf(nil, `{"batch":%d,"expires":%d,"no_wait":%t}`, batch, keepRequest, !p.single)
	p.single = false
	if err := s.PublishRequest(s.next, p.reply(), request); err != nil {
		return err
	}
	p.pending, p.until = batch, time.Now().Add(keepRequest+timeout)
	return nil
}

// Receive asks for messages, and returns when the broker says that these are all.
func (s *streamSubscription) Receive(ctx context.Context) (topic.Received, error) {
	select {
	case <-s.closing:
		return topic.Received{}, topic.Closed()
	default:
	}
	session, err := s.link.get(ctx)
	if err != nil {
		return topic.Received{}, err
	}
	var p *pull
	select {
	case p = <-session.pulls:
	case <-ctx.Done():
		return topic.Received{}, ctx.Err()
	case <-s.closing:
		return topic.Received{}, topic.Closed()
	}
	defer func() { session.pulls <- p }()
	r := topic.Received{Began: time.Now()}
	for len(r.Messages) == 0 {
		if p.pending == 0 {
			if err := p.request(session, s.options.Batch, s.topic.dialer.timeout); err != nil {
				return r, explain(ctx, "receiving", err)
			}
		}
		if r.Messages, err = s.collect(ctx, session, p); err != nil && len(r.Messages) == 0 {
			return topic.Received{}, err
		}
	}
	r.Ended = time.Now()
	return r, nil
}

// collect takes the answers to a request until its end. An error may come with messages, which
// were delivered all the same.
func (s *streamSubscription) collect(ctx context.Context, session *streamSession, p *pull) ([]topic.Message, error) {
	var messages []topic.Message
	late := time.NewTimer(time.Until(p.until))
	defer late.Stop()
	for p.pending > 0 {
		select {
		case m := <-p.in:
			if status(m) == "" {
				session.received.Add(1)
				messages = append(messages, message(m))
				p.pending--
				late.Reset(linger)
				continue
			}
			if m.Subject != p.reply() {
				continue // the end of an earlier request
			}
			p.pending = 0
			p.single = status(m) == "408" && m.Header.Get("Description") == "Requests Pending"
			return messages, session.statusError(m)
		case <-session.lost:
			p.pending = 0
			return messages, session.gone("; unacknowledged messages will be delivered again")
		case <-late.C:
			if len(messages) > 0 {
				return messages, nil // the request goes on, and is the next Receive's
			}
			p.pending = 0
			return nil, topic.Fail(topic.CauseTimeout, false, "receiving: the broker did not end a request within %s",
				keepRequest+s.topic.dialer.timeout)
		case <-s.closing:
			return messages, topic.Closed()
		case <-ctx.Done():
			return messages, ctx.Err()
		}
	}
	return messages, nil
}

// message is a message for those who take it.
func message(m *nats.Msg) topic.Message {
	message := topic.Message{Payload: m.Data, Handle: m.Reply}
	if meta, err := m.Metadata(); err == nil {
		message.BrokerTime, message.Redelivered = meta.Timestamp, meta.NumDelivered > 1
	}
	return message
}

// statusError reads the status that ends a request; nil for the ordinary ones.
func (s *streamSession) statusError(m *nats.Msg) error {
	code, text := status(m), m.Header.Get("Description")
	switch code {
	case "404", "408": // there is no more, or nothing came, or others asked before
		return nil
	case "409":
		switch text {
		case "Batch Completed", "Leadership Change":
			return nil
		case "Exceeded MaxWaiting":
			return topic.Fail(topic.CauseThrottled, false, "receiving: too many requests are waiting at this consumer")
		}
	case "503":
		text = "the consumer does not respond"
	}
	cause := topic.CauseNotFound
	if text == "Server Shutdown" {
		cause = topic.CauseClosed
	}
	// The next Receive finds the consumer again, or makes it.
	s.Close()
	return topic.Fail(cause, false, "receiving: the broker ended the request: %s %s", code, text)
}
