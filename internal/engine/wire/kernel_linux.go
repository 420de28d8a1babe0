package wire

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// unseen says why there are no stamps on this system.
const unseen = ""

// kernel makes the calls of a socket that the standard library has not: reading together with the stamp, and
// writing without waiting. The functions that the library's poller calls are made once, and what they work on
// stays here, since a closure for each call would be allocated.
type kernel struct {
	conn    net.Conn
	raw     syscall.RawConn // nil: neither TCP nor a Unix socket
	stamps  bool
	reading reading
	writing writing
	peeking peeking
}

// peeking is of whom the connection belongs to.
type peeking struct {
	call  func(fd uintptr)
	one   [1]byte
	ready bool
}

type reading struct {
	mu      sync.Mutex
	call    func(fd uintptr) bool
	header  unix.Msghdr
	vec     unix.Iovec
	control [unix.SizeofCmsghdr + 16*unix.SizeofPtr]byte // three times a Timespec, and to spare
	n       int
	errno   syscall.Errno
	asks    *Conn // whose request is to be sent before; nil: none
	failed  error // why it could not be
}

// writing is guarded by the outlet's lock.
type writing struct {
	call func(fd uintptr) bool
	p    []byte
	n    int
	err  error
}

// socket is a connection of the system's.
type socket interface {
	net.Conn
	syscall.Conn
}

// open takes a socket, and asks the kernel to stamp what it receives, if t is not nil.
func (k *kernel) open(s socket, t *Times) {
	raw, err := s.SyscallConn()
	if err != nil {
		return // it is closed: what follows fails by itself
	}
	k.conn, k.raw = s, raw
	k.writing.call = k.writing.try
	k.peeking.call = k.peeking.try
	if t == nil {
		return
	}
	k.reading.call = k.reading.try
	k.reading.header.Iov = &k.reading.vec
	k.reading.header.SetIovlen(1)
	refused := raw.Control(func(fd uintptr) { err = stamp(int(fd)) })
	if err = errors.Join(refused, err); err != nil {
		t.blind(err)
		return
	}
	k.stamps = true
}

// stamp asks the kernel to stamp what a socket receives.
func stamp(fd int) error {
	return os.NewSyscallError("setsockopt SO_TIMESTAMPING", unix.SetsockoptInt(fd, unix.SOL_SOCKET,
		unix.SO_TIMESTAMPING, unix.SOF_TIMESTAMPING_RX_SOFTWARE|unix.SOF_TIMESTAMPING_SOFTWARE))
}

// gone reports whether something can be read, or the end.
func (k *kernel) gone() bool {
	if k.raw == nil {
		return false
	}
	err := k.raw.Control(k.peeking.call)
	return k.peeking.ready || err != nil
}

// try looks whether there is something.
func (p *peeking) try(fd uintptr) {
	_, _, errno := unix.Syscall6(unix.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(&p.one[0])), 1,
		unix.MSG_PEEK|unix.MSG_DONTWAIT, 0, 0)
	p.ready = errno != unix.EAGAIN && errno != unix.EINTR
}

// untaken reports whether nothing of the last n bytes was acknowledged. What cannot be told from the counts of a system
// (Linux before 4.19 has none) was.
func (k *kernel) untaken(n int) bool {
	if k.raw == nil {
		return false
	}
	var info *unix.TCPInfo
	var err error
	refused := k.raw.Control(func(fd uintptr) {
		info, err = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
	})
	return refused == nil && err == nil && waiting(info) >= int64(n)
}

// waiting is how many bytes were sent and not acknowledged; 0 where the system does not count them.
func waiting(info *unix.TCPInfo) int64 {
	if info.Bytes_sent == 0 || info.Bytes_acked == 0 {
		return 0
	}
	// The packet that opened the connection counts as one byte that was acknowledged.
	return int64(info.Bytes_sent) - int64(info.Bytes_retrans) + 1 - int64(info.Bytes_acked)
}

// hold keeps the kernel stamping for as long as Times is used, by a socket that does nothing else. The kernel patches
// its own code when the first socket wants stamps, and back after the last: that disturbs every processor, and
// takes a second where the machine is busy. A client that reconnects should not bring it about each time.
func (t *Times) hold() {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return // of this kind: connections may be of another
	}
	t.held = os.NewFile(uintptr(fd), "stamps") // which the garbage collector closes with Times
	if err := stamp(fd); err != nil {
		t.blind(err)
	}
}

// receive reads data, and the wall-clock stamp of its last segment; 0 when there is none. What the connection was asked
// to send before it sends where the poller has begun to notice what comes.
func (k *kernel) receive(p []byte, c *Conn) (n int, wall int64, err error) {
	r := &k.reading
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = nil
	if c.ask.p != nil {
		r.asks = c
	}
	r.vec.Base = &p[0]
	r.vec.SetLen(len(p))
	err = k.raw.Read(r.call)
	r.vec.Base = nil
	r.asks = nil
	if r.failed != nil {
		return 0, 0, r.failed
	}
	if err == nil && r.errno != 0 {
		err = os.NewSyscallError("recvmsg", r.errno)
	}
	switch {
	case err != nil:
		return 0, 0, k.failure("read", err)
	case r.n == 0:
		return 0, 0, io.EOF
	}
	return r.n, stampIn(r.control[:r.header.Controllen]), nil
}

// try is false when there is nothing to read yet. As the socket never has anybody wait, the scheduler is not told of
// the call (RawSyscall): it would spend time on that, and have another thread take over whenever the call lasts.
func (r *reading) try(fd uintptr) bool {
	if c := r.asks; c != nil {
		r.asks = nil
		r.failed = c.sendAsked()
		return r.failed != nil
	}
	for {
		r.header.Control = &r.control[0]
		r.header.SetControllen(len(r.control))
		n, _, errno := unix.RawSyscall(unix.SYS_RECVMSG, fd, uintptr(unsafe.Pointer(&r.header)), 0)
		switch errno {
		case unix.EINTR:
			continue
		case unix.EAGAIN:
			return false
		}
		r.n, r.errno = int(n), errno
		return true
	}
}

// send writes what the kernel takes at once, which may be nothing. The caller holds the outlet's lock.
func (k *kernel) send(p []byte) (int, error) {
	if k.raw == nil || len(p) == 0 {
		return 0, nil
	}
	w := &k.writing
	w.p = p
	err := k.raw.Write(w.call)
	w.p = nil
	if err == nil && w.err != nil {
		err = os.NewSyscallError("write", w.err)
	}
	if err != nil {
		return 0, k.failure("write", err)
	}
	return w.n, nil
}

// try is true whatever comes of it: nobody waits, and the scheduler is not told of the call, as in reading.
func (w *writing) try(fd uintptr) bool {
	for {
		n, _, errno := unix.RawSyscall(unix.SYS_WRITE, fd, uintptr(unsafe.Pointer(&w.p[0])), uintptr(len(w.p)))
		switch errno {
		case unix.EINTR:
			continue
		case unix.EAGAIN:
			w.n, w.err = 0, nil
		case 0:
			w.n, w.err = int(n), nil
		default:
			w.n, w.err = 0, errno
		}
		return true
	}
}

// failure is the error as the connection itself would give it.
func (k *kernel) failure(call string, err error) error {
	if own, ok := errors.AsType[*net.OpError](err); ok {
		err = own.Err
	}
	from := k.conn.LocalAddr()
	return &net.OpError{Op: call, Net: from.Network(), Source: from, Addr: k.conn.RemoteAddr(), Err: err}
}
