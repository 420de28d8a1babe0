package throughputtest

import (
	"context"
	"net"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// A throttle is a path in user space, for where network namespaces are missing: a receiver
// that takes what comes at a known rate, out of so small a buffer that TCP holds the sender to
// it. It is less than a network: acknowledgements come at once, from this machine's kernel, and
// nothing is lost. A relay to another receiver would add nothing that the sender sees.
type throttle struct {
	net.Listener
	rate    float64 // bytes per second
	arrived *arrival
}

// An arrival is when the receiver's kernel had the last piece that it got.
type arrival struct{ at atomic.Pointer[time.Time] }

const (
	throttleBuffer = 16 << 10               // the kernel takes twice as much, half of it for itself
	throttleSlice  = 250 * time.Microsecond // of the rate are read together
	throttleCredit = 2 * time.Millisecond   // what a late wake-up may catch up
)

func newThrottle(tb testing.TB, bitsPerSecond float64) *throttle {
	tb.Helper()
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		var failed error
		err := c.Control(func(fd uintptr) {
			// A window of 64 KiB, which loopback would send as one segment, is no network.
			failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, 1448)
			if failed == nil {
				failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, throttleBuffer)
			}
		})
		if err != nil {
			return err
		}
		return failed
	}}
	l, err := config.Listen(context.Background(), "tcp4", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	return &throttle{l, bitsPerSecond / 8, &arrival{}}
}

func (l *throttle) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	raw, err := c.(*net.TCPConn).SyscallConn()
	return &throttled{Conn: c, raw: raw, throttle: l}, err
}

// A throttled connection is read by one goroutine at a time.
type throttled struct {
	net.Conn
	raw      syscall.RawConn
	throttle *throttle
	free     time.Time // when the next piece may be read
	read     int64
	total    int64 // read, or waiting in the kernel
}

func (c *throttled) Read(p []byte) (int, error) {
	if wait := time.Until(c.free); wait > 0 {
		ts := syscall.NsecToTimespec(int64(wait))
		_ = syscall.Nanosleep(&ts, nil)
	}
	c.look()
	slice := max(int(c.throttle.rate*throttleSlice.Seconds()), 1448)
	n, err := c.Conn.Read(p[:min(len(p), slice)])
	c.read += int64(n)
	c.look()
	if now := time.Now(); now.Sub(c.free) > throttleCredit {
		c.free = now
	}
	c.free = c.free.Add(time.Duration(float64(n) / c.throttle.rate * float64(time.Second)))
	return n, err
}

// look asks the kernel what waits. It is asked at each read, so that the moment of an arrival
// is known to within a slice.
func (c *throttled) look() {
	var waiting int32
	_ = c.raw.Control(func(fd uintptr) {
		_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCINQ, uintptr(unsafe.Pointer(&waiting)))
	})
	if total := c.read + int64(waiting); total > c.total {
		now := time.Now()
		c.total = total
		c.throttle.arrived.at.Store(&now)
	}
}
