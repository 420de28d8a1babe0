package pubsub

import (
	"bytes"
	"context"
	"sync"
	"time"

	pubsub "cloud.google.com/go/pubsub/v2/apiv1"
	pb "cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"github.com/googleapis/gax-go/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding/gzip"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// What a request has at most before it is sent though its messages could linger: as Google's client has it.
const (
	fullCount = 100
	fullBytes = 1_000_000
)

// publisher publishes.
type publisher struct {
	topic   *pubsubTopic
	client  *pubsub.TopicAdminClient
	sending sync.WaitGroup

	mu     sync.Mutex
	closed bool
	next   *bundle // that messages are added to; nil: none lingers
}

// bundle are messages that are sent in one request.
type bundle struct {
	messages []*pb.PubsubMessage
	bytes    int
	timer    *time.Timer
	done     chan struct{} // closed when err is set
	err      error
}

// Publisher makes a publisher with a connection of its own.
func (t *pubsubTopic) Publisher(ctx context.Context) (topic.Publisher, error) {
	client, err := pubsub.NewTopicAdminClient(ctx, t.options()...)
	if err != nil {
		return nil, explain(ctx, "connecting", err)
	}
	return &publisher{topic: t, client: client}, nil
}

// Publish sends the message, in a request with those that come while it lingers, and returns with the answer.
func (p *publisher) Publish(ctx context.Context, payload []byte) error {
	if len(payload) > p.topic.max {
		return topic.Fail(topic.CauseTooLarge, true, "publishing: the message has %d bytes, but Pub/Sub allows %d",
			len(payload), p.topic.max)
	}
	within, cancel := context.WithTimeout(ctx, p.topic.timeout)
	defer cancel()
	if p.topic.settings.linger == 0 {
		if p.isClosed() {
			return topic.Closed()
		}
		return p.send(within, ctx, []*pb.PubsubMessage{{Data: payload}})
	}
	// The copy is the request's: that may be under way when this call is given up.
	b, err := p.join(&pb.PubsubMessage{Data: bytes.Clone(payload)})
	if err != nil {
		return err
	}
	select {
	case <-b.done:
		return b.err
	case <-within.Done():
		return explain(ctx, "publishing", within.Err())
	}
}

// send makes one request. asked is the context of whoever asked, and within the request's own.
func (p *publisher) send(within, asked context.Context, messages []*pb.PubsubMessage) error {
	options := []gax.CallOption{once()}
	if p.topic.settings.zip {
		options = append(options, gax.WithGRPCOptions(grpc.UseCompressor(gzip.Name)))
	}
	_, err := p.client.Publish(within, &pb.PublishRequest{
		Topic: p.topic.settings.topicName(), Messages: messages,
	}, options...)
	if err != nil {
		return explain(asked, "publishing", err)
	}
	return nil
}

// join adds a message to those that linger.
func (p *publisher) join(m *pb.PubsubMessage) (*bundle, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, topic.Closed()
	}
	if b := p.next; b != nil && b.bytes+len(m.Data) > p.topic.max {
		p.leave(b)
	}
	b := p.next
	if b == nil {
		b = &bundle{done: make(chan struct{})}
		b.timer = time.AfterFunc(p.topic.settings.linger, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.leave(b)
		})
		p.next = b
	}
	b.messages = append(b.messages, m)
	if b.bytes += len(m.Data) + overhead; len(b.messages) >= fullCount || b.bytes >= fullBytes {
		p.leave(b)
	}
	return b, nil
}

// leave sends a bundle, unless it has left already. The publisher is locked.
func (p *publisher) leave(b *bundle) {
	if p.next != b {
		return
	}
	p.next = nil
	b.timer.Stop()
	p.sending.Go(func() {
		defer close(b.done)
		// Nobody's context ends the request of several.
		ctx := context.Background()
		within, cancel := context.WithTimeout(ctx, p.topic.timeout)
		defer cancel()
		b.err = p.send(within, ctx, b.messages)
	})
}

func (p *publisher) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

// Close sends what lingers, and waits for the answers.
func (p *publisher) Close() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	p.closed = true
	if p.next != nil {
		p.leave(p.next)
	}
	p.mu.Unlock()
	p.sending.Wait()
	return p.client.Close()
}
