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
// so it is turned into an age at once, which may be subtracted from any clock.
type stamps struct {
	raw     syscall.RawConn
	attempt func(fd uintptr) bool // made once, so that reading does not allocate

	message unix.Msghdr
	vector  unix.Iovec
	control [8]uint64 // aligned; one message of 32 bytes and room for another

	n     int
	errno syscall.Errno
	age   time.Duration
	found bool
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

// read reads like net.Conn, and says how long ago the bytes came in; found is false if the
// kernel did not stamp them.
func (s *stamps) read(p []byte) (n int, age time.Duration, found bool, err error) {
	s.vector.Base, s.vector.Len = &p[0], uint64(len(p))
	err = s.raw.Read(s.attempt)
	s.vector.Base = nil
	switch {
	case err != nil:
		return 0, 0, false, err
	case s.errno != 0:
		return 0, 0, false, os.NewSyscallError("recvmsg", s.errno)
	case s.n == 0:
		return 0, 0, false, io.EOF
	}
	return s.n, s.age, s.found, nil
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
		s.age, s.found = 0, false
		if errno == 0 && n > 0 {
			s.age, s.found = s.stampAge()
		}
		return true
	}
}

// header and stamp are the one control message that is asked for.
const (
	headerSize = unsafe.Sizeof(unix.Cmsghdr{})
	stampSize  = unsafe.Sizeof(unix.Timespec{})
)

func (s *stamps) stampAge() (time.Duration, bool) {
	if uintptr(s.message.Controllen) < headerSize+stampSize {
		return 0, false
	}
	header := (*unix.Cmsghdr)(unsafe.Pointer(&s.control))
	if header.Level != unix.SOL_SOCKET || header.Type != unix.SO_TIMESTAMPNS {
		return 0, false
	}
	stamp := (*unix.Timespec)(unsafe.Pointer(&s.control[headerSize/8]))
	if stamp.Sec == 0 && stamp.Nsec == 0 {
		return 0, false // a segment that came in before stamps were asked for
	}
	// A clock that was set in between must not put the stamp into the future.
	return max(0, time.Duration(time.Now().UnixNano()-stamp.Nano())), true
}
