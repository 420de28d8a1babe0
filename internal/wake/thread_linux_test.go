package wake

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestRealtimePriorityIsGrantedOrRefused accepts either, depending on the privileges of the process.
func TestRealtimePriorityIsGrantedOrRefused(t *testing.T) {
	s, err := NewPacer(Pacing{Realtime: true})
	if errors.Is(err, unix.EINVAL) || (s == nil) != (err != nil) {
		t.Fatalf("%v, %v", s, err)
	}
	if err != nil {
		t.Skipf("refused: %v", err)
	}
	got := make(chan unix.SchedAttr)
	s.At(time.Now(), func() {
		attr, err := unix.SchedGetAttr(0, 0)
		if err != nil {
			t.Error(err)
			attr = &unix.SchedAttr{}
		}
		got <- *attr
	})
	if got := <-got; got.Policy != unix.SCHED_FIFO || got.Priority != 1 {
		t.Errorf("the pacer's thread has policy %d and priority %d", got.Policy, got.Priority)
	}
	s.Close()
}

// TestPacerRequestsAShortSlice reads the slice from the kernel. Linux before 6.12 does not report it.
func TestPacerRequestsAShortSlice(t *testing.T) {
	mine, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewPacer(Pacing{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got := make(chan unix.SchedAttr)
	s.At(time.Now(), func() {
		attr, err := unix.SchedGetAttr(0, 0)
		if err != nil {
			t.Error(err)
			attr = &unix.SchedAttr{}
		}
		got <- *attr
	})
	attr := <-got
	if attr.Policy != mine.Policy || attr.Nice != mine.Nice {
		t.Errorf("policy %d, nice %d: only the slice was to change", attr.Policy, attr.Nice)
	}
	switch attr.Runtime {
	case uint64(slice):
	case 0:
		t.Skip("this system tells of no slices")
	default:
		t.Errorf("a slice of %v", time.Duration(attr.Runtime))
	}
}

// TestSleeperKinds: an exact sleeper needs a second processor, and without file descriptors all fall back to timers.
func TestSleeperKinds(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for processors, exact := range map[int]bool{1: false, 2: true, 3: true} {
		runtime.GOMAXPROCS(processors)
		s := newExactSleeper()
		_, is := s.(*exactSleeper)
		_, files := s.(*fdSleeper)
		if is != exact || files == exact || runtime.GOMAXPROCS(0) != processors {
			t.Errorf("of %d processors: %T", processors, s)
		}
		s.close()
	}
	if s, is := newSleeper().(*fdSleeper); !is {
		t.Errorf("%T", s)
	} else {
		s.close()
	}
	runtime.GOMAXPROCS(max(before, 2))
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 0, Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	all := []sleeper{newSleeper(), newThreadSleeper(), newExactSleeper()}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if _, is := s.(*timerSleeper); !is {
			t.Errorf("without a file to spare: %T", s)
			continue
		}
		s.close()
	}
}

// TestKickEndsOnlyOneSleep shows that no kick is left over for the sleeps that follow.
func TestKickEndsOnlyOneSleep(t *testing.T) {
	s := newThreadSleeper().(*threadSleeper)
	defer s.close()
	empty := func(when string) {
		t.Helper()
		var count [8]byte
		if _, err := unix.Read(s.fd, count[:]); err != unix.EAGAIN || s.kicked.Load() {
			t.Errorf("%s: %v, kicked %v", when, err, s.kicked.Load())
		}
	}
	empty("at first")
	s.kick()
	s.sleep(time.Hour)
	empty("after a kick")
	s.kick() // it is awake, so that no call is needed
	s.kicked.Store(false)
	empty("after the kick of one that is awake")

	f := newSleeper().(*fdSleeper)
	defer f.close()
	f.kick()
	if f.sleep(time.Hour); f.kicked.Load() {
		t.Error("the next sleep ends, too")
	}
	f.set(time.Hour)
	var left unix.ItimerSpec
	if err := f.conn.Control(func(fd uintptr) {
		if err := unix.TimerfdGettime(int(fd), &left); err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if left := time.Duration(left.Value.Nano()); left <= 0 || left > time.Hour {
		t.Errorf("an hour ends after %v", left)
	}
}

// TestTimerSlackIsMinimal reads the timer slack of threads from the kernel: 1 ns for a pacer and for the last part of an
// exact sleep, unchanged for the rest.
func TestTimerSlackIsMinimal(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	lateBy := func() int {
		n, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
		if err != nil {
			t.Error(err)
		}
		return n
	}
	p, err := NewPacer(Pacing{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	said := make(chan int)
	p.At(time.Now(), func() { said <- lateBy() })
	if got := <-said; got != 1 {
		t.Errorf("a pacer's thread is woken up to %d ns late", got)
	}
	defer unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) // what it was
	s := &exactSleeper{near: newThreadSleeper().(*threadSleeper), far: newTimerSleeper()}
	defer s.close()
	for _, test := range []struct {
		asked time.Duration
		near  bool
	}{{time.Second, false}, {20*time.Millisecond + 1, false}, {20 * time.Millisecond, true}, {time.Microsecond, true}} {
		if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0); err != nil {
			t.Fatal(err)
		}
		s.kick()
		if s.sleep(test.asked); (lateBy() == 1) != test.near {
			t.Errorf("%v: up to %d ns late", test.asked, lateBy())
		}
	}
}
