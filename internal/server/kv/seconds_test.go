package kv

import "testing"

// TestTheSlowestOfASecondIsKnown with as few batches as no percentile is made of.
func TestTheSlowestOfASecondIsKnown(t *testing.T) {
	tm := newTimes()
	for i, e2e := range []int64{3e6, 77e6, absent, 5e6, 9e6} {
		d := noTiming()
		d[stageE2EScheduled] = e2e
		tm.batch(int64(2000+300*i)*1e6, &d, e2e != absent, 1, 0)
	}
	series := tm.sum().Series
	if len(series) != 2 || series[0].E2EMaxNS != 77e6 || series[1].E2EMaxNS != 9e6 || series[0].E2EP50NS != 0 {
		t.Errorf("%+v", series)
	}
}
