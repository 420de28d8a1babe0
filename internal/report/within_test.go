package report

import (
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

func TestConfidenceInterval(t *testing.T) {
	for _, tt := range []struct {
		raw, low, high int64
		want           string
	}{
		{1_000_000, 950_000, 1_050_000, ""}, // narrow
		{1_000_000, 900_000, 1_050_000, " (95% CI 900 µs–1.05 ms)"},
		{47_300_000, 37_000_000, 64_100_000, " (95% CI 37.0–64.1)"},
		{666_111, 488_192, 14_467_071, " (95% CI 488 µs–14.5 ms)"},
		{1_000_000, 1_010_000, 1_200_000, ""}, // does not contain the value
		{1_000_000, 0, 1_200_000, ""},         // below the minimum
	} {
		s := &rundoc.Summary{Count: 1000, MinNS: 1000, MaxNS: 1e9, P99NS: &tt.raw, Intervals: &rundoc.Intervals{
			P99: &rundoc.Interval{LowNS: tt.low, HighNS: tt.high, Effective: 500}}}
		if got := ConfidenceInterval(s, 990, tt.raw); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
	if got := ConfidenceInterval(&rundoc.Summary{}, 990, 5); got != "" {
		t.Errorf("%q for an empty summary", got)
	}
}
