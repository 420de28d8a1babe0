package flow

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// asker returns what asks the kernel about a connection, or nil if it is not one of TCP. It may be called when the
// connection is closed, and then says no.
func asker(c net.Conn) func() (answer, bool) {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil
	}
	return func() (a answer, ok bool) {
		if err := raw.Control(func(fd uintptr) { a, ok = ask(int(fd)) }); err != nil {
			return answer{}, false
		}
		return a, ok
	}
}

func ask(fd int) (answer, bool) {
	info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	// The kernel counts the packet that opens a connection as one byte: none at all is a kernel that does not
	// count (Linux before 4.1, and what only looks like Linux).
	if err == nil && info.Bytes_acked > 0 {
		// What came behind a loss was acknowledged too, selectively: without it a loss would be a pause, and its mending
		// a burst. Of what this machine receives the kernel does not tell that.
		arrived := int64(info.Bytes_acked) + int64(info.Sacked)*int64(info.Snd_mss)
		return answer{acked: arrived, received: int64(info.Bytes_received), counts: true}, true
	}
	queue, err := unix.IoctlGetInt(fd, syscall.TIOCOUTQ)
	return answer{queue: int64(queue)}, err == nil
}
