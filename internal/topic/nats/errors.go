package nats

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// Codes of JetStream's errors that the library has no names for.
const (
	codeAccountResources      = 10002
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

// explainPublish is explain for a message that the stream refused, with the limit that it has reached.
func (t *natsTopic) explainPublish(ctx context.Context, err error) error {
	var api *jetstream.APIError
	if topic.Known(ctx, err) != nil || !errors.As(err, &api) || api.ErrorCode != codeStreamStoreFailed {
		return explain(ctx, "publishing", err)
	}
	name, limit := t.limit(api.Description)
	if name == "" {
		return explain(ctx, "publishing", err)
	}
	text := fmt.Sprintf("publishing: the stream %s is full (%s=%d, discard=new) and rejects new messages", t.stream.Name,
		name, limit)
	if t.stream.Retention == jetstream.LimitsPolicy {
		text += fmt.Sprintf(". It keeps messages after they are acknowledged: purge it, raise %s, or use another stream "+
			"(stream=)", name)
	} else {
		text += fmt.Sprintf(", because a consumer acknowledges more slowly than messages are published: lower --rate, "+
			"raise --listeners, or raise %s", name)
	}
	return topic.Worded(topic.CauseFull, false, text, err)
}

// limit returns the limit of the stream that nats-server names in this way, or "".
func (t *natsTopic) limit(description string) (name string, value int64) {
	switch description {
	case "maximum messages exceeded":
		return "max_msgs", t.stream.MaxMsgs
	case "maximum bytes exceeded":
		return "max_bytes", t.stream.MaxBytes
	case "maximum messages per subject exceeded":
		return "max_msgs_per_subject", t.stream.MaxMsgsPerSubject
	}
	return "", 0
}

// explainAPI words an answer of JetStream's.
func explainAPI(doing string, api *jetstream.APIError) *topic.Error {
	switch api.ErrorCode {
	case jetstream.JSErrCodeStreamNotFound, jetstream.JSErrCodeConsumerNotFound:
		return topic.Fail(topic.CauseNotFound, false, "%s: %w", doing, api)
	case jetstream.JSErrCodeJetStreamNotEnabled, jetstream.JSErrCodeJetStreamNotEnabledForAccount:
		return topic.Fail(topic.CauseUnsupported, true, "%s: JetStream is not enabled on the broker: enable it "+
			"(nats-server -js), or use nats://: %w", doing, api)
	case jetstream.JSErrCodeStreamMessageExceedsMaximum:
		return topic.Fail(topic.CauseTooLarge, true, "%s: %w", doing, api)
	case codeStreamStoreFailed:
		return topic.Fail(topic.CauseFull, false, "%s: the stream rejected the message: %w", doing, api)
	case codeAccountResources, codeInsufficientResources, codeMemoryExceeded, codeStorageExceeded:
		return topic.Worded(topic.CauseFull, false, doing+": the broker has no space left ("+api.Description+"): "+
			"purge unused streams, raise the broker's JetStream limits, or set a smaller max_bytes= for a new stream", api)
	case codeMaxBytesRequired:
		return topic.Fail(topic.CauseDenied, true, "%s: %w", doing, api)
	}
	if api.Code == 503 {
		return topic.Fail(topic.CauseUnavailable, false, "%s: %w", doing, api)
	}
	return topic.Fail(topic.CauseProtocol, api.Code == 400, "%s: %w", doing, api)
}
