package kvapi

import (
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

func TestPercentilesWithoutNegativesAreTheSummarys(t *testing.T) {
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
