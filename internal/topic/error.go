package topic

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
)

// The causes that transports share. Others are the transport's own codes.
const (
	CauseTimeout     = "timeout"
	CauseRefused     = "refused"     // nobody listens at the address
	CauseUnreachable = "unreachable" // no way to the host
	CauseTLS         = "tls"         // the handshake failed
	CauseDenied      = "denied"      // the credentials are not accepted, or may not
	CauseNotFound    = "not-found"   // the topic or subscription is not there
	CauseTooLarge    = "too-large"   // the message exceeds the limit
	CauseClosed      = "closed"      // the connection was lost
	CauseThrottled   = "throttled"   // the service asks to slow down
	CauseUnavailable = "unavailable" // the service has a problem of its own
	CauseUnsupported = "unsupported" // the transport cannot do this
	CauseProtocol    = "protocol"    // the answer makes no sense
	CauseUsage       = "usage"       // the URL or an option is wrong

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
func Closed() error { return Fail(CauseClosed, true, "it is closed") }

// Worded is an Error that shows a text of its own and keeps err for errors.As.
func Worded(cause string, final bool, text string, err error) *Error {
	return &Error{Cause: cause, Final: final, Err: &worded{text: text, err: err}}
}

type worded struct {
	text string
	err  error
}

func (w *worded) Error() string { return w.text }
func (w *worded) Unwrap() error { return w.err }

// CauseOf is the cause of an error of a transport, or "error" for one that has none.
func CauseOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Cause
	}
	return "error"
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

// CauseOfConnection finds the cause of an error of a connection, and whether it is final. It is
// CauseProtocol for what it does not know.
func CauseOfConnection(err error) (cause string, final bool) {
	var dns *net.DNSError
	var late net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &late) && late.Timeout():
		return CauseTimeout, false
	case isTLS(err):
		return CauseTLS, true
	case errors.Is(err, syscall.ECONNREFUSED):
		return CauseRefused, false
	case errors.As(err, &dns), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return CauseUnreachable, false
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed):
		return CauseClosed, false
	}
	return CauseProtocol, false
}

func isTLS(err error) bool {
	var header tls.RecordHeaderError
	var verify *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	return errors.As(err, &header) || errors.As(err, &verify) || errors.As(err, &unknown) ||
		errors.As(err, &invalid) || errors.As(err, &name) || strings.Contains(err.Error(), "tls: ")
}

// OneLine is the beginning of a text, in one line without control characters.
func OneLine(text string) string {
	const most = 300
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
	return strings.TrimSpace(text)
}
