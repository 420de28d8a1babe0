package kafka

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// causeLost is messages that the broker had acknowledged and no longer has.
const causeLost = "data-loss"

// explain makes a topic's error of one of the library. ctx is the caller's: when it is done, its
// error is the answer.
func explain(ctx context.Context, doing string, err error) error {
	if known := topic.Explained(ctx, doing, err); known != nil {
		return known
	}
	cause, final := causeOf(err)
	if errors.Is(err, context.DeadlineExceeded) {
		return topic.Fail(cause, final, "%s: no response in time", doing)
	}
	return topic.Fail(cause, final, "%s: %w", doing, err)
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
	cause, final = topic.CauseOfConnection(err)
	// The library has words of its own for a connection that died under a request.
	if worded, _ := topic.CauseOfText(err.Error()); cause == topic.CauseProtocol &&
		(worded == topic.CauseClosed || kgo.IsRetryableBrokerErr(err)) {
		return topic.CauseClosed, false
	}
	return cause, final
}
