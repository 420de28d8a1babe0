package cause

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
)

// Of is the cause of an error by what the system, the standard library and their like put into
// its chain; "" when that says nothing.
func Of(err error) string {
	var resolve *net.DNSError
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	case errors.As(err, &resolve):
		return Unresolvable
	case errors.Is(err, http.ErrSchemeMismatch), strings.Contains(err.Error(), http.ErrSchemeMismatch.Error()):
		return Scheme
	case isTLS(err):
		return TLS
	}
	if cause := ofConnection(err); cause != "" {
		return cause
	}
	if cause := ofSystem(err); cause != "" {
		return cause
	}
	switch {
	case TimedOut(err): // behind the errors of files: a few of those are timeouts as well
		return Timeout
	case strings.Contains(err.Error(), "malformed HTTP"): // by net/http, whose error has no name
		return Protocol
	}
	return ""
}

// TimedOut reports whether an error is one of something that took too long.
func TimedOut(err error) bool {
	var late net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &late) && late.Timeout()
}

func isTLS(err error) bool {
	var header tls.RecordHeaderError
	var verify *tls.CertificateVerificationError
	var alert tls.AlertError
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	text := err.Error()
	return errors.As(err, &header) || errors.As(err, &verify) || errors.As(err, &alert) ||
		errors.As(err, &unknown) || errors.As(err, &invalid) || errors.As(err, &name) ||
		strings.Contains(text, "tls: ") || strings.Contains(text, "x509: ") // most have no names
}

func ofConnection(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return Refused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return Reset
	case errors.Is(err, io.ErrUnexpectedEOF):
		return CutOff
	case errors.Is(err, io.EOF):
		return Ended
	case errors.Is(err, net.ErrClosed), // by net/http, too, when its reader sees the end before its writer
		strings.Contains(err.Error(), "http: server closed idle connection"): // likewise; the error has no name
		return Closed
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return Unreachable
	}
	return ""
}

func ofSystem(err error) string {
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return TooManyFiles
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return NoLocalPort
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return DiskFull
	case errors.Is(err, os.ErrPermission):
		return AccessDenied
	case errors.Is(err, os.ErrNotExist):
		return NoFile
	}
	return ""
}

// OfText is the cause of an error of a connection of which a library has kept the words alone; ""
// when they say nothing.
func OfText(text string) string {
	has := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(text, part) {
				return true
			}
		}
		return false
	}
	switch {
	case has("connection refused"):
		return Refused
	case has("no such host"):
		return Unresolvable
	case has("no route to host", "network is unreachable"):
		return Unreachable
	case has("tls: "):
		return TLS
	case has("connection reset", "broken pipe"):
		return Reset
	case has("EOF"):
		return Ended
	}
	return ""
}
