package redis

import (
	"context"
	"errors"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// explain makes a topic's error of one of the library. ctx is the caller's: when it is done, its
// error is the answer.
func explain(ctx context.Context, doing string, err error) error {
	if known := topic.Known(ctx, err); known != nil {
		return known
	}
	var answer redis.Error
	if errors.As(err, &answer) {
		return explainAnswer(doing, answer)
	}
	cause, final := causeOf(err)
	return topic.Fail(cause, final, "%s: %w", doing, err)
}

// causeOf finds the cause of an error of the connection, and whether it is final.
func causeOf(err error) (cause string, final bool) {
	switch {
	case errors.Is(err, redis.ErrClosed):
		return topic.CauseClosed, true
	case errors.Is(err, redis.ErrPoolTimeout):
		return topic.CauseTimeout, false
	}
	return topic.CauseOfConnection(err)
}

// explainAnswer words an answer of the server, whose first word is its code.
func explainAnswer(doing string, answer redis.Error) *topic.Error {
	code, _, _ := strings.Cut(answer.Error(), " ")
	switch code {
	case "NOAUTH", "WRONGPASS", "NOPERM":
		return topic.Fail(topic.CauseDenied, true, "%s: %w", doing, answer)
	case "OOM":
		return topic.Worded(topic.CauseFull, false, doing+": the server is out of memory (maxmemory) and rejects writes. "+
			"A stream keeps messages until every group has acknowledged them: delete data or unused groups, or raise "+
			"maxmemory", answer)
	case "NOGROUP":
		return topic.Fail(topic.CauseNotFound, false, "%s: %w", doing, answer)
	case "WRONGTYPE":
		return topic.Fail(topic.CauseUnsupported, true, "%s: the key exists and is not a stream: %w", doing, answer)
	case "MOVED", "ASK", "CROSSSLOT":
		return topic.Fail(topic.CauseUnsupported, true,
			"%s: the server is part of a cluster, which is not supported: %w", doing, answer)
	case "LOADING", "BUSY", "MASTERDOWN", "TRYAGAIN", "CLUSTERDOWN", "READONLY", "MISCONF", "NOREPLICAS":
		return topic.Fail(topic.CauseUnavailable, false, "%s: %w", doing, answer)
	}
	switch text := answer.Error(); {
	case strings.Contains(text, "max number of clients"):
		return topic.Fail(topic.CauseThrottled, false, "%s: %w", doing, answer)
	case strings.Contains(text, "unknown command"):
		return topic.Fail(topic.CauseUnsupported, true,
			"%s: the server is older than version 6.2 or does not allow the command: %w", doing, answer)
	case strings.Contains(text, "invalid bulk length"):
		return topic.Fail(topic.CauseTooLarge, true, "%s: %w", doing, answer)
	case strings.Contains(text, "invalid password"), strings.Contains(text, "without any password configured"):
		return topic.Fail(topic.CauseDenied, true, "%s: %w", doing, answer)
	}
	return topic.Fail(topic.CauseProtocol, false, "%s: %w", doing, answer)
}
