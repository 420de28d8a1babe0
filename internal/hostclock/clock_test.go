package hostclock

import (
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// reading is what another process says of its clock.
type reading struct {
	ID  uint64
	Now int64
}

func TestAnotherProcessSharesTheClock(t *testing.T) {
	if os.Getenv("PLIMSOLL_CLOCK") != "" {
		c := New()
		if err := json.NewEncoder(os.Stdout).Encode(reading{c.ID(), c.Now()}); err != nil {
			t.Fatal(err)
		}
		os.Exit(0)
	}
	if runtime.GOOS != "linux" {
		t.Skip("the clock is shared on Linux only")
	}
	c := New()
	cmd := exec.Command(os.Args[0], "-test.run=^TestAnotherProcessSharesTheClock$")
	cmd.Env = append(os.Environ(), "PLIMSOLL_CLOCK=1")
	before := c.Now()
	out, err := cmd.Output()
	after := c.Now()
	if err != nil {
		t.Fatal(err)
	}
	var other reading
	if err := json.Unmarshal(out, &other); err != nil {
		t.Fatalf("%v: %q", err, out)
	}
	if other.ID != c.ID() || c.ID() == 0 {
		t.Errorf("the other process has the clock %d, this one %d", other.ID, c.ID())
	}
	if other.Now <= before-int64(time.Minute) || other.Now >= after+int64(time.Minute) {
		t.Errorf("the other process read %d, not between %d and %d", other.Now, before, after)
	}
}

func TestClocksOfOneProcessAgree(t *testing.T) {
	a := New()
	now := time.Now()
	b := New()
	// The error of each clock is bounded by how long its readings took, which is arbitrary on a busy machine.
	if d := time.Duration(a.At(now) - b.At(now)); d.Abs() > time.Minute {
		t.Errorf("two clocks differ by %v", d)
	}
	if got := a.Time(a.At(now)); !got.Equal(now) {
		t.Errorf("there and back: %v, want %v", got, now)
	}
}

func TestBetween(t *testing.T) {
	// The true constant is 1000; a reading takes 2 to 9 ns on either side.
	var clock, n int64
	since := func() int64 { return clock }
	read := func() (int64, bool) {
		n++
		clock += 2 + n%7
		now := clock + 1000
		clock += 2 + (n*5)%7
		return now, true
	}
	if d, ok := between(since, read); !ok || d < 998 || d > 1002 {
		t.Errorf("constant %d, %v; want 1000 ± 2", d, ok)
	}
	if _, ok := between(since, func() (int64, bool) { return 0, false }); ok {
		t.Error("a clock that cannot be read has a constant")
	}
	// A clock that runs twice as fast has none.
	clock = 0
	if d, ok := between(since, func() (int64, bool) { clock += 10; return 2 * clock, true }); ok {
		t.Errorf("a faster clock has the constant %d", d)
	}
}

// TestBetweenIsTheMiddleOfWhatIsLeftOpen: of constants of any size and sign, and of readings that take no time.
func TestBetweenIsTheMiddleOfWhatIsLeftOpen(t *testing.T) {
	for _, c := range []struct{ constant, before, after, want int64 }{
		{1000, 0, 0, 1000}, {1000, 2, 6, 998}, {1000, 6, 2, 1002}, {-1000, 2, 6, -1002}, {0, 0, 0, 0},
		{5 << 60, 0, 0, 5 << 60}, {-5 << 60, 0, 0, -5 << 60},
	} {
		var clock int64
		d, ok := between(func() int64 { return clock }, func() (int64, bool) {
			clock += c.before
			now := clock + c.constant
			clock += c.after
			return now, true
		})
		if d != c.want || !ok {
			t.Errorf("%+v: %d, %v", c, d, ok)
		}
	}
}
