package pubsub

import (
	"context"
	"errors"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/topic"
)

// explain makes a topic's error of one of the library. ctx is the caller's: when it is done, its
// error is the answer.
func explain(ctx context.Context, doing string, err error) error {
	return topic.Explain(ctx, doing, err, causeOf, sentence)
}

// causeOf finds the cause of an error of the library, and whether it is final.
func causeOf(err error) (why string, final bool) {
	if errors.Is(err, context.DeadlineExceeded) {
		return topic.CauseTimeout, false
	}
	switch status.Code(err) {
	case codes.DeadlineExceeded:
		return topic.CauseTimeout, false
	case codes.PermissionDenied, codes.Unauthenticated:
		return topic.CauseDenied, true
	case codes.NotFound:
		return topic.CauseNotFound, false
	case codes.ResourceExhausted:
		return topic.CauseThrottled, false
	case codes.InvalidArgument, codes.FailedPrecondition, codes.OutOfRange, codes.AlreadyExists:
		return topic.CauseUsage, true
	case codes.Unimplemented:
		return topic.CauseUnsupported, true
	case codes.Unavailable:
		return causeOfConnection(err.Error()), false
	case codes.Internal, codes.Aborted, codes.Canceled:
		return topic.CauseUnavailable, false
	}
	// The client's own errors have no code, such as that of credentials that are not there.
	if text := err.Error(); strings.Contains(text, "credentials") || strings.Contains(text, "token") {
		return topic.CauseDenied, true
	}
	return topic.CauseProtocol, false
}

// causeOfConnection tells a server that is not there from one that says that it cannot. The library
// keeps only the words of the first.
func causeOfConnection(text string) string {
	why, _ := topic.CauseOfText(text)
	switch {
	case strings.Contains(text, "authentication handshake failed") && why != topic.CauseRefused &&
		why != topic.CauseUnreachable:
		return topic.CauseTLS // whatever it failed of
	case why != topic.CauseProtocol:
		return why
	case strings.Contains(text, "produced zero addresses"):
		return topic.CauseUnreachable
	case strings.Contains(text, "error reading from server"), strings.Contains(text, "connection is closing"):
		return topic.CauseClosed
	}
	return topic.CauseUnavailable
}

// sentence is what the service says, in one line.
func sentence(err error) string {
	text := err.Error()
	if s, ok := status.FromError(err); ok && s.Code() != codes.OK {
		text = s.Code().String() + ": " + s.Message()
	}
	return cause.Line(text)
}
