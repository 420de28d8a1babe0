package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"
)

func TestCauseOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{Fail(SlowDown, "slowly"), SlowDown},
		{fmt.Errorf("part 3: %w", Fail(NoBucket, "gone").WithHint("make it")), NoBucket},
		{errors.Join(errors.New("first"), Fail(Corrupt, "second")), Corrupt},
		{context.DeadlineExceeded, Timeout},
		{&limitError{}, Timeout},
		{&url.Error{Op: "Get", URL: "http://x", Err: &limitError{}}, Timeout},
		{&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", IsNotFound: true}}, Unresolvable},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, Refused},
		{&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, Reset},
		{&net.OpError{Op: "write", Err: os.NewSyscallError("write", syscall.EPIPE)}, Reset},
		{&net.OpError{Op: "write", Err: net.ErrClosed}, Reset},
		{io.ErrUnexpectedEOF, Reset},
		{&url.Error{Op: "Put", URL: "http://x", Err: errors.New("http: server closed idle connection")}, Reset},
		{&url.Error{Op: "Put", URL: "http://x", Err: io.EOF}, Reset},
		{&os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, DiskFull},
		{&os.PathError{Op: "write", Path: "x", Err: syscall.EDQUOT}, DiskFull},
		{&os.PathError{Op: "open", Path: "x", Err: syscall.EACCES}, AccessDenied},
		{&os.PathError{Op: "open", Path: "x", Err: syscall.ENOENT}, NoFile},
		{errors.New("x509: certificate signed by unknown authority"), TLS},
		{errors.New("http: server gave HTTP response to HTTPS client"), TLS},
		{errors.New("something"), Other},
		{context.Canceled, Other},
	} {
		if got := CauseOf(c.err); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}

// Explained names the subject of an error once. Found and Gone treat a missing file as no error.
func TestExplainedFoundAndGone(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	no, broken, odd := Fail(NoFile, "no"), Fail(Corrupt, "broken").WithHint("repair it"), errors.New("odd")
	if err := Explained(t.Context(), "part 3", fmt.Errorf("again: %w", broken)); err == nil || err.Error() != "part 3: broken" ||
		CauseOf(err) != Corrupt || !errors.Is(err, broken.Err) {
		t.Errorf("%v", err)
	} else if known := (*Error)(nil); !errors.As(err, &known) || known.Hint != "repair it" {
		t.Errorf("%+v", known)
	}
	if err := Explained(t.Context(), "part 3", odd); err != nil {
		t.Errorf("what is left to find out is %v", err)
	}
	if err := Explained(gone, "part 3", broken); err != context.Canceled {
		t.Errorf("of who has left: %v", err)
	}
	for _, c := range []struct {
		err   error
		found bool
		want  error
	}{{nil, true, nil}, {no, false, nil}, {broken, false, broken}, {odd, false, odd}} {
		if found, err := Found(c.err); found != c.found || err != c.want {
			t.Errorf("%v: found %v, %v", c.err, found, err)
		}
		if err := Gone(c.err); err != c.want {
			t.Errorf("%v: gone with %v", c.err, err)
		}
	}
}
