package kafka

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/topic"
)

// pauses are those between the tries of whatever the broker may not be ready for yet.
func pauses() backoff.Between {
	return backoff.Between{First: 20 * time.Millisecond, Last: time.Second}
}

// options are what all clients have in common.
func (s *settings) options(timeout time.Duration) ([]kgo.Opt, error) {
	options := []kgo.Opt{
		kgo.SeedBrokers(s.brokers...), kgo.ClientID("plimsoll"), kgo.DialTimeout(timeout),
		kgo.RequestTimeoutOverhead(max(timeout, 100*time.Millisecond)), kgo.RetryTimeout(timeout),
		// What the broker would learn of it is of no use here.
		kgo.DisableClientMetrics(),
		// A broker that comes back is noticed within a second.
		kgo.RetryBackoffFn(func(failures int) time.Duration { return pauses().Pause(failures, rand.Int64N) }),
		kgo.MetadataMinAge(100 * time.Millisecond),
	}
	switch s.sasl {
	case "plain":
		options = append(options, kgo.SASL(plain.Auth{User: s.user, Pass: s.password}.AsMechanism()))
	case "scram-sha-256":
		options = append(options, kgo.SASL(scram.Auth{User: s.user, Pass: s.password}.AsSha256Mechanism()))
	case "scram-sha-512":
		options = append(options, kgo.SASL(scram.Auth{User: s.user, Pass: s.password}.AsSha512Mechanism()))
	}
	if s.tls {
		c, err := s.files.Config("")
		if err != nil {
			return nil, err
		}
		options = append(options, kgo.DialTLSConfig(c))
	}
	return options, nil
}

// connect makes a client, and returns when it has reached a broker.
func (t *kafkaTopic) connect(ctx context.Context, more ...kgo.Opt) (*kgo.Client, error) {
	client, err := kgo.NewClient(append(t.options[:len(t.options):len(t.options)], more...)...)
	if err != nil {
		return nil, topic.Fail(topic.CauseUsage, true, "cannot create the client: %w", err)
	}
	defer context.AfterFunc(ctx, client.Close)() // the library has a handshake go on when its context has ended
	within, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	if err := client.Ping(within); err != nil {
		client.Close()
		if cause, _ := causeOf(err); cause == topic.CauseClosed && t.settings.sasl != "" {
			err = fmt.Errorf("%w: check the user and the password, and whether the broker needs tls=true", err)
		}
		return nil, explain(ctx, "connecting to "+t.settings.brokers[0], err)
	}
	return client, nil
}
