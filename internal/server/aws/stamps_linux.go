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

// stamps reads a TCP socket together with the kernel's receive time stamps.
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
	control [8]uint64 // aligned; one message of 32 bytes and room for another

	n     int
	errno syscall.Errno
	at    time.Time // with a monotonic reading; zero without a stamp
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
	s.attempt = s.receive
	return s
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
	// A clock that was set in between must not put the stamp into the future.
	now := time.Now()
	return now.Add(-max(0, time.Duration(now.UnixNano()-stamp.Nano())))
}
