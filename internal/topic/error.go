package topic

import (
	"context"
	"errors"
	"fmt"

	"github.com/plimsoll/plimsoll/internal/cause"
)

// The causes that transports share. Others are the transport's own codes.
const (
	CauseTimeout     = cause.Timeout
	CauseRefused     = cause.Refused
	CauseUnreachable = cause.Unreachable // or no host of that name
	CauseTLS         = cause.TLS
	CauseDenied      = "denied"          // the credentials are not accepted, or may not
	CauseNotFound    = "not-found"       // the topic or subscription is not there
	CauseTooLarge    = cause.TooLarge    // the message exceeds the limit
	CauseClosed      = cause.Closed      // the connection was lost
	CauseThrottled   = "throttled"       // the service asks to slow down
	CauseUnavailable = "unavailable"     // the service has a problem of its own
	CauseUnsupported = cause.Unsupported // the transport cannot do this
	CauseProtocol    = cause.Protocol    // the answer makes no sense
	CauseUsage       = "usage"           // the URL or an option is wrong

	// CauseFull is a broker that has no room. It is not final: subscriptions that acknowledge
	// make room.
	CauseFull = "full"
)

// Error is what went wrong at a broker.
type Error struct {
	Cause string // short, for counting
	Final bool   // another try cannot succeed
	Err   error  // the whole story, without secrets
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Fail makes an Error.
func Fail(cause string, final bool, format string, args ...any) *Error {
	return &Error{Cause: cause, Final: final, Err: fmt.Errorf(format, args...)}
}

// Closed is the answer to a call after Close.
func Closed() error { return Fail(CauseClosed, true, "already closed") }

// Worded is an Error that shows a text of its own and keeps err for errors.As.
func Worded(why string, final bool, text string, err error) *Error {
	return &Error{Cause: why, Final: final, Err: cause.Worded(text, err)}
}

// CauseOf is the cause of an error of a transport, or "error" for one that has none.
func CauseOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Cause
	}
	return "error"
}

// NotTaken reports whether a failure with this cause is the broker's answer that it does not take the message, so that
// the message was not published.
func NotTaken(cause string) bool {
	switch cause {
	case CauseFull, CauseThrottled, CauseTooLarge:
		return true
	}
	return false
}

// Known is err when it is an Error, or the error of ctx, the caller's, when that is done; else nil.
func Known(ctx context.Context, err error) error {
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	return ctx.Err()
}

// Explained is err when nothing is left to find out about it: an Error, with what was being
// done before it, or that of ctx, the caller's, when that is done. Otherwise it is nil.
func Explained(ctx context.Context, doing string, err error) error {
	var known *Error
	if errors.As(err, &known) {
		return Fail(known.Cause, known.Final, "%s: %w", doing, known.Err)
	}
	return ctx.Err()
}

// Explain makes an Error of one of a library, by its cause; sentence, if not nil, puts it into other
// words. What is Explained stays as it is.
func Explain(ctx context.Context, doing string, err error, causeOf func(error) (string, bool),
	sentence func(error) string) error {
	if known := Explained(ctx, doing, err); known != nil {
		return known
	}
	why, final := causeOf(err)
	if sentence == nil {
		return Fail(why, final, "%s: %w", doing, err)
	}
	return Worded(why, final, doing+": "+sentence(err), err)
}

// CauseOfConnection finds the cause of an error of a connection, and whether it is final. It is
// CauseProtocol for what it does not know.
func CauseOfConnection(err error) (why string, final bool) {
	if cause.TimedOut(err) { // the lookup of a name included
		return CauseTimeout, false
	}
	return worded(cause.Of(err))
}

// CauseOfText is CauseOfConnection for an error of which a library has kept the words alone.
func CauseOfText(text string) (why string, final bool) { return worded(cause.OfText(text)) }

// worded is a cause in the words that transports share.
func worded(found string) (why string, final bool) {
	why = CauseProtocol
	switch found {
	case cause.Unresolvable, cause.Unreachable:
		why = CauseUnreachable
	case cause.Reset, cause.Ended, cause.CutOff, cause.Closed:
		why = CauseClosed
	case cause.TLS, cause.Scheme:
		why = CauseTLS
	case cause.Timeout, cause.Refused, cause.TooManyFiles, cause.NoLocalPort:
		why = found
	}
	return why, cause.Final(why)
}

// CauseOfStatus is the cause of an answer of HTTP that says no more than its status.
func CauseOfStatus(status int) (why string, final bool) {
	if status >= 500 {
		return CauseUnavailable, false
	}
	switch found := cause.OfStatus(status); found {
	case cause.NoCredentials, cause.AccessDenied:
		return CauseDenied, true
	case cause.TooLarge:
		return CauseTooLarge, true
	case cause.SlowDown:
		return CauseThrottled, false
	}
	return CauseProtocol, false
}
