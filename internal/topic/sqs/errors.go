package sqs

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/topic"
)

// explain makes a topic's error of one of the SDK. ctx is the caller's: when it is done, its
// error is the answer.
func explain(ctx context.Context, doing string, err error) error {
	return topic.Explain(ctx, doing, err, causeOf, sentence)
}

// causeOf finds the cause of an error of the SDK, and whether it is final.
func causeOf(err error) (why string, final bool) {
	var api smithy.APIError
	if errors.As(err, &api) {
		if why, final := causeOfCode(api); why != "" {
			return why, final
		}
	}
	status := statusOf(err)
	// A status below 300 and an error: it broke off in the answer.
	if why, final := topic.CauseOfConnection(err); status < 300 && why != topic.CauseProtocol {
		return why, final
	}
	return topic.CauseOfStatus(status)
}

// causeOfCode is the cause that the code of an answer stands for; "" for those without one.
func causeOfCode(api smithy.APIError) (why string, final bool) {
	switch codeOf(api) {
	case "AuthorizationError", "AccessDenied", "InvalidClientTokenId", "SignatureDoesNotMatch", "UnrecognizedClient",
		"ExpiredToken", "InvalidSecurity", "MissingAuthenticationToken", "IncompleteSignature", "OptInRequired",
		"InvalidAccessKeyId", "RequestExpired", "KMSAccessDenied", "KmsAccessDenied", "KmsOptInRequired",
		"KMSOptInRequired":
		return topic.CauseDenied, true
	case "NotFound", "QueueDoesNotExist", "NonExistentQueue", "ResourceNotFound", "InvalidAddress", "EndpointDisabled":
		return topic.CauseNotFound, false
	case "Throttled", "Throttling", "RequestThrottled", "RequestLimitExceeded", "OverLimit", "TooManyRequests",
		"KMSThrottling", "KmsThrottled", "SubscriptionLimitExceeded", "TopicLimitExceeded", "SlowDown",
		"BandwidthLimitExceeded":
		return topic.CauseThrottled, false
	case "InternalError", "InternalFailure", "ServiceUnavailable", "QueueDeletedRecently", "ConcurrentAccess":
		return topic.CauseUnavailable, false
	case "BatchRequestTooLong":
		return topic.CauseTooLarge, true
	case "UnsupportedOperation", "InvalidAction":
		return topic.CauseUnsupported, true
	case "InvalidParameter", "InvalidParameterValue", "InvalidAttributeValue", "InvalidAttributeName",
		"QueueNameExists",
		"QueueAlreadyExists", "Validation", "ValidationError":
		if strings.Contains(strings.ToLower(api.ErrorMessage()), "too long") {
			return topic.CauseTooLarge, true
		}
		return topic.CauseUsage, true
	}
	return "", false
}

// codeOf is the code of an answer without what some servers put around it.
func codeOf(api smithy.APIError) string {
	code := api.ErrorCode()
	code = code[strings.LastIndexByte(code, '#')+1:]
	return strings.TrimSuffix(strings.TrimPrefix(code, "AWS.SimpleQueueService."), "Exception")
}

// statusOf is the status of an answer; 0 without one.
func statusOf(err error) int {
	var answered *smithyhttp.ResponseError
	if errors.As(err, &answered) && answered.Response != nil && answered.Response.Response != nil {
		return answered.Response.StatusCode
	}
	return 0
}

// sentence says in one line what the SDK says in five.
func sentence(err error) string {
	var api smithy.APIError
	var sent *url.Error
	var garbled *smithy.DeserializationError
	status := statusOf(err)
	switch {
	case errors.As(err, &api) && status != 0:
		return cause.Line(fmt.Sprintf("%d %s: %s", status, codeOf(api), api.ErrorMessage()))
	case errors.As(err, &api):
		return cause.Line(codeOf(api) + ": " + api.ErrorMessage())
	case errors.As(err, &garbled) && garbled.Err != nil:
		return cause.Line(fmt.Sprintf("the response (status %d) is not a valid SNS or SQS response: %v", status, garbled.Err))
	case status != 0:
		return cause.Line(fmt.Sprintf("the response (status %d) is not a valid SNS or SQS response", status))
	case errors.Is(err, context.DeadlineExceeded):
		return "no response in time"
	case errors.As(err, &sent):
		return cause.Line(sent.Err.Error())
	}
	return cause.Line(err.Error())
}
