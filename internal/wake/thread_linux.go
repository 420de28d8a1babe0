package wake

import (
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// threadSleeper sleeps in a system call of its own thread, which the kernel wakes without the runtime's help.
type threadSleeper struct {
	fd     int // an eventfd, which ends the sleep
	asleep atomic.Bool
	kicked atomic.Bool
}

func newThreadSleeper() sleeper {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return newSleeper() // no file to spare: be late rather than not at all
	}
	return &threadSleeper{fd: fd}
}

// ownThread gives the calling goroutine a thread that ends with it, and that the kernel wakes on time: by
// default it is late by up to 50 µs, to wake several threads at once.
func ownThread(realtime bool) error {
	runtime.LockOSThread()
	wokenOnTime()
	if !realtime {
		askShortSlice()
		return nil
	}
	return unix.SchedSetAttr(0, &unix.SchedAttr{
		Policy: unix.SCHED_FIFO, Priority: 1,
		Flags: unix.SCHED_FLAG_RESET_ON_FORK, // a thread that is started from here has it not
	}, 0)
}

// wokenOnTime has the kernel wake this thread on time; without it, it is late.
func wokenOnTime() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) }

// slice is how long this thread may run before another gets its turn: longer than what it does when it wakes.
const slice = 100 * time.Microsecond

// askShortSlice has the scheduler let this thread run sooner after it wakes, and less long: since Linux 6.12 a thread
// of the normal policy may say so (EEVDF). Earlier systems ignore it or refuse, and nothing else changes.
func askShortSlice() {
	attr, err := unix.SchedGetAttr(0, 0)
	if err != nil || attr.Policy != unix.SCHED_NORMAL {
		return
	}
	attr.Runtime = uint64(slice)
	_ = unix.SchedSetAttr(0, attr, 0)
}

func (s *threadSleeper) sleep(d time.Duration) {
	s.asleep.Store(true)
	var written bool
	if !s.kicked.Load() { // a kick from here on writes to the file
		spec := unix.NsecToTimespec(int64(d))
		file := unix.PollFd{Fd: int32(s.fd), Events: unix.POLLIN}
		// It ends by the file, by the time or by a signal: the caller looks at the clock.
		n, _, failed := unix.Syscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&file)), 1,
			uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
		written = failed == 0 && n > 0
	}
	s.asleep.Store(false)
	// A kick may write after the sleep before has ended by itself: what it left in the file ends this one.
	if s.kicked.Swap(false) || written {
		var count [8]byte
		_, _ = unix.Read(s.fd, count[:]) // which may be empty
	}
}

func (s *threadSleeper) kick() {
	s.kicked.Store(true)
	if s.asleep.Load() {
		one := [8]byte{1} // 1 or 2^56: any number wakes
		_, _ = unix.Write(s.fd, one[:])
	}
}

func (s *threadSleeper) close() { _ = unix.Close(s.fd) }
