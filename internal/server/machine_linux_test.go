package server

import (
	"math"
	"syscall"
	"testing"
)

// A control group leaves as much as its limit says, where it says one.
func TestMemoryOfAGroup(t *testing.T) {
	for limit, want := range map[string]int64{
		"": math.MaxInt64, "max\n": math.MaxInt64, "0": math.MaxInt64, "-1": math.MaxInt64, "1": 1, "50\n": 50,
		"4611686018427387904\n": 1 << 62, "9223372036854775808": math.MaxInt64,
	} {
		if got := within(math.MaxInt64, limit); got != want {
			t.Errorf("%q leaves %d, want %d", limit, got, want)
		}
	}
	if got := within(100, "101"); got != 100 {
		t.Errorf("%d of 100", got)
	}
}

// A process may open as many files as the system says, and no more than an int of any machine holds.
func TestOpenFiles(t *testing.T) {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
			t.Error(err)
		}
	}()
	for _, less := range []uint64{0, 1} {
		limit := before
		limit.Cur -= less
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
		if got := openFiles(); uint64(got) != min(limit.Cur, math.MaxInt32) {
			t.Errorf("%d of %d", got, limit.Cur)
		}
	}
}
