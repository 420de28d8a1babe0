package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/plimsoll/plimsoll/internal/cause"
)

// The causes of errors: one word each, for reports. A store uses these where they fit, and
// for the rest the lower-case name that the service gives, such as "status-500".
const (
	AccessDenied  = cause.AccessDenied
	NoCredentials = cause.NoCredentials
	NoBucket      = "no-such-bucket" // or container, or directory
	NoFile        = cause.NoFile
	WrongRegion   = "wrong-region"
	ClockSkew     = "clock-skew"
	SlowDown      = cause.SlowDown
	TooLarge      = cause.TooLarge
	TooSmall      = "too-small" // a part that the store takes only as the last one
	DiskFull      = cause.DiskFull
	Corrupt       = "corrupt" // a checksum did not match
	Changed       = "changed" // the file is not the one any more that was opened
	Truncated     = "truncated"
	Unsupported   = cause.Unsupported
	Timeout       = cause.Timeout
	Refused       = cause.Refused
	Reset         = cause.Reset // the connection was lost
	Unresolvable  = cause.Unresolvable
	TLS           = cause.TLS
	Protocol      = cause.Protocol
	Other         = "other"
)

// Error is what went wrong in a store.
type Error struct {
	Cause string // one of the causes
	Err   error  // in full, without secrets
	Hint  string // what to do about it; may be empty
}

// Error is the error in full.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap gives the store's own error.
func (e *Error) Unwrap() error { return e.Err }

// Fail makes an Error.
func Fail(cause, format string, args ...any) *Error {
	return &Error{Cause: cause, Err: fmt.Errorf(format, args...)}
}

// WithHint returns a copy of the error that says what to do.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// CauseOf is the cause of an error: an Error's own, or what the system's errors in its chain
// say; "" for nil.
func CauseOf(err error) string {
	var known *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &known):
		return known.Cause
	}
	switch found := cause.Of(err); found {
	case "":
		return Other
	case cause.Ended, cause.CutOff, cause.Closed:
		return Reset
	case cause.Scheme:
		return TLS
	default:
		return found
	}
}

// Explained is err when nothing is left to find out about it: that of ctx, the caller's, when that
// is done, or an Error, with what it is about before it. Otherwise it is nil.
func Explained(ctx context.Context, where string, err error) error {
	var known *Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &known):
		return &Error{Cause: known.Cause, Err: fmt.Errorf("%s: %w", where, known.Err), Hint: known.Hint}
	}
	return nil
}

// Found is whether a file is there, by the error of asking for it.
func Found(err error) (bool, error) {
	if CauseOf(err) == NoFile {
		return false, nil
	}
	return err == nil, err
}

// Gone is the error of removing a file: one that is not there is none.
func Gone(err error) error {
	if CauseOf(err) == NoFile {
		return nil
	}
	return err
}
