package flow

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// A kernel that counts has counted the packet that opened a connection; of one that was not opened it says what waits, and
// of what is closed, or no socket, nothing.
func TestAskReturnsKernelCounts(t *testing.T) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	if a, ok := ask(fd); !ok || a != (answer{}) {
		t.Errorf("before it is opened: %+v, %v", a, ok)
	}
	if err := unix.Close(fd); err != nil {
		t.Fatal(err)
	}
	if a, ok := ask(-1); ok {
		t.Errorf("of none: %+v", a)
	}
	near, _ := pair(t)
	asks := asker(near)
	if a, ok := asks(); !ok || a.counts && a.acked != 1 || a.received != 0 {
		t.Errorf("when it is opened: %+v, %v", a, ok)
	}
	if info := infoOf(t, near); info.Bytes_acked > 0 {
		if a, _ := asks(); !a.counts {
			t.Errorf("the kernel counts, and is not asked for that: %+v", a)
		}
	}
	if err := near.Close(); err != nil {
		t.Fatal(err)
	}
	if a, ok := asks(); ok || a != (answer{}) {
		t.Errorf("when it is closed: %+v, %v", a, ok)
	}
	if asker(near) == nil {
		t.Error("what was closed cannot even be asked for")
	}
	if other, _ := net.Pipe(); asker(other) != nil {
		t.Error("a pipe is asked as if it were a socket")
	}
}

// infoOf is what the kernel says of a connection, by its own words.
func infoOf(t *testing.T, c net.Conn) (info *unix.TCPInfo) {
	t.Helper()
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) {
		info, err = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
	}); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return info
}
