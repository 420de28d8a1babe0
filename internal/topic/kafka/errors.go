package kafka

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

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// The causes of this transport alone.
const (
	causeTLS = "tls"
	// causeLost is messages that the broker had acknowledged and no longer has.
	causeLost = "data-loss"
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
		return fail(known.Cause, known.Final, "%s: %w", doing, known.Err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	cause, final := causeOf(err)
	if errors.Is(err, context.DeadlineExceeded) {
		return fail(cause, final, "%s: no answer in time", doing)
	}
	return fail(cause, final, "%s: %w", doing, err)
}

// causeOf finds the cause of an error of the library, and whether it is final.
func causeOf(err error) (cause string, final bool) {
	var answer *kerr.Error
	var lost *kgo.ErrDataLoss
	switch {
	case errors.As(err, &answer):
		return causeOfCode(answer)
	case errors.As(err, &lost):
		return causeLost, false
	case errors.Is(err, kgo.ErrClientClosed):
		return topic.CauseClosed, true
	case errors.Is(err, kgo.ErrRecordTimeout):
		return topic.CauseTimeout, false
	}
	return causeOfConnection(err)
}

// causeOfCode is the cause of an answer of Kafka's.
func causeOfCode(answer *kerr.Error) (cause string, final bool) {
	switch answer {
	case kerr.TopicAuthorizationFailed, kerr.GroupAuthorizationFailed, kerr.ClusterAuthorizationFailed,
		kerr.SaslAuthenticationFailed, kerr.UnsupportedSaslMechanism, kerr.IllegalSaslState, kerr.SecurityDisabled:
		return topic.CauseDenied, true
	case kerr.UnknownTopicOrPartition, kerr.UnknownTopicID, kerr.GroupIDNotFound:
		return topic.CauseNotFound, false
	case kerr.MessageTooLarge, kerr.RecordListTooLarge:
		return topic.CauseTooLarge, true
	case kerr.ThrottlingQuotaExceeded:
		return topic.CauseThrottled, false
	case kerr.RequestTimedOut:
		return topic.CauseTimeout, false
	case kerr.UnsupportedVersion, kerr.UnsupportedForMessageFormat:
		return topic.CauseUnsupported, true
	case kerr.PolicyViolation, kerr.InvalidPartitions, kerr.InvalidReplicationFactor, kerr.InvalidConfig,
		kerr.InvalidTopicException, kerr.InvalidSessionTimeout, kerr.InvalidGroupID, kerr.InconsistentGroupProtocol:
		return topic.CauseUsage, true
	}
	if answer.Retriable || answer == kerr.IllegalGeneration || answer == kerr.UnknownMemberID {
		return topic.CauseUnavailable, false
	}
	return topic.CauseProtocol, false
}

// causeOfConnection is the cause of an error without an answer.
func causeOfConnection(err error) (cause string, final bool) {
	var dns *net.DNSError
	var late net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &late) && late.Timeout():
		return topic.CauseTimeout, false
	case isTLS(err):
		return causeTLS, true
	case errors.Is(err, syscall.ECONNREFUSED):
		return topic.CauseRefused, false
	case errors.As(err, &dns), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return topic.CauseUnreachable, false
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(err.Error(), "EOF"):
		return topic.CauseClosed, false
	case kgo.IsRetryableBrokerErr(err): // such as that the connection died under a request that had not been written
		return topic.CauseClosed, false
	}
	return topic.CauseProtocol, false
}

func isTLS(err error) bool {
	var header tls.RecordHeaderError
	var verify *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	return errors.As(err, &header) || errors.As(err, &verify) || errors.As(err, &unknown) || strings.Contains(err.Error(), "tls: ")
}
