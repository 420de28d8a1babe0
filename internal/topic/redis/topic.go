package redis

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/plimsoll/plimsoll/internal/topic"
)

const (
	// library is the client's import path.
	library = "github.com/redis/go-redis"
	// field is that of an entry that has the payload.
	field = "m"
	// maxBulk is how many bytes a string can have, unless the server says another number, or they cannot be received.
	maxBulk = 512 << 20
	// maxInFlight bounds the connections of a publisher.
	maxInFlight = 64
	// defaultTimeout bounds a request when the configuration does not.
	defaultTimeout = 10 * time.Second
)

// redisTopic is an opened topic.
type redisTopic struct {
	settings   settings
	timeout    time.Duration
	maxMessage int
	notes      []string
	remover    remover
}

// silent is the library's log: what it says there comes as an error, too.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// Open connects once, to see that the server is there and to learn its limits.
func Open(ctx context.Context, c topic.Config) (topic.Topic, error) {
	redis.SetLogger(silent{}) // the library has one log for all clients, on stderr
	s, err := parse(c.URL)
	if err != nil {
		return nil, topic.Fail(topic.CauseUsage, true, "%w", err)
	}
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	t := &redisTopic{settings: s, timeout: c.Timeout, maxMessage: min(maxBulk, topic.MostFollow)}
	t.remover.topic = t
	client, err := t.client()
	if err != nil {
		return nil, topic.Fail(topic.CauseUsage, true, "%w", err)
	}
	defer client.Close()
	// The library looks at the deadline of a context alone, and not at its end.
	defer context.AfterFunc(ctx, func() { _ = client.Close() })()
	within, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	if err := client.Ping(within).Err(); err != nil {
		return nil, explain(ctx, s.connecting(), err)
	}
	if kind, err := client.Type(within, s.stream).Result(); err != nil {
		return nil, explain(ctx, "the stream "+s.stream, err)
	} else if kind != "none" && kind != "stream" {
		return nil, topic.Fail(topic.CauseUnsupported, true,
			"the key %s exists and is not a stream but a %s: set another one with stream=", s.stream, kind)
	}
	t.learn(within, client)
	return t, ctx.Err()
}

// client makes a client. It connects when it is used.
func (t *redisTopic) client() (*redis.Client, error) {
	o, err := t.settings.options(t.timeout)
	if err != nil {
		return nil, err
	}
	return redis.NewClient(o), nil
}

// learn asks what the server may refuse to tell.
func (t *redisTopic) learn(ctx context.Context, client *redis.Client) {
	if limits, err := client.ConfigGet(ctx, "proto-max-bulk-len").Result(); err == nil {
		if n, err := strconv.Atoi(limits["proto-max-bulk-len"]); err == nil && n > 0 {
			t.maxMessage = min(n, topic.MostFollow)
		}
	}
	info, err := client.Info(ctx).Result()
	if err != nil {
		t.notes = append(t.notes, "The server does not report whether it persists messages or evicts keys.")
		return
	}
	says := func(line string) bool { return strings.Contains(info, "\r\n"+line+"\r\n") }
	if says("aof_enabled:0") {
		t.notes = append(t.notes, "The server has no append-only file: if it fails, acknowledged messages are lost "+
			"unless a snapshot contains them.")
	}
	if !says("maxmemory:0") && !says("maxmemory_policy:noeviction") &&
		!strings.Contains(info, "maxmemory_policy:volatile") {
		t.notes = append(t.notes, "The server evicts keys when its memory is full, and may delete the stream: set "+
			"maxmemory-policy noeviction.")
	}
}

// Describe tells what the transport is and can.
func (t *redisTopic) Describe() topic.Description {
	d := topic.Description{
		Transport: "Redis Streams", Metrics: "Redis", Client: library, Endpoint: t.settings.host,
		AtLeastOnce: true, Durable: true, MaxMessage: t.maxMessage,
		Acknowledged: "Redis has the message in memory",
		BrokerTime: "when Redis added the message to the stream, truncated to whole milliseconds, so times measured from " +
			"it are up to 1 ms too long",
		Notes: append([]string(nil), t.notes...),
	}
	if !t.settings.trim {
		d.Notes = append(d.Notes, "Published messages stay in the stream, so it grows.")
	}
	return d
}

// Publisher makes a publisher with connections of its own.
func (t *redisTopic) Publisher(ctx context.Context) (topic.Publisher, error) {
	client, err := t.client()
	if err != nil {
		return nil, topic.Fail(topic.CauseUsage, true, "%w", err)
	}
	within, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	if err := client.Ping(within).Err(); err != nil {
		_ = client.Close()
		return nil, explain(ctx, t.settings.connecting(), err)
	}
	if t.settings.trim {
		t.remover.addPublisher(ctx)
	}
	return &publisher{topic: t, client: client, turns: make(chan struct{}, maxInFlight)}, nil
}

// Close removes what was published here and was acknowledged since. The connections are those of
// publishers and subscriptions.
func (t *redisTopic) Close() error {
	t.remover.removeRest()
	return nil
}

// publisher publishes to the stream.
type publisher struct {
	topic  *redisTopic
	client *redis.Client
	turns  chan struct{} // has room for each connection
	once   sync.Once
}

// Publish adds the message to the stream.
func (p *publisher) Publish(ctx context.Context, payload []byte) error {
	if len(payload) > p.topic.maxMessage { // the server would break the connection off
		return topic.Fail(topic.CauseTooLarge, true, "publishing: the message has %d bytes, but Redis allows %d",
			len(payload), p.topic.maxMessage)
	}
	select {
	case p.turns <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.turns }()
	within, cancel := context.WithTimeout(ctx, p.topic.timeout)
	defer cancel()
	entry, err := p.client.XAdd(within,
		&redis.XAddArgs{Stream: p.topic.settings.stream, Values: []any{field, payload}}).Result()
	if err != nil {
		return explain(ctx, "publishing", err)
	}
	if p.topic.settings.trim {
		p.topic.remover.wrote(entry)
	}
	return nil
}

func (p *publisher) Close() error {
	p.once.Do(func() {
		_ = p.client.Close() // it says only that it is closed already
		if p.topic.settings.trim {
			p.topic.remover.dropPublisher()
		}
	})
	return nil
}
