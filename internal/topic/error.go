package topic

import "errors"

// The causes that transports share. Others are the transport's own codes.
const (
	CauseTimeout     = "timeout"
	CauseRefused     = "refused"     // nobody listens at the address
	CauseUnreachable = "unreachable" // no way to the host
	CauseDenied      = "denied"      // the credentials are not accepted, or may not
	CauseNotFound    = "not-found"   // the topic or subscription is not there
	CauseTooLarge    = "too-large"   // the message exceeds the limit
	CauseClosed      = "closed"      // the connection was lost
	CauseThrottled   = "throttled"   // the service asks to slow down
	CauseUnavailable = "unavailable" // the service has a problem of its own
	CauseUnsupported = "unsupported" // the transport cannot do this
	CauseProtocol    = "protocol"    // the answer makes no sense
	CauseUsage       = "usage"       // the URL or an option is wrong
)

// Error is what went wrong at a broker.
type Error struct {
	Cause string // short, for counting
	Final bool   // another try cannot succeed
	Err   error  // the whole story, without secrets
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// CauseOf is the cause of an error of a transport, or "error" for one that has none.
func CauseOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Cause
	}
	return "error"
}
