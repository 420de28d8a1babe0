package wake

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestALateKickEndsOneSleep leaves in the file what a kick leaves that was overtaken by the end of the sleep: it may
// end the next sleep, and not all that follow.
func TestALateKickEndsOneSleep(t *testing.T) {
	s, ok := newThreadSleeper().(*threadSleeper)
	if !ok {
		t.Skip("no thread sleeper here")
	}
	defer s.close()
	one := [8]byte{1}
	if _, err := unix.Write(s.fd, one[:]); err != nil {
		t.Fatal(err)
	}
	s.sleep(time.Hour) // the test's own deadline is what ends a failure
	var count [8]byte
	if n, err := unix.Read(s.fd, count[:]); err != unix.EAGAIN {
		t.Errorf("%d bytes are left in the file, %v: no sleep would last", n, err)
	}
}

// TestRealTimePriorityIsGivenOrRefused gets one of the two from the system, and leaves nothing behind either way.
func TestRealTimePriorityIsGivenOrRefused(t *testing.T) {
	s, err := NewPacer(Pacing{Realtime: true})
	if err != nil {
		t.Skipf("refused: %v", err)
	}
	policy := make(chan uint32)
	s.At(time.Now(), func() {
		attr, err := unix.SchedGetAttr(0, 0)
		if err != nil {
			t.Error(err)
		}
		policy <- attr.Policy
	})
	if got := <-policy; got != unix.SCHED_FIFO {
		t.Errorf("the pacer's thread has policy %d", got)
	}
	s.Close()
}
