//go:build linux && !386 && !s390x

package throughput

import (
	"encoding/binary"
	"net"
	"syscall"
	"time"
	"unsafe"
)

// A socketProber asks a TCP socket for the length of its queue (SIOCOUTQ, about 0.6 µs) and
// for what TCP knows of the path (TCP_INFO, about 1 µs). It allocates nothing once it is made.
type socketProber struct {
	raw   syscall.RawConn
	ask   func(fd uintptr) // the method below, bound once
	queue int32
	info  [tcpInfoSize]byte
	size  uint32
	errno syscall.Errno
}

// Offsets into the kernel's struct tcp_info (include/uapi/linux/tcp.h), which only grows at
// its end. The standard library's is older than the fields at the end of this list.
const (
	tcpInfoLastData     = 52
	tcpInfoBytesAcked   = 120
	tcpInfoReceived     = 128
	tcpInfoNotSent      = 144
	tcpInfoMinRTT       = 148
	tcpInfoDeliveryRate = 160
	tcpInfoBusyTime     = 168
	tcpInfo2017         = 176 // its size then
	tcpInfoReceiver     = 176
	tcpInfoSendBuffer   = 184
	tcpInfoRetrans      = 208
	tcpInfoSize         = 216
)

// newProber returns what can ask a connection, or nil if it is not one of TCP.
func newProber(c net.Conn) prober {
	raw := rawConn(c)
	if raw == nil {
		return nil
	}
	p := &socketProber{raw: raw}
	p.ask = p.control
	return p
}

// rawConn finds the socket below TLS and other layers that name what they are made of.
func rawConn(c net.Conn) syscall.RawConn {
	for range 8 { // layers; a layer that names itself must not hang us
		switch layer := c.(type) {
		case nil:
			return nil
		case *net.TCPConn:
			raw, err := layer.SyscallConn()
			if err != nil {
				return nil
			}
			return raw
		case interface{ NetConn() net.Conn }:
			c = layer.NetConn()
		case syscall.Conn:
			raw, err := layer.SyscallConn()
			if err != nil {
				return nil
			}
			return raw
		default:
			return nil
		}
	}
	return nil
}

func (p *socketProber) probe() (look, error) {
	if err := p.raw.Control(p.ask); err != nil {
		return look{}, err
	}
	if p.errno != 0 {
		return look{}, p.errno
	}
	l := look{queue: int64(p.queue), acked: -1}
	order := binary.NativeEndian
	if p.size >= tcpInfo2017 { // a kernel of that year or newer
		l.acked = int64(order.Uint64(p.info[tcpInfoBytesAcked:]))
		if rtt := order.Uint32(p.info[tcpInfoMinRTT:]); rtt != ^uint32(0) {
			l.minRTT = time.Duration(rtt) * time.Microsecond
		}
		l.unsent = int64(order.Uint32(p.info[tcpInfoNotSent:]))
		l.rate = float64(order.Uint64(p.info[tcpInfoDeliveryRate:]))
		l.busy = time.Duration(order.Uint64(p.info[tcpInfoBusyTime:])) * time.Microsecond
	}
	if l.queue == 0 {
		l.tick = tick()
	}
	if p.size >= tcpInfoSize { // of 2018
		times := func(at int) time.Duration { return time.Duration(order.Uint64(p.info[at:])) * time.Microsecond }
		l.counted, l.sending = true, Sending{l.busy, times(tcpInfoReceiver), times(tcpInfoSendBuffer),
			int64(order.Uint64(p.info[tcpInfoRetrans:])), l.tick}
	}
	return l, nil
}

func (p *socketProber) control(fd uintptr) {
	_, _, p.errno = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCOUTQ, uintptr(unsafe.Pointer(&p.queue)))
	if p.errno != 0 {
		return
	}
	p.size = tcpInfoSize
	_, _, p.errno = syscall.Syscall6(syscall.SYS_GETSOCKOPT, fd, syscall.IPPROTO_TCP, syscall.TCP_INFO,
		uintptr(unsafe.Pointer(&p.info)), uintptr(unsafe.Pointer(&p.size)), 0)
}

// A socketPeeker asks a TCP socket what has come and was not read (SIOCINQ).
type socketPeeker struct {
	raw   syscall.RawConn
	ask   func(fd uintptr) // the method below, bound once
	come  int32
	info  [tcpInfoReceived + 8]byte
	size  uint32 // to ask for that as well; else 0
	errno syscall.Errno
}

func newPeeker(c net.Conn) peeker {
	raw := rawConn(c)
	if raw == nil {
		return nil
	}
	p := &socketPeeker{raw: raw}
	p.ask = p.control
	return p
}

func (p *socketPeeker) waiting() (int64, error) {
	if err := p.raw.Control(p.ask); err != nil {
		return 0, err
	}
	if p.errno != 0 {
		return 0, p.errno
	}
	return int64(p.come), nil
}

// silent adds what has passed of the present tick to the ticks that the kernel counts since the last data.
func (p *socketPeeker) silent() (least, most time.Duration, err error) {
	// First of all: a tick that comes meanwhile may count twice then, and does not go missing.
	last := clock(syscall.SYS_CLOCK_GETTIME, clockCoarse)
	passed := clock(syscall.SYS_CLOCK_GETTIME, clockMonotonic) - last
	p.size = tcpInfoLastData + 4
	_, err = p.waiting()
	p.size = 0
	ticks := time.Duration(binary.NativeEndian.Uint32(p.info[tcpInfoLastData:])) * time.Millisecond
	return max(ticks-tick(), 0), ticks + passed, err
}

// received asks for what the kernel has counted since the connection was made (Linux 4.1).
func (p *socketPeeker) received() (int64, bool) {
	p.size = uint32(len(p.info))
	_, err := p.waiting()
	size := p.size
	p.size = 0
	n := int64(binary.NativeEndian.Uint64(p.info[tcpInfoReceived:]))
	return n, err == nil && size == uint32(len(p.info)) && n > 0 // what only looks like Linux says 0
}

func (p *socketPeeker) control(fd uintptr) {
	_, _, p.errno = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCINQ, uintptr(unsafe.Pointer(&p.come)))
	if p.errno == 0 && p.size > 0 {
		_, _, p.errno = syscall.Syscall6(syscall.SYS_GETSOCKOPT, fd, syscall.IPPROTO_TCP, syscall.TCP_INFO,
			uintptr(unsafe.Pointer(&p.info)), uintptr(unsafe.Pointer(&p.size)), 0)
	}
}

const (
	clockMonotonic = 1
	clockCoarse    = 6 // the same, as of the last tick
)

// clock asks for one of the clocks, or 0.
func clock(what, which uintptr) time.Duration {
	var ts syscall.Timespec
	if _, _, errno := syscall.Syscall(what, which, uintptr(unsafe.Pointer(&ts)), 0); errno != 0 {
		return 0
	}
	return time.Duration(ts.Nano())
}

// tick is that of the kernel's own clock.
func tick() time.Duration { return clock(syscall.SYS_CLOCK_GETRES, clockCoarse) }

// nap sleeps in the kernel, which wakes within some 50 µs. time.Sleep is up to a millisecond
// late in a process that has nothing else to do.
func nap(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&ts, nil) // ended early by a signal: one more poll
}
