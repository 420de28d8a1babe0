package nats

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// The causes of this transport alone.
const (
	// causeFull is a stream that has reached its limit. It is not final: subscriptions that
	// acknowledge make room.
	causeFull = "full"
	causeTLS  = "tls"
)

// Codes of JetStream's errors that the library has no names for.
const (
	codeInsufficientResources = 10023
	codeMemoryExceeded        = 10028
	codeStorageExceeded       = 10047
	codeStreamStoreFailed     = 10077
	codeMaxBytesRequired      = 10113
)

// fail makes a topic's error.
func fail(cause string, final bool, format string, args ...any) *topic.Error {
	return &topic.Error{Cause: cause, Final: final, Err: fmt.Errorf(format, args...)}
}

// explain makes a topic's error of one of the library. ctx is the caller's: when it is done,
// its error is the answer.
func explain(ctx context.Context, doing string, err error) error {
	var known *topic.Error
	if errors.As(err, &known) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return explainAPI(doing, api)
	}
	cause, final := causeOf(err)
	return fail(cause, final, "%s: %w", doing, err)
}

// causeOf finds the cause of an error of the client library, and whether it is final.
func causeOf(err error) (cause string, final bool) {
	var dns *net.DNSError
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout), errors.Is(err, os.ErrDeadlineExceeded):
		return topic.CauseTimeout, false
	case errors.Is(err, nats.ErrMaxPayload):
		return topic.CauseTooLarge, true
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked),
		errors.Is(err, nats.ErrAccountAuthExpired), errors.Is(err, nats.ErrPermissionViolation):
		return topic.CauseDenied, true
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrNoStreamResponse):
		return topic.CauseNotFound, false
	case isTLS(err):
		return causeTLS, true
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, nats.ErrNoServers):
		return topic.CauseRefused, false
	case errors.As(err, &dns), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return topic.CauseUnreachable, false
	case errors.Is(err, nats.ErrMaxConnectionsExceeded), errors.Is(err, nats.ErrMaxAccountConnectionsExceeded):
		return topic.CauseThrottled, false
	case errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, nats.ErrDisconnected), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed), strings.Contains(err.Error(), "EOF"):
		return topic.CauseClosed, false // the library words an io.EOF anew
	}
	return topic.CauseProtocol, false
}

func isTLS(err error) bool {
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	var header tls.RecordHeaderError
	var verify *tls.CertificateVerificationError
	return errors.As(err, &unknown) || errors.As(err, &invalid) || errors.As(err, &name) ||
		errors.As(err, &header) || errors.As(err, &verify) ||
		errors.Is(err, nats.ErrSecureConnRequired) || errors.Is(err, nats.ErrSecureConnWanted)
}

// explainAPI words an answer of JetStream's.
func explainAPI(doing string, api *jetstream.APIError) *topic.Error {
	switch api.ErrorCode {
	case jetstream.JSErrCodeStreamNotFound, jetstream.JSErrCodeConsumerNotFound:
		return fail(topic.CauseNotFound, false, "%s: %w", doing, api)
	case jetstream.JSErrCodeJetStreamNotEnabled, jetstream.JSErrCodeJetStreamNotEnabledForAccount:
		return fail(topic.CauseUnsupported, true, "%s: the broker has no JetStream: start it with JetStream (nats-server -js), or use nats://: %w", doing, api)
	case jetstream.JSErrCodeStreamMessageExceedsMaximum:
		return fail(topic.CauseTooLarge, true, "%s: %w", doing, api)
	case codeStreamStoreFailed:
		return fail(causeFull, false, "%s: the stream is full, because a subscription does not acknowledge as fast as is published: %w", doing, api)
	case codeInsufficientResources, codeMemoryExceeded, codeStorageExceeded:
		return fail(causeFull, false, "%s: the broker has no room: give a smaller max_bytes=, or the broker more: %w", doing, api)
	case codeMaxBytesRequired:
		return fail(topic.CauseDenied, true, "%s: %w", doing, api)
	}
	if api.Code == 503 {
		return fail(topic.CauseUnavailable, false, "%s: %w", doing, api)
	}
	return fail(topic.CauseProtocol, api.Code == 400, "%s: %w", doing, api)
}
