package nats

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/leaktest"
	broker "github.com/plimsoll/plimsoll/internal/server/nats"
	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/topic/topictest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// start starts a broker, which ends with the test.
func start(t testing.TB, c broker.Config) *broker.Server {
	t.Helper()
	b, err := broker.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// at is the URL of a subject of a broker, with options.
func at(t testing.TB, b *broker.Server, subject string, options ...string) *url.URL {
	t.Helper()
	u, err := url.Parse(b.URL())
	if err != nil {
		t.Fatal(err)
	}
	u.Path = subject
	u.RawQuery = strings.Join(append([]string{u.RawQuery}, options...), "&")
	return u
}

func mustOpen(t testing.TB, u *url.URL) topic.Topic {
	t.Helper()
	opened, err := Open(context.WithoutCancel(t.Context()), topic.Config{URL: u, Timeout: topictest.Patience})
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func TestTransport(t *testing.T) {
	for name, config := range map[string]broker.Config{
		"core":      {MaxPayload: 1 << 20},
		"JetStream": {MaxPayload: 1 << 20, JetStream: true, Memory: 64 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			b := start(t, config)
			var topics atomic.Int64
			topictest.Run(t, func(t *testing.T, ackTime time.Duration) topic.Topic {
				subject := fmt.Sprintf("updates.%d", topics.Add(1))
				if config.JetStream {
					return mustOpen(t, at(t, b, subject, "ack_wait="+ackTime.String(), "max_bytes=4194304"))
				}
				return mustOpen(t, at(t, b, subject))
			})
		})
	}
}
