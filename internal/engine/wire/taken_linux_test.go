package wire

import (
	"io"
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWhatNobodyTook: a connection whose other side had closed it takes nothing; one that takes it and says nothing has.
func TestWhatNobodyTook(t *testing.T) {
	for name, closes := range map[string]bool{"closed before": true, "taken and closed": false} {
		t.Run(name, func(t *testing.T) {
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
			const first, second = "hello", "a request of some length"
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
		})
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
