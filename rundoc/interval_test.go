package rundoc

import (
	"encoding/json"
	"testing"
)

// Documents of before intervals have none; those that make no sense are as if they were not there.
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
