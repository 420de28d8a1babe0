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
	"syscall"
	"testing"
)

func TestCauseOfConnection(t *testing.T) {
	for _, c := range []struct {
		err   error
		cause string
		final bool
	}{
		{context.DeadlineExceeded, CauseTimeout, false},
		{os.ErrDeadlineExceeded, CauseTimeout, false},
		{syscall.ETIMEDOUT, CauseTimeout, false},
		{&net.DNSError{Name: "h", IsTimeout: true}, CauseTimeout, false},
		{&net.DNSError{Name: "h", IsNotFound: true}, CauseUnreachable, false},
		{syscall.EHOSTUNREACH, CauseUnreachable, false},
		{syscall.ENETUNREACH, CauseUnreachable, false},
		{syscall.ECONNREFUSED, CauseRefused, false},
		{tls.RecordHeaderError{}, CauseTLS, true},
		{&tls.CertificateVerificationError{Err: io.EOF}, CauseTLS, true},
		{x509.UnknownAuthorityError{}, CauseTLS, true},
		{x509.CertificateInvalidError{Cert: &x509.Certificate{}}, CauseTLS, true},
		{x509.HostnameError{Certificate: &x509.Certificate{}}, CauseTLS, true},
		{errors.New("remote error: tls: certificate required"), CauseTLS, true},
		{io.EOF, CauseClosed, false},
		{io.ErrUnexpectedEOF, CauseClosed, false},
		{syscall.ECONNRESET, CauseClosed, false},
		{syscall.EPIPE, CauseClosed, false},
		{net.ErrClosed, CauseClosed, false},
		{errors.New("no sense in this"), CauseProtocol, false},
	} {
		err := fmt.Errorf("publish: %w", c.err)
		if cause, final := CauseOfConnection(err); cause != c.cause || final != c.final {
			t.Errorf("%v: %s (final: %t), want %s (%t)", err, cause, final, c.cause, c.final)
		}
	}
}

// An Error is returned as it is, before the error of the context.
func TestKnown(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	known := fmt.Errorf("outer: %w", Fail(CauseDenied, true, "no: %w", io.EOF))
	for _, c := range []struct {
		ctx       context.Context
		err, want error
	}{{t.Context(), known, known}, {gone, known, known}, {gone, io.EOF, context.Canceled}, {t.Context(), io.EOF, nil}} {
		if got := Known(c.ctx, c.err); !errors.Is(got, c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%v is %v, want %v", c.err, got, c.want)
		}
	}
}

// A known error keeps its cause and gains its context. The error of the caller's context comes first.
func TestExplained(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	known := fmt.Errorf("outer: %w", Fail(CauseDenied, true, "no: %w", io.EOF))
	for _, ctx := range []context.Context{t.Context(), gone} {
		err := Explained(ctx, "publish", known)
		var e *Error
		if !errors.As(err, &e) || e.Cause != CauseDenied || !e.Final || err.Error() != "publish: no: EOF" ||
			!errors.Is(err, io.EOF) {
			t.Errorf("%v", err)
		}
	}
	if err := Explained(gone, "publish", io.EOF); !errors.Is(err, context.Canceled) {
		t.Errorf("of a caller that left: %v", err)
	}
	if err := Explained(t.Context(), "publish", io.EOF); err != nil {
		t.Errorf("of what nobody knows: %v", err)
	}
}

func TestWorded(t *testing.T) {
	err := Worded(CauseThrottled, false, "slow down", io.EOF)
	if err.Error() != "slow down" || !errors.Is(err, io.EOF) || CauseOf(err) != CauseThrottled ||
		CauseOf(io.EOF) != "error" {
		t.Errorf("%v, %s", err, CauseOf(err))
	}
}
