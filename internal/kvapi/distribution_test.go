package kvapi

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNegativeDurationsRankLowest(t *testing.T) {
	var d Distribution
	for n := range int64(60) {
		d.Add(-n - 1)
	}
	for n := range int64(40) {
		d.Add(1000 + n)
	}
	s := d.Stage()
	if s.Negative != 60 || s.NegativeMin != -60 || s.Summary.Count != 40 || s.Summary.MinNS != 1000 ||
		s.Summary.MaxNS != 1039 {
		t.Errorf("%+v", s)
	}
	if s.Summary.P50NS != nil {
		t.Errorf("the median is negative, and is shown as %d", *s.Summary.P50NS)
	}
	// The 90th of a hundred is the 30th of the forty.
	if s.Summary.P90NS == nil || *s.Summary.P90NS != 1029 {
		t.Errorf("p90 %v", s.Summary.P90NS)
	}
	if s.Summary.P95NS != nil {
		t.Error("five observations above it support a p95")
	}
	var none Distribution
	none.Add(-5)
	if s := none.Stage(); s.Negative != 1 || s.NegativeMin != -5 || s.Summary.Count != 0 {
		t.Errorf("%+v", s)
	}
}

func TestPercentilesEqualThoseOfTheSummary(t *testing.T) {
	var d Distribution
	for n := range int64(2000) {
		d.Add(n)
	}
	s := d.Stage().Summary
	for permille, want := range map[int64]*int64{500: s.P50NS, 900: s.P90NS, 950: s.P95NS, 990: s.P99NS,
		999: s.P999NS} {
		if diff := cmp.Diff(want, d.percentile(permille)); diff != "" {
			t.Errorf("%d: %s", permille, diff)
		}
	}
}

// TestStageIsExact checks the count, extremes and mean of a distribution, and that negative durations are left out of them.
func TestStageIsExact(t *testing.T) {
	for _, c := range []struct {
		name                     string
		values                   []int64
		count, low, high, mean   int64
		negative, lowestNegative int64
	}{
		{"nothing", nil, 0, 0, 0, 0, 0, 0},
		{"zero is not negative", []int64{0}, 1, 0, 0, 0, 0, 0},
		{"one", []int64{7}, 1, 7, 7, 7, 0, 0},
		{"one negative", []int64{-7}, 0, 0, 0, 0, 1, -7},
		{"negative", []int64{-1, -3, -2}, 0, 0, 0, 0, 3, -3},
		{"both", []int64{-1, 4, 2}, 2, 2, 4, 3, 1, -1},
		{"the longest", []int64{Longest, Longest + 2}, 2, Longest, Longest + 2, Longest + 1, 0, 0},
		{"a sum that is just known", []int64{math.MaxInt64 - 1, 1}, 2, 1, math.MaxInt64 - 1, 1 << 62, 0, 0},
	} {
		var d Distribution
		for _, v := range c.values {
			d.Add(v)
		}
		s := d.Stage()
		if s.Summary.Count != c.count || s.Summary.MinNS != c.low || s.Summary.MaxNS != c.high || s.Summary.MeanNS != c.mean ||
			s.Negative != c.negative || s.NegativeMin != c.lowestNegative || d.Any() != (len(c.values) > 0) {
			t.Errorf("%s: %+v, any %v", c.name, s, d.Any())
		}
	}
	// A sum beyond 64 bits is not known: the mean is the histogram's, which ends at the longest that it tells apart.
	var d Distribution
	d.Add(math.MaxInt64)
	d.Add(1)
	if s := d.Stage(); s.Summary.MeanNS < Longest/2-Longest/1000 || s.Summary.MeanNS > Longest/2+Longest/1000 {
		t.Errorf("%+v", s)
	}
}

// TestCloneIsIndependent checks that adding to a distribution does not change its clone.
func TestCloneIsIndependent(t *testing.T) {
	var none Distribution
	if c := none.Clone(); c.Any() {
		t.Error("a copy of nothing has something")
	}
	var d Distribution
	for n := range int64(1000) {
		d.Add(1000 + n)
	}
	before := d.Stage()
	c := d.Clone()
	if diff := cmp.Diff(before, c.Stage()); diff != "" {
		t.Error(diff)
	}
	for range 1000 {
		d.Add(1)
	}
	if diff := cmp.Diff(before, c.Stage()); diff != "" {
		t.Error(diff)
	}
	if s := d.Stage(); s.Summary.Count != 2000 || s.Summary.MinNS != 1 {
		t.Errorf("%+v", s)
	}
}

// TestIntervalsContainThePercentile adds values in an order without trend and checks each confidence interval.
func TestIntervalsContainThePercentile(t *testing.T) {
	var d Distribution
	for n := range int64(10_000) {
		d.Add(1000 + n*7919%10_000)
	}
	s := d.Stage().Summary
	for permille, want := range map[int64]int64{500: 5999, 900: 9999, 990: 10_899} {
		v := d.interval(permille)
		if v == nil || v.LowNS >= want || v.HighNS <= want || v.LowNS < s.MinNS || v.HighNS > s.MaxNS || v.Effective < 5000 {
			t.Errorf("interval of permille %d is %+v, want one around %d", permille, v, want)
		}
	}
}
