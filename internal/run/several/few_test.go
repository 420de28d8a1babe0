package several

import (
	"math"
	"testing"
	"time"
)

// Lengths are rounded up to those that people use.
func TestRoundUp(t *testing.T) {
	for in, want := range map[time.Duration]time.Duration{
		1: 100 * time.Millisecond, 100 * time.Millisecond: 100 * time.Millisecond, 310 * time.Millisecond: 500 * time.Millisecond,
		6 * time.Second: 10 * time.Second, 61 * time.Second: 100 * time.Second,
	} {
		if got := roundUp(in); got != want {
			t.Errorf("%v: %v, want %v", in, got, want)
		}
	}
	if roundUp(math.MaxInt64) <= 0 {
		t.Error("a length without an end")
	}
}
