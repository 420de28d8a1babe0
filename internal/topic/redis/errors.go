package redis

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/redis/go-redis/v9"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// The causes of this transport alone.
const (
	// causeFull is a server that has reached its maxmemory. It is not final: subscriptions that
	// acknowledge make room.
	causeFull = "full"
	causeTLS  = "tls"
)

// fail makes a topic's error.
func fail(cause string, final bool, format string, args ...any) *topic.Error {
	return &topic.Error{Cause: cause, Final: final, Err: fmt.Errorf(format, args...)}
}

// errClosed is the answer to a call after Close.
func errClosed() error { return fail(topic.CauseClosed, true, "it is closed") }

// explain makes a topic's error of one of the library. ctx is the caller's: when it is done, its
// error is the answer.
func explain(ctx context.Context, doing string, err error) error {
	var known *topic.Error
	if errors.As(err, &known) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var answer redis.Error
	if errors.As(err, &answer) {
		return explainAnswer(doing, answer)
	}
	cause, final := causeOf(err)
	return fail(cause, final, "%s: %w", doing, err)
}

// causeOf finds the cause of an error of the connection, and whether it is final.
func causeOf(err error) (cause string, final bool) {
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.Is(err, redis.ErrClosed):
		return topic.CauseClosed, true
	case isTLS(err):
		return causeTLS, true
	case errors.Is(err, syscall.ECONNREFUSED):
		return topic.CauseRefused, false
	case errors.As(err, &dns), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return topic.CauseUnreachable, false
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, redis.ErrPoolTimeout),
		errors.As(err, &timeout) && timeout.Timeout():
		return topic.CauseTimeout, false
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed):
		return topic.CauseClosed, false
	}
	return topic.CauseProtocol, false
}

func isTLS(err error) bool {
	var header tls.RecordHeaderError
	var verify *tls.CertificateVerificationError
	var name x509.HostnameError
	return errors.As(err, &header) || errors.As(err, &verify) || errors.As(err, &name)
}

// explainAnswer words an answer of the server, whose first word is its code.
func explainAnswer(doing string, answer redis.Error) *topic.Error {
	code, _, _ := strings.Cut(answer.Error(), " ")
	switch code {
	case "NOAUTH", "WRONGPASS", "NOPERM":
		return fail(topic.CauseDenied, true, "%s: %w", doing, answer)
	case "OOM":
		return fail(causeFull, false, "%s: the server has reached its maxmemory, because a group does not acknowledge as fast as is published, or there is none: %w", doing, answer)
	case "NOGROUP":
		return fail(topic.CauseNotFound, false, "%s: %w", doing, answer)
	case "WRONGTYPE":
		return fail(topic.CauseUnsupported, true, "%s: the key is there and is no stream: %w", doing, answer)
	case "MOVED", "ASK", "CROSSSLOT":
		return fail(topic.CauseUnsupported, true, "%s: the server is part of a cluster, which is not supported: %w", doing, answer)
	case "LOADING", "BUSY", "MASTERDOWN", "TRYAGAIN", "CLUSTERDOWN", "READONLY", "MISCONF", "NOREPLICAS":
		return fail(topic.CauseUnavailable, false, "%s: %w", doing, answer)
	}
	switch text := answer.Error(); {
	case strings.Contains(text, "max number of clients"):
		return fail(topic.CauseThrottled, false, "%s: %w", doing, answer)
	case strings.Contains(text, "unknown command"):
		return fail(topic.CauseUnsupported, true, "%s: the server is older than 6.2, or does not allow the command: %w", doing, answer)
	case strings.Contains(text, "invalid bulk length"):
		return fail(topic.CauseTooLarge, true, "%s: %w", doing, answer)
	case strings.Contains(text, "invalid password"), strings.Contains(text, "without any password configured"):
		return fail(topic.CauseDenied, true, "%s: %w", doing, answer)
	}
	return fail(topic.CauseProtocol, false, "%s: %w", doing, answer)
}
