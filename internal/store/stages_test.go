package store

import (
	"testing"
	"time"
)

// TestTimesOfStages: the histogram has each time, and what was taken from it does not change.
func TestTimesOfStages(t *testing.T) {
	var times Times
	for i := range 1000 {
		times.add(time.Duration(i+1) * time.Millisecond)
	}
	before := times.clone()
	times.add(2 * longestTime)
	if got := time.Duration(before.Histogram.ValueAtPercentile(99)); got < 989*time.Millisecond || got > 991*time.Millisecond {
		t.Errorf("p99 is %v", got)
	}
	if before.Histogram.TotalCount() != 1000 || before.Min != time.Millisecond || before.Max != time.Second ||
		before.Sum != 500500*time.Millisecond {
		t.Errorf("%d: %v to %v, %v in all", before.Histogram.TotalCount(), before.Min, before.Max, before.Sum)
	}
	if times.Histogram.TotalCount() != 1001 || times.Max != 2*longestTime {
		t.Errorf("what is longer than an hour: %d, %v", times.Histogram.TotalCount(), times.Max)
	}
	var none Times
	if none.clone().Histogram != nil {
		t.Error("of nothing there is a histogram")
	}
}
