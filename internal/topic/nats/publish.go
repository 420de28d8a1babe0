package nats

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func (c *connection) dead() bool {
	select {
	case <-c.lost:
		return true
	default:
		return c.IsClosed()
	}
}

// corePublisher publishes to core NATS.
type corePublisher struct {
	topic *natsTopic
	link  *link[*connection]
}

// Publish sends the message and a PING behind it, and returns with the PONG. Each call has a PING
// of its own, so that concurrent ones share the way there and back and do not wait for each
// other; gathering them behind one PING was not faster, and a call that came just after it would
// have waited for two round trips.
func (p *corePublisher) Publish(ctx context.Context, payload []byte) error {
	conn, err := p.link.get(ctx)
	if err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, p.topic.dialer.timeout)
	defer cancel()
	if err := conn.Publish(p.topic.settings.subject, payload); err != nil {
		return explain(ctx, "publishing", err)
	}
	if err := conn.FlushWithContext(within); err != nil {
		return explain(ctx, "publishing", err)
	}
	// A refusal comes before the PONG, and stays the connection's last error.
	if err := conn.LastError(); errors.Is(err, nats.ErrPermissionViolation) {
		return explain(ctx, "publishing", err)
	}
	return nil
}

func (p *corePublisher) Close() error {
	p.link.close()
	return nil
}

// streamPublisher publishes to a stream.
type streamPublisher struct {
	topic *natsTopic
	link  *link[*streamConnection]
}

// streamConnection is a connection that is used for JetStream.
type streamConnection struct {
	*connection
	js jetstream.JetStream
}

// connect makes sure that the stream is there: a broker that was started anew may have lost it.
func (p *streamPublisher) connect(ctx context.Context) (*streamConnection, error) {
	conn, err := p.topic.dialer.dial(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := p.topic.findStream(ctx, conn); err != nil {
		conn.close()
		return nil, err
	}
	js, err := jetstream.New(conn.Conn)
	if err != nil {
		conn.close()
		return nil, explain(ctx, "publishing", err)
	}
	return &streamConnection{connection: conn, js: js}, nil
}

// Publish sends the message and returns when the stream has acknowledged it.
func (p *streamPublisher) Publish(ctx context.Context, payload []byte) error {
	conn, err := p.link.get(ctx)
	if err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, p.topic.dialer.timeout)
	defer cancel()
	_, err = conn.js.Publish(within, p.topic.settings.subject, payload, jetstream.WithRetryAttempts(0))
	if err != nil {
		return p.topic.explainPublish(ctx, err)
	}
	return nil
}

func (p *streamPublisher) Close() error {
	p.link.close()
	return nil
}
