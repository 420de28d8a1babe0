package cli

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/topic/kafka"
	"github.com/plimsoll/plimsoll/internal/topic/nats"
	"github.com/plimsoll/plimsoll/internal/topic/pubsub"
	"github.com/plimsoll/plimsoll/internal/topic/redis"
	"github.com/plimsoll/plimsoll/internal/topic/sqs"
)

// topicOpener opens the topics of one transport.
type topicOpener func(context.Context, topic.Config) (topic.Topic, error)

// topicTransports are the schemes of topics' URLs, in the order in which people are told.
func topicTransports() []struct {
	scheme string
	open   topicOpener
} {
	return []struct {
		scheme string
		open   topicOpener
	}{
		{nats.Core, nats.Open},
		{nats.JetStream, nats.Open},
		{redis.Plain, redis.Open},
		{redis.TLS, redis.Open},
		{kafka.Scheme, kafka.Open},
		{sqs.Scheme, sqs.Open},
		{pubsub.Scheme, pubsub.Open},
	}
}

// openTopic opens the topic that a URL names. Each request to its broker, but a receive that
// waits, is given up after timeout.
func openTopic(ctx context.Context, raw string, timeout time.Duration) (topic.Topic, error) {
	shown := plan.RedactURL(raw)
	u, err := url.Parse(raw)
	if err != nil { // the parser's words have all of it, with its secrets
		return nil, fault.New(fault.Usage, "%q is not a URL", shown).Hint("give one such as nats://host:4222/subject")
	}
	var schemes []string
	for _, t := range topicTransports() {
		if t.scheme == u.Scheme {
			opened, err := t.open(ctx, topic.Config{URL: u, Timeout: timeout})
			if err != nil {
				return nil, topicFault(shown, err)
			}
			return opened, nil
		}
		schemes = append(schemes, t.scheme+"://")
	}
	known := strings.Join(schemes[:len(schemes)-1], ", ") + " or " + schemes[len(schemes)-1]
	if u.Scheme == "" || u.Opaque != "" { // host:port reads as a scheme, too
		return nil, fault.New(fault.Usage, "%q is no topic: it has no scheme", shown).Hint("give a URL that begins with %s", known)
	}
	return nil, fault.New(fault.Usage, "%s:// is not a message service that is known here", u.Scheme).
		Hint("give a URL that begins with %s", known)
}

// topicFault words an error of a transport for people.
func topicFault(shown string, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	switch cause := topic.CauseOf(err); cause {
	case topic.CauseUsage, topic.CauseUnsupported, topic.CauseTooLarge:
		return fault.New(fault.Usage, "%s: %w", shown, err)
	case topic.CauseRefused:
		return fault.New(fault.RunFailed, "%s: %w", shown, err).Hint("start the message service, or correct the address")
	case topic.CauseUnreachable, topic.CauseTimeout:
		return fault.New(fault.RunFailed, "%s: %w", shown, err).Hint("check the address, and whether a firewall is between")
	case topic.CauseDenied:
		return fault.New(fault.RunFailed, "%s: %w", shown, err).Hint("check the credentials, in the URL or in the environment")
	}
	return fault.New(fault.RunFailed, "%s: %w", shown, err)
}
