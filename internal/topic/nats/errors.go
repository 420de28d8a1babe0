package nats

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// Codes of JetStream's errors that the library has no names for.
const (
	codeInsufficientResources = 10023
	codeMemoryExceeded        = 10028
	codeStorageExceeded       = 10047
	codeStreamStoreFailed     = 10077
	codeMaxBytesRequired      = 10113
)

// explain makes a topic's error of one of the library. ctx is the caller's: when it is done,
// its error is the answer.
func explain(ctx context.Context, doing string, err error) error {
	if known := topic.Known(ctx, err); known != nil {
		return known
	}
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return explainAPI(doing, api)
	}
	cause, final := causeOf(err)
	return topic.Fail(cause, final, "%s: %w", doing, err)
}

// causeOf finds the cause of an error of the client library, and whether it is final.
func causeOf(err error) (cause string, final bool) {
	switch {
	case errors.Is(err, nats.ErrTimeout):
		return topic.CauseTimeout, false
	case errors.Is(err, nats.ErrMaxPayload):
		return topic.CauseTooLarge, true
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired),
		errors.Is(err, nats.ErrAuthRevoked),
		errors.Is(err, nats.ErrAccountAuthExpired), errors.Is(err, nats.ErrPermissionViolation):
		return topic.CauseDenied, true
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrNoStreamResponse):
		return topic.CauseNotFound, false
	case errors.Is(err, nats.ErrSecureConnRequired), errors.Is(err, nats.ErrSecureConnWanted):
		return topic.CauseTLS, true
	case errors.Is(err, nats.ErrMaxConnectionsExceeded), errors.Is(err, nats.ErrMaxAccountConnectionsExceeded):
		return topic.CauseThrottled, false
	}
	if cause, final := topic.CauseOfConnection(err); cause != topic.CauseProtocol {
		return cause, final
	}
	switch {
	case errors.Is(err, nats.ErrNoServers):
		return topic.CauseRefused, false
	case errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, nats.ErrDisconnected):
		return topic.CauseClosed, false
	}
	return topic.CauseOfText(err.Error()) // the library words an io.EOF anew
}

// explainAPI words an answer of JetStream's.
func explainAPI(doing string, api *jetstream.APIError) *topic.Error {
	switch api.ErrorCode {
	case jetstream.JSErrCodeStreamNotFound, jetstream.JSErrCodeConsumerNotFound:
		return topic.Fail(topic.CauseNotFound, false, "%s: %w", doing, api)
	case jetstream.JSErrCodeJetStreamNotEnabled, jetstream.JSErrCodeJetStreamNotEnabledForAccount:
		return topic.Fail(topic.CauseUnsupported, true, "%s: the broker has no JetStream: start it with JetStream "+
			"(nats-server -js), or use nats://: %w", doing, api)
	case jetstream.JSErrCodeStreamMessageExceedsMaximum:
		return topic.Fail(topic.CauseTooLarge, true, "%s: %w", doing, api)
	case codeStreamStoreFailed:
		return topic.Fail(topic.CauseFull, false, "%s: the stream is full, because a subscription does not "+
			"acknowledge as fast as is published: %w", doing, api)
	case codeInsufficientResources, codeMemoryExceeded, codeStorageExceeded:
		return topic.Fail(topic.CauseFull, false,
			"%s: the broker has no room: give a smaller max_bytes=, or the broker more: %w", doing, api)
	case codeMaxBytesRequired:
		return topic.Fail(topic.CauseDenied, true, "%s: %w", doing, api)
	}
	if api.Code == 503 {
		return topic.Fail(topic.CauseUnavailable, false, "%s: %w", doing, api)
	}
	return topic.Fail(topic.CauseProtocol, api.Code == 400, "%s: %w", doing, api)
}
