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
		{&timeoutError{1}, Timeout},
		{&url.Error{Op: "Get", URL: "http://x", Err: &timeoutError{1}}, Timeout},
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
		{errors.New("something"), Other},
		{context.Canceled, Other},
	} {
		if got := CauseOf(c.err); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}
