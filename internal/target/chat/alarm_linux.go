package chat

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// fdAlarm is a timerfd that the runtime's poller watches. When a Go program is idle its
// timers are rounded up to the millisecond of epoll_wait; a timerfd is an event like a
// packet, and comes within some 50 µs.
type fdAlarm struct {
	file *os.File
	raw  syscall.RawConn // keeps the descriptor from being closed, and reused, under set
}

func newAlarm() (alarm, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("cannot make a timer: %w", err)
	}
	file := os.NewFile(uintptr(fd), "timerfd")
	raw, err := file.SyscallConn()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &fdAlarm{file: file, raw: raw}, nil
}

func (a *fdAlarm) set(d time.Duration) {
	// Zero would disarm the timer.
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(max(d, 1)))}
	// It fails only when the file is closed, after which nothing is due any more.
	_ = a.raw.Control(func(fd uintptr) { _ = unix.TimerfdSettime(int(fd), 0, &spec, nil) })
}

func (a *fdAlarm) wait() bool {
	var expirations [8]byte
	_, err := a.file.Read(expirations[:])
	return err == nil
}

func (a *fdAlarm) close() { _ = a.file.Close() }
