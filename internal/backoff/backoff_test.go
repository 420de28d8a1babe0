package backoff

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestLongest(t *testing.T) {
	b := Between{First: 10 * time.Millisecond, Last: time.Second}
	for n, want := range map[int]time.Duration{
		0: 10 * time.Millisecond, 1: 20 * time.Millisecond, 6: 640 * time.Millisecond, 7: time.Second, 62: time.Second,
		63: time.Second, 1000: time.Second,
	} {
		if got := b.Longest(n); got != want {
			t.Errorf("after %d: %v, want %v", n, got, want)
		}
	}
	if got := (Between{First: time.Second, Last: time.Millisecond}).Longest(0); got != time.Millisecond {
		t.Errorf("a first beyond the last: %v", got)
	}
	for n, want := range map[int]time.Duration{1: 20, 2: 40, 3: 41} { // twice 20 is not beyond 41
		if got := (Between{First: 10, Last: 41}).Longest(n); got != want {
			t.Errorf("after %d: %d, want %d", n, got, want)
		}
	}
	for _, n := range []int{0, 62, 63, 1000} {
		if got := (Between{Last: time.Second}).Longest(n); got != 0 {
			t.Errorf("twice no pause after %d: %v", n, got)
		}
	}
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if !(Between{First: time.Second, Last: time.Minute}).Wait(t.Context(), 2) {
			t.Error("it has not waited to the end")
		}
		if took := time.Since(began); took < 2*time.Second || took > 4*time.Second {
			t.Errorf("it waited for %v", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began = time.Now()
		if Sleep(ctx, time.Hour) || time.Since(began) != time.Second {
			t.Errorf("the end of the context came after %v", time.Since(began))
		}
	})
}
