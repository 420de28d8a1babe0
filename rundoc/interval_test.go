package rundoc

import (
	"encoding/json"
	"testing"
)

// Documents of before intervals have none; those that are inconsistent are as if they were not there.
func TestIntervalsOfDocumentsAreRead(t *testing.T) {
	for _, tt := range []struct {
		name, json string
		has        bool
	}{
		{"of before", `{"count":100,"min_ns":5,"max_ns":900,"p50_ns":50}`, false},
		{"known", `{"count":100,"min_ns":5,"max_ns":900,"p50_ns":50,"intervals":{"p50":{"low_ns":40,"high_ns":60,"effective":80}}}`, true},
		{"of another", `{"count":100,"min_ns":5,"max_ns":900,"p50_ns":50,"intervals":{"p90":{"low_ns":40,"high_ns":60,"effective":80}}}`, false},
		{"turned round", `{"count":100,"min_ns":5,"max_ns":900,"p50_ns":50,"intervals":{"p50":{"low_ns":60,"high_ns":40,"effective":80}}}`, false},
		{"without the value", `{"count":100,"min_ns":5,"max_ns":900,"p50_ns":50,"intervals":{"p50":{"low_ns":51,"high_ns":60,"effective":80}}}`, false},
		{"of no percentile", `{"count":100,"min_ns":5,"max_ns":900,"intervals":{"p50":{"low_ns":40,"high_ns":60,"effective":80}}}`, false},
		{"below all", `{"count":100,"min_ns":45,"max_ns":900,"p50_ns":50,"intervals":{"p50":{"low_ns":40,"high_ns":60,"effective":80}}}`, false},
		{"above all", `{"count":100,"min_ns":5,"max_ns":55,"p50_ns":50,"intervals":{"p50":{"low_ns":40,"high_ns":60,"effective":80}}}`, false},
		{"worth more than there is", `{"count":100,"min_ns":5,"max_ns":900,"p50_ns":50,"intervals":{"p50":{"low_ns":40,"high_ns":60,"effective":101}}}`, false},
		{"worth nothing", `{"count":100,"min_ns":5,"max_ns":900,"p50_ns":50,"intervals":{"p50":{"low_ns":40,"high_ns":60}}}`, false},
		{"nothing", `{"count":100,"min_ns":5,"max_ns":900,"p50_ns":50,"intervals":{"p50":null}}`, false},
	} {
		var s Summary
		if err := json.Unmarshal([]byte(tt.json), &s); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := s.Interval(500); (got != nil) != tt.has {
			t.Errorf("%s: %+v", tt.name, got)
		}
		if s.Interval(999) != nil || s.Interval(123) != nil {
			t.Errorf("%s: others", tt.name)
		}
	}
}

// Each percentile has an interval of its own, and so has the mean; one is known up to its edges.
func TestEachPercentileHasItsOwnInterval(t *testing.T) {
	mean := &Interval{LowNS: 1, HighNS: 20_000, Effective: 1}
	s := Summary{Count: 7, MinNS: 1, MaxNS: 20_000, MeanNS: 20_000}
	s.SetPercentiles(func(permille int64) *int64 { return new(10 * permille) })
	given := map[int64]*Interval{}
	s.SetIntervals(func(permille int64) *Interval {
		given[permille] = &Interval{LowNS: 10 * permille, HighNS: 10 * permille, Effective: 7}
		return given[permille]
	}, mean)
	for _, permille := range []int64{500, 900, 950, 990, 999} {
		if got := s.Interval(permille); got == nil || got != given[permille] {
			t.Errorf("of %d it is %+v", permille, got)
		}
	}
	if len(given) != 5 || s.MeanInterval() != mean {
		t.Errorf("%d intervals were asked for, and that of the mean is %+v", len(given), s.MeanInterval())
	}
	for _, wrong := range []Interval{
		{LowNS: 0, HighNS: 20_000, Effective: 1}, {LowNS: 1, HighNS: 20_001, Effective: 1},
		{LowNS: 1, HighNS: 20_000, Effective: 0.999}, {LowNS: 1, HighNS: 20_000, Effective: 7.001},
		{LowNS: 1, HighNS: 19_999, Effective: 1},
	} {
		if *mean = wrong; s.MeanInterval() != nil {
			t.Errorf("%+v is taken for an interval of %+v", wrong, s)
		}
	}
	s.P999NS = nil
	s.SetIntervals(func(int64) *Interval { return nil }, nil)
	if s.Intervals != nil {
		t.Errorf("of none there are %+v", s.Intervals)
	}
}

// The sum of several operations has the intervals that the document has for it, of the same times and where they make
// sense of them; one operation alone has its own.
func TestIntervalsOfTheSumAreKept(t *testing.T) {
	median := func(low int64) *Intervals { return &Intervals{P50: &Interval{LowNS: low, HighNS: 9, Effective: 5}} }
	times := func(intervals *Intervals, free *Summary) *Summary {
		return &Summary{Count: 9, MinNS: 1, MaxNS: 9, P50NS: new(int64(5)), Intervals: intervals, Free: free}
	}
	other := times(median(2), nil)
	other.Count = 8
	for _, tt := range []struct {
		name       string
		operations int
		known      *Summary
		sum        *Summary
		want, free int64 // the lower ends; 0: no interval
	}{
		{"two operations", 2, times(median(2), nil), times(nil, nil), 2, 0},
		{"three", 3, times(median(2), nil), times(median(4), nil), 2, 0},
		{"one", 1, times(median(2), nil), times(median(4), nil), 4, 0},
		{"of times that are not there", 2, nil, times(nil, nil), 0, 0},
		{"without intervals", 2, times(nil, times(median(3), nil)), times(median(4), times(nil, nil)), 4, 0},
		{"of other times", 2, other, times(nil, nil), 0, 0},
		{"that are inconsistent", 2, times(median(6), nil), times(nil, nil), 0, 0},
		{"of free times, too", 2, times(median(2), times(median(3), nil)), times(nil, times(nil, nil)), 2, 3},
		{"of free times that the sum has not", 2, times(median(2), times(median(3), nil)), times(nil, nil), 2, 0},
		{"of free times that only the sum has", 2, times(median(2), nil), times(nil, times(median(4), nil)), 2, 4},
	} {
		r := Run{Operations: make([]Operation, tt.operations), Total: &Totals{ResponseTime: tt.known}}
		total := Operation{ResponseTime: *tt.sum}
		r.keepIntervals(&total)
		low := func(s *Summary) int64 {
			if s == nil || s.Interval(500) == nil {
				return 0
			}
			return s.Interval(500).LowNS
		}
		if got := low(&total.ResponseTime); got != tt.want {
			t.Errorf("%s: from %d, want %d", tt.name, got, tt.want)
		}
		if got := low(total.ResponseTime.Free); got != tt.free {
			t.Errorf("%s: those of the free times from %d, want %d", tt.name, got, tt.free)
		}
	}
	total := Operation{ResponseTime: *times(median(4), nil)}
	if new(Run).keepIntervals(&total); total.ResponseTime.Interval(500) == nil {
		t.Error("a document without totals takes away those of the operations")
	}
}

// Times that were merged have no intervals, since those of the parts do not say how much the parts are alike.
func TestMergedTimesHaveNoIntervals(t *testing.T) {
	one := summaryOf([]int64{5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28})
	one.SetIntervals(func(int64) *Interval { return &Interval{LowNS: 8, HighNS: 23, Effective: 20} }, nil)
	if one.Interval(500) == nil {
		t.Fatalf("%+v", one)
	}
	if alone, err := MergeSummaries(Summary{}, one, Summary{}); err != nil || alone.Interval(500) == nil {
		t.Errorf("alone: %+v, %v", alone, err)
	}
	if both, err := MergeSummaries(one, one); err != nil || both.Intervals != nil {
		t.Errorf("both: %+v, %v", both, err)
	}
}
