package wire

import (
	"io"
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// Untaken reports data that was sent after the peer had closed the connection.
func TestUntaken(t *testing.T) {
	for name, test := range map[string]struct {
		closes        bool
		first, second string
	}{
		"closed before":          {true, "hello", "a request of some length"},
		"closed before anything": {true, "", "a request of some length"},
		"taken and closed":       {false, "hello", "a request of some length"},
		"a byte taken":           {false, "hello", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			closes, first, second := test.closes, test.first, test.second
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = l.Close() }()
			raw, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			c := Wrap(raw, nil)
			defer func() { _ = c.Close() }()
			other, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(c, first); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(other, make([]byte, len(first))); err != nil {
				t.Fatal(err)
			}
			if closes {
				_ = other.Close()
				ready := []unix.PollFd{{Fd: int32(fd(t, raw)), Events: unix.POLLIN}}
				if _, err := unix.Poll(ready, -1); err != nil { // until the word of it is here
					t.Fatal(err)
				}
			}
			if _, err := io.WriteString(c, second); err != nil {
				t.Fatal(err)
			}
			if !closes {
				if _, err := io.ReadFull(other, make([]byte, len(second))); err != nil {
					t.Fatal(err)
				}
				_ = other.Close()
			}
			if n, err := c.Read(make([]byte, 1)); err == nil {
				t.Fatalf("%d bytes came", n)
			}
			if got := c.Untaken(len(second)); got != closes {
				t.Errorf("untaken: %v", got)
			}
			_ = c.Close()
			if c.Untaken(len(second)) {
				t.Error("nobody knows of a closed one")
			}
		})
	}
}

// Data waits until it is acknowledged. Old kernels count nothing, or only what was acknowledged.
func TestWaitingCountsUnacknowledgedData(t *testing.T) {
	for _, test := range []struct {
		sent, again, acked uint64
		want               int64
	}{
		{0, 0, 0, 0}, {0, 0, 6, 0}, {5, 0, 0, 0}, {1, 0, 1, 1}, {1, 0, 2, 0}, {10, 0, 1, 10}, {10, 0, 6, 5}, {10, 4, 1, 6}, {10, 0, 11, 0},
	} {
		info := unix.TCPInfo{Bytes_sent: test.sent, Bytes_retrans: test.again, Bytes_acked: test.acked}
		if got := waiting(&info); got != test.want {
			t.Errorf("%+v: %d", test, got)
		}
	}
}

// Gone reports connections with unread data or at their end; it cannot know of a quiet one.
func TestGone(t *testing.T) {
	c, theirs := pair(t, "tcp", nil)
	is := func(want bool, when string) {
		t.Helper()
		if c.Gone() != want {
			t.Errorf("%s: %v", when, !want)
		}
	}
	is(false, "at first")
	if _, err := theirs.Write([]byte("ab")); err != nil {
		t.Fatal(err)
	}
	await(t, c, 2)
	is(true, "with something to read")
	if _, err := io.ReadFull(c, make([]byte, 2)); err != nil {
		t.Fatal(err)
	}
	is(false, "when it was read")
	_ = theirs.Close()
	ready := []unix.PollFd{{Fd: int32(fd(t, c.Conn)), Events: unix.POLLIN}}
	if _, err := unix.Poll(ready, -1); err != nil {
		t.Fatal(err)
	}
	is(true, "when the other side has closed it")
	c, _ = pair(t, "tcp", nil)
	_ = c.Close()
	is(true, "when it is closed")
	c, _ = pair(t, "pipe", nil)
	is(false, "of a pipe")
	if c.Untaken(1) {
		t.Error("nothing is known of a pipe")
	}
}

func fd(t *testing.T, c net.Conn) (number uintptr) {
	t.Helper()
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { number = fd })
	}
	if err != nil {
		t.Fatal(err)
	}
	return number
}
