//go:build linux && (amd64 || arm64)

package aws

import (
	"io"
	"net"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stamps are the kernel's of a TCP socket: when what is read came in, and when what was written went out.
//
// For TCP, Linux (since 4.13) gives with each recvmsg the time of the last segment that it
// took bytes of. The stamp is set when the segment enters the stack, before the process is
// woken; on a loopback that is within the sender's system call. It is of the real-time clock,
// so it is turned into an age by a reading of both clocks at once.
type stamps struct {
	raw     syscall.RawConn
	attempt func(fd uintptr) bool // made once, so that reading does not allocate

	message unix.Msghdr
	vector  unix.Iovec
	control [16]uint64 // aligned; messages of 32 and 64 bytes, and room for another

	n     int
	errno syscall.Errno
	at    time.Time // with a monotonic reading; zero without a stamp

	sending sending
}

// sending is what is known of writes. Who writes has it, which may be another goroutine than who reads.
//
// The kernel stamps a segment when it hands it to the device, on a loopback within the system call that
// writes, and puts the stamp of a write's last byte into the socket's queue of errors. It is read from there
// at once: a poller takes what is left there for trouble of the connection.
type sending struct {
	attempt func(fd uintptr)
	bytes   uint32 // written so far; it counts past its end, as the kernel's counter does
	asked   bool   // the kernel stamps
	at      time.Time

	message unix.Msghdr
	control [32]uint64
}

// stampListener asks for stamps from a connection's first segment on, which may come in before
// the connection is accepted.
func stampListener(_, _ string, raw syscall.RawConn) error {
	return raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) // else the reads are stamped
	})
}

// newStamps asks for stamps; nil if nc is not a socket that gives them.
func newStamps(nc net.Conn) *stamps {
	tcp, ok := nc.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil
	}
	refused := raw.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	})
	if refused != nil || err != nil {
		return nil
	}
	s := &stamps{raw: raw}
	s.attempt, s.sending.attempt = s.receive, s.departed
	_ = raw.Control(func(fd uintptr) { // else the end of a write is stamped
		const each = unix.SOF_TIMESTAMPING_TX_SOFTWARE | unix.SOF_TIMESTAMPING_SOFTWARE |
			unix.SOF_TIMESTAMPING_OPT_ID | unix.SOF_TIMESTAMPING_OPT_TSONLY
		s.sending.asked = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPING, each) == nil
	})
	return s
}

// wrote says that n more bytes were written, and gives when the last of them left; the time is zero if the
// kernel has not stamped it.
func (s *stamps) wrote(n int) time.Time {
	s.sending.bytes += uint32(n)
	s.sending.at = time.Time{}
	if s.sending.asked && s.raw.Control(s.sending.attempt) != nil {
		return time.Time{}
	}
	return s.sending.at
}

// departed empties the queue of stamps, and keeps that of the last byte.
func (s *stamps) departed(fd uintptr) {
	w := &s.sending
	for {
		w.message = unix.Msghdr{
			Control: (*byte)(unsafe.Pointer(&w.control)), Controllen: uint64(unsafe.Sizeof(w.control)),
		}
		_, _, errno := unix.Syscall(unix.SYS_RECVMSG, fd, uintptr(unsafe.Pointer(&w.message)),
			unix.MSG_ERRQUEUE|unix.MSG_DONTWAIT)
		switch errno {
		case unix.EINTR:
			continue
		case 0:
			w.keep()
		default:
			return
		}
	}
}

// keep takes the stamp of a message, if it is that of the last byte that was written.
func (w *sending) keep() {
	var at unix.Timespec
	last := false
	controls := unsafe.Slice((*byte)(unsafe.Pointer(&w.control)), min(uintptr(w.message.Controllen),
		unsafe.Sizeof(w.control)))
	for len(controls) >= int(headerSize) {
		header := (*unix.Cmsghdr)(unsafe.Pointer(&controls[0]))
		if header.Len < uint64(headerSize) || header.Len > uint64(len(controls)) {
			return
		}
		content := controls[headerSize:header.Len]
		switch {
		case header.Level == unix.SOL_SOCKET && header.Type == unix.SO_TIMESTAMPING &&
			len(content) >= int(stampSize):
			at = *(*unix.Timespec)(unsafe.Pointer(&content[0]))
		case (header.Level == unix.SOL_IP || header.Level == unix.SOL_IPV6) &&
			len(content) >= int(unsafe.Sizeof(unix.SockExtendedErr{})):
			e := (*unix.SockExtendedErr)(unsafe.Pointer(&content[0]))
			last = e.Origin == unix.SO_EE_ORIGIN_TIMESTAMPING && e.Data == w.bytes-1
		}
		const word = unsafe.Sizeof(w.control[0])
		controls = controls[min((uintptr(header.Len)+word-1)&^(word-1), uintptr(len(controls))):]
	}
	if last && at.Sec != 0 {
		w.at = since(at)
	}
}

// read reads like net.Conn, and says when the bytes came in; the time is zero if the kernel did not
// stamp them.
func (s *stamps) read(p []byte) (n int, at time.Time, err error) {
	s.vector.Base, s.vector.Len = &p[0], uint64(len(p))
	err = s.raw.Read(s.attempt)
	s.vector.Base = nil
	switch {
	case err != nil:
		return 0, time.Time{}, err
	case s.errno != 0:
		return 0, time.Time{}, os.NewSyscallError("recvmsg", s.errno)
	case s.n == 0:
		return 0, time.Time{}, io.EOF
	}
	return s.n, s.at, nil
}

// receive tries to read without waiting; false is to be tried again.
func (s *stamps) receive(fd uintptr) bool {
	for {
		s.message = unix.Msghdr{
			Iov: &s.vector, Iovlen: 1,
			Control: (*byte)(unsafe.Pointer(&s.control)), Controllen: uint64(unsafe.Sizeof(s.control)),
		}
		n, _, errno := unix.Syscall(unix.SYS_RECVMSG, fd, uintptr(unsafe.Pointer(&s.message)), 0)
		switch errno {
		case unix.EINTR:
			continue
		case unix.EAGAIN:
			return false
		}
		s.n, s.errno = int(n), errno
		s.at = time.Time{}
		if errno == 0 && n > 0 {
			s.at = s.stamped()
		}
		return true
	}
}

// header and stamp are the one control message that is asked for.
const (
	headerSize = unsafe.Sizeof(unix.Cmsghdr{})
	stampSize  = unsafe.Sizeof(unix.Timespec{})
)

// stamped is the message's time, zero if it has none.
func (s *stamps) stamped() time.Time {
	if uintptr(s.message.Controllen) < headerSize+stampSize {
		return time.Time{}
	}
	header := (*unix.Cmsghdr)(unsafe.Pointer(&s.control))
	if header.Level != unix.SOL_SOCKET || header.Type != unix.SO_TIMESTAMPNS {
		return time.Time{}
	}
	stamp := (*unix.Timespec)(unsafe.Pointer(&s.control[headerSize/8]))
	if stamp.Sec == 0 && stamp.Nsec == 0 {
		return time.Time{} // a segment that came in before stamps were asked for
	}
	return since(*stamp)
}

// since makes of a stamp of the real-time clock a time with a monotonic reading. A clock that was set in
// between must not put it into the future.
func since(stamp unix.Timespec) time.Time {
	now := time.Now()
	return now.Add(-max(0, time.Duration(now.UnixNano()-stamp.Nano())))
}
