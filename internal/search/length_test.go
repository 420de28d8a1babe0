package search_test

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/search"
)

func TestLengths(t *testing.T) {
	for _, c := range []struct {
		needs int64
		rate  float64
		want  time.Duration
	}{
		{1000, 1e6, time.Second},
		{1000, 7200, time.Second},
		{1000, 720, 10 * time.Second},
		{1000, 120, time.Minute},
		{1000, 1e-300, time.Minute},
		{10_000, 1040, 10 * time.Second},
		{0, 3600, 2 * time.Second},
	} {
		if got := (search.Lengths{Needs: c.needs, Most: time.Minute}).Of(c.rate); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	for rate, want := range map[float64]time.Duration{720: 9 * time.Second, 7200: time.Second, 112.65: 10 * time.Second} {
		l := search.Lengths{Needs: 1000, Most: time.Minute, Enough: 9 * time.Second}
		if got := l.Of(rate).Round(time.Millisecond); got != want {
			t.Errorf("9s where that is enough, at %v/s: %v", rate, got)
		}
	}
	if got := (search.Lengths{Most: time.Millisecond}).Of(1e9); got != time.Millisecond {
		t.Errorf("at most a millisecond: %v", got)
	}
}

func TestTheLowestRateOfLengths(t *testing.T) {
	l := search.Lengths{Needs: 10_000, Most: time.Minute}
	if low := l.Lowest(); low < 173.3 || low > 173.4 || l.Of(low) != time.Minute || l.Of(low*1.01) == time.Minute {
		t.Errorf("%v", low)
	}
	if low := (search.Lengths{Most: time.Minute}).Lowest(); low != 0 {
		t.Errorf("without a percentile: %v", low)
	}
}
