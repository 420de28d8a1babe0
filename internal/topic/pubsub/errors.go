package pubsub

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/plimsoll/plimsoll/internal/topic"
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
	return &topic.Error{Cause: cause, Final: final, Err: &failure{text: doing + ": " + sentence(err), err: err}}
}

// failure shows its own text and keeps what the library said for errors.As.
type failure struct {
	text string
	err  error
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.err }

// causeOf finds the cause of an error of the library, and whether it is final.
func causeOf(err error) (cause string, final bool) {
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
		return causeOfConnection(err), false
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
func causeOfConnection(err error) string {
	text := err.Error()
	switch {
	case strings.Contains(text, "connection refused"):
		return topic.CauseRefused
	case strings.Contains(text, "no such host"), strings.Contains(text, "no route to host"),
		strings.Contains(text, "network is unreachable"), strings.Contains(text, "produced zero addresses"):
		return topic.CauseUnreachable
	case strings.Contains(text, "authentication handshake failed"), strings.Contains(text, "tls: "):
		return "tls"
	case strings.Contains(text, "error reading from server"), strings.Contains(text, "connection is closing"),
		strings.Contains(text, "connection reset"), strings.Contains(text, "EOF"):
		return topic.CauseClosed
	}
	return topic.CauseUnavailable
}

// sentence is what the service says, in one line.
func sentence(err error) string {
	const most = 300
	text := err.Error()
	if s, ok := status.FromError(err); ok && s.Code() != codes.OK {
		text = s.Code().String() + ": " + s.Message()
	}
	text, _, _ = strings.Cut(text, "\n")
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}
