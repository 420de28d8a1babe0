package wake

import (
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// fdSleeper sleeps in a read of a timerfd through the runtime's poller. The file wakes an
// idle process, which waits in epoll; the read's deadline, a timer of the runtime, wakes a
// busy one, which looks at its timers more often than at its files.
type fdSleeper struct {
	file   *os.File
	conn   syscall.RawConn
	kicked atomic.Bool
}

func newSleeper() sleeper {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return newTimerSleeper() // no file to spare: be late rather than not at all
	}
	s := &fdSleeper{file: os.NewFile(uintptr(fd), "timerfd")}
	if s.conn, err = s.file.SyscallConn(); err != nil {
		_ = s.file.Close()
		return newTimerSleeper()
	}
	return s
}

func (s *fdSleeper) sleep(d time.Duration) {
	s.set(d)
	_ = s.file.SetReadDeadline(time.Now().Add(d))
	// A kick before the two calls above was overwritten by them, one after is not.
	if s.kicked.Swap(false) {
		return
	}
	var expirations [8]byte
	_, _ = s.file.Read(expirations[:]) // ends by the file or by the deadline: either is the time
}

func (s *fdSleeper) kick() {
	s.kicked.Store(true)
	_ = s.file.SetReadDeadline(time.Unix(1, 0))
}

func (s *fdSleeper) set(d time.Duration) {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
	_ = s.conn.Control(func(fd uintptr) { _ = unix.TimerfdSettime(int(fd), 0, &spec, nil) })
}

func (s *fdSleeper) close() { _ = s.file.Close() }
