package report

import (
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

func TestPlusMinus(t *testing.T) {
	for _, tt := range []struct {
		raw, low, high int64
		want           string
	}{
		{1_000_000, 999_990, 1_000_010, ""}, // not in the digits that are shown
		{1_000_000, 996_000, 1_004_000, " ± 0.4%"},
		{1_000_000, 940_000, 1_050_000, " ± 6%"},
		{1_000_000, 960_000, 1_110_000, " +11 −4%"},
		{666_111, 488_192, 14_467_071, " +2,072 −27%"},
		{1_000_000, 1_000_000, 1_020_000, " +2 −0.0%"},
		{1_000_000, 1_010_000, 1_020_000, ""}, // does not hold it: it is none
		{1_000_000, 0, 1_020_000, ""},         // beyond the shortest time
	} {
		s := &rundoc.Summary{Count: 1000, MinNS: 1000, MaxNS: 1e9, P99NS: &tt.raw, Intervals: &rundoc.Intervals{
			P99: &rundoc.Interval{LowNS: tt.low, HighNS: tt.high, Effective: 500}}}
		if got := PlusMinus(s, 990, tt.raw); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
	if got := PlusMinus(&rundoc.Summary{}, 990, 5); got != "" {
		t.Errorf("%q of nothing", got)
	}
}
