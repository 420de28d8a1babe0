package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
)

// The causes of errors: one word each, for reports. A store uses these where they fit, and
// for the rest the lower-case name that the service gives, such as "status-500".
const (
	AccessDenied  = "access-denied"
	NoCredentials = "no-credentials"
	NoBucket      = "no-such-bucket" // or container, or directory
	NoFile        = "no-such-file"
	WrongRegion   = "wrong-region"
	ClockSkew     = "clock-skew"
	SlowDown      = "slow-down" // the store asks for fewer requests
	TooLarge      = "too-large"
	TooSmall      = "too-small" // a part that the store takes only as the last one
	DiskFull      = "disk-full"
	Corrupt       = "corrupt" // a checksum did not match
	Truncated     = "truncated"
	Unsupported   = "unsupported"
	Timeout       = "timeout"
	Refused       = "refused"
	Reset         = "reset" // the connection was lost
	Unresolvable  = "unresolvable"
	TLS           = "tls"
	Protocol      = "protocol" // an answer that is not of this protocol
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
	var network net.Error
	var resolve *net.DNSError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &known):
		return known.Cause
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	case errors.As(err, &resolve):
		return Unresolvable
	case errors.Is(err, syscall.ECONNREFUSED):
		return Refused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF),
		errors.Is(err, net.ErrClosed),                                        // by net/http, when its reader sees the end before its writer
		strings.Contains(err.Error(), "http: server closed idle connection"): // likewise; the error has no name
		return Reset
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return DiskFull
	case errors.Is(err, os.ErrPermission):
		return AccessDenied
	case errors.Is(err, os.ErrNotExist):
		return NoFile
	case errors.As(err, &network) && network.Timeout():
		return Timeout
	}
	return Other
}
