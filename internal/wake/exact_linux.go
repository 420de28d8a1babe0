package wake

import (
	"runtime"
	"time"
)

// exactSleeper sleeps in a system call to the end, so that nothing but the kernel has to wake up for it. What is far
// it awaits by a timer of the runtime first: to cut that short costs no system call, which matters where there is
// nothing to do before the next call is set.
//
// Measured on a virtual machine of two processors that had others to serve, in µs later than asked, the median for
// 100 µs, 1 ms and 5 ms: time.Sleep 900, 170, 290, as an idle runtime waits in epoll for whole milliseconds; a timerfd
// in the runtime's epoll 110 to 180; a system call of a thread 76, 81, 109, of which 50 are the slack that the
// kernel gives itself to wake several threads at once; with a slack of 1 ns 24, 30, 49. That rest is the processor
// coming back from its own sleep and the scheduler's choice, and the lead covers it.
type exactSleeper struct {
	near *threadSleeper
	far  *timerSleeper
}

// farOff is a wait that begins with a timer, and beforeIt how long before the end that is to ring: a timer of the
// runtime may be late by milliseconds.
const (
	farOff   = 20 * time.Millisecond
	beforeIt = 10 * time.Millisecond
)

func newExactSleeper() sleeper {
	if runtime.GOMAXPROCS(0) < 2 {
		return newSleeper() // the only processor would be in that system call, until the runtime takes it away
	}
	near, ok := newThreadSleeper().(*threadSleeper)
	if !ok {
		return newSleeper()
	}
	return &exactSleeper{near: near, far: newTimerSleeper()}
}

// sleep may end early, as each sleep may.
func (s *exactSleeper) sleep(d time.Duration) {
	if d > farOff {
		s.far.sleep(d - beforeIt)
		return
	}
	// Each time, as it is another thread each time. It keeps it: to be woken on time harms nobody.
	wokenOnTime()
	s.near.sleep(d)
}

// kick ends the sleep, whichever it is. What it leaves with the other one ends a later sleep early, once.
func (s *exactSleeper) kick() {
	s.near.kick()
	s.far.kick()
}

func (s *exactSleeper) close() {
	s.near.close()
	s.far.close()
}
