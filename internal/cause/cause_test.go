package cause

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{context.DeadlineExceeded, Timeout},
		{os.ErrDeadlineExceeded, Timeout},
		{syscall.ETIMEDOUT, Timeout},
		{&net.DNSError{Name: "h", IsNotFound: true}, Unresolvable},
		{&net.DNSError{Name: "h", IsTimeout: true}, Unresolvable},
		{&net.DNSError{Name: "h", UnwrapErr: context.DeadlineExceeded, IsTimeout: true}, Timeout},
		{os.NewSyscallError("connect", syscall.ECONNREFUSED), Refused},
		{os.NewSyscallError("connect", syscall.EHOSTUNREACH), Unreachable},
		{os.NewSyscallError("connect", syscall.ENETUNREACH), Unreachable},
		{os.NewSyscallError("socket", syscall.EMFILE), TooManyFiles},
		{os.NewSyscallError("accept", syscall.ENFILE), TooManyFiles},
		{os.NewSyscallError("connect", syscall.EADDRNOTAVAIL), NoLocalPort},
		{os.NewSyscallError("read", syscall.ECONNRESET), Reset},
		{os.NewSyscallError("write", syscall.EPIPE), Reset},
		{io.ErrUnexpectedEOF, CutOff},
		{io.EOF, Ended},
		{net.ErrClosed, Closed},
		{errors.New("http: server closed idle connection"), Closed},
		{tls.RecordHeaderError{}, TLS},
		{&tls.CertificateVerificationError{Err: io.EOF}, TLS},
		{tls.AlertError(42), TLS},
		{x509.UnknownAuthorityError{}, TLS},
		{x509.CertificateInvalidError{Cert: &x509.Certificate{}}, TLS},
		{x509.HostnameError{Certificate: &x509.Certificate{}}, TLS},
		{errors.New("remote error: tls: certificate required"), TLS},
		{http.ErrSchemeMismatch, Scheme},
		{errors.New("http: server gave HTTP response to HTTPS client"), Scheme},
		{errors.New(`net/http: HTTP/1.x transport connection broken: malformed HTTP response "x"`), Protocol},
		{&os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, DiskFull},
		{&os.PathError{Op: "write", Path: "x", Err: syscall.EDQUOT}, DiskFull},
		{&os.PathError{Op: "write", Path: "x", Err: syscall.EFBIG}, DiskFull},
		{&os.PathError{Op: "open", Path: "x", Err: syscall.EACCES}, AccessDenied},
		{&os.PathError{Op: "open", Path: "x", Err: syscall.ENOENT}, NoFile},
		{context.Canceled, ""},
		{errors.New("something"), ""},
	} {
		for _, err := range []error{
			c.err, fmt.Errorf("part 3: %w", c.err), &net.OpError{Op: "dial", Net: "tcp", Err: c.err},
			&url.Error{Op: "Put", URL: "http://h", Err: c.err},
		} {
			if c.err == nil {
				err = nil
			}
			if got := Of(err); got != c.want {
				t.Errorf("%T %v: %q, want %q", err, err, got, c.want)
			}
		}
	}
}

func TestOfStatus(t *testing.T) {
	for code, want := range map[int]string{
		401: NoCredentials, 403: AccessDenied, 404: NoFile, 408: Timeout, 413: TooLarge, 429: SlowDown, 503: SlowDown,
		507: DiskFull, 500: "", 418: "", 301: "",
	} {
		if got := OfStatus(code); got != want {
			t.Errorf("%d: %q, want %q", code, got, want)
		}
	}
}

func TestOfClose(t *testing.T) {
	if got := Status(418); got != "status-418" {
		t.Error(got)
	}
	for code, want := range map[uint16]string{0: "closed-by-peer:1005", 1000: "closed-by-peer:1000",
		1011: "closed-by-peer:1011"} {
		if got := OfClose(code); got != want {
			t.Errorf("%d: %q, want %q", code, got, want)
		}
	}
	for err, want := range map[error]string{
		io.EOF: "closed-by-peer:1006", io.ErrUnexpectedEOF: "closed-by-peer:1006", net.ErrClosed: "",
		syscall.ECONNRESET: "",
	} {
		if got := OfLostWebSocket(err); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}

func TestOfText(t *testing.T) {
	for text, want := range map[string]string{
		"dial tcp 127.0.0.1:1: connect: connection refused": Refused,
		"lookup h: no such host":                            Unresolvable,
		"connect: no route to host":                         Unreachable,
		"connect: network is unreachable":                   Unreachable,
		"remote error: tls: bad certificate":                TLS,
		"read: connection reset by peer":                    Reset,
		"write: broken pipe":                                Reset,
		"nats: EOF":                                         Ended,
		"out of luck":                                       "",
	} {
		if got := OfText(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestFinal(t *testing.T) {
	for cause, want := range map[string]bool{
		TLS: true, Scheme: true, AccessDenied: true, NoCredentials: true, TooLarge: true, Unsupported: true,
		Timeout: false, Refused: false, Unresolvable: false, Reset: false, Ended: false, SlowDown: false,
		DiskFull: false, "": false,
	} {
		if Final(cause) != want {
			t.Errorf("%s: %t", cause, !want)
		}
	}
}

func TestWorded(t *testing.T) {
	if err := Worded("slow down", io.EOF); err.Error() != "slow down" || !errors.Is(err, io.EOF) {
		t.Errorf("%v", err)
	}
}

func TestLine(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{" a\tb\x1b[31m\x7f \nsecond", "a b [31m"},
		{"", ""},
		{"\n first\nsecond", "first"},
		{"\xff.", "?."},
		{strings.Repeat("x", 300), strings.Repeat("x", 300)},
		{strings.Repeat("x", 301), strings.Repeat("x", 300) + "…"},
		{strings.Repeat("x", 299) + "é", strings.Repeat("x", 299) + "…"},
	} {
		if got := Line(c.text); got != c.want {
			t.Errorf("%q is %q, want %q", c.text, got, c.want)
		}
	}
}

// Causes are part of run documents, so their names must not change.
func TestCauseNamesAreStable(t *testing.T) {
	for is, was := range map[string]string{
		Timeout: "timeout", Unresolvable: "unresolvable", Refused: "refused", Unreachable: "unreachable",
		Reset: "reset", Ended: "ended", CutOff: "cut-off", Closed: "closed", TLS: "tls",
		Scheme: "scheme", Protocol: "protocol", TooManyFiles: "too-many-files", NoLocalPort: "no-local-port",
		DiskFull: "disk-full", AccessDenied: "access-denied", NoFile: "no-such-file",
		NoCredentials: "no-credentials", SlowDown: "slow-down", TooLarge: "too-large", Unsupported: "unsupported",
	} {
		if is != was {
			t.Errorf("%s is %s now", was, is)
		}
	}
}
