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

// TestThePacerAsksForAShortSlice reads what the system made of it. Systems before Linux 6.12 have no such thing.
func TestThePacerAsksForAShortSlice(t *testing.T) {
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
