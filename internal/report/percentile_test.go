package report

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

func TestPercentileWords(t *testing.T) {
	at := func(ns int64) *int64 { return &ns }
	for _, tt := range []struct {
		sum  rundoc.Summary
		want string
	}{
		{rundoc.Summary{}, ""},
		{rundoc.Summary{P50NS: at(1e6)}, "p50 1.00 ms"},
		{rundoc.Summary{P50NS: at(1e6), P90NS: at(2e6)}, "p50 1.00 ms, p90 2.00 ms"},
		{rundoc.Summary{P50NS: at(1e6), P90NS: at(2e6), P95NS: at(3e6)}, "p50 1.00 ms, p95 3.00 ms"},
		{
			rundoc.Summary{P50NS: at(1e6), P90NS: at(2e6), P95NS: at(3e6), P99NS: at(4e6), P999NS: at(5e6)},
			"p50 1.00 ms, p99 4.00 ms, p99.9 5.00 ms",
		},
	} {
		if got := strings.Join(PercentileWords(&tt.sum), ", "); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// What a table lacks is said with what it would need.
func TestMissing(t *testing.T) {
	ns := int64(1)
	rows := []Timed{{"a", &rundoc.Summary{P50NS: &ns, P90NS: &ns}}, {"b", &rundoc.Summary{P50NS: &ns}}}
	if got := Needs(Missing(rows, Medium)); got != "p90 needs 100, p99 needs 1,000, p99.9 needs 10,000 (10 values must lie above a percentile)" {
		t.Error(got)
	}
	if len(Missing(rows[:1], Narrow)) != 1 {
		t.Errorf("%+v", Missing(rows[:1], Narrow))
	}
}

// How well the run knows a percentile stands beside it in words, in tables of operations and in CSV.
func TestPercentilesHaveIntervals(t *testing.T) {
	ms := func(v int64) *int64 { return new(v * 1e6) }
	s := &rundoc.Summary{Count: 1000, MinNS: 1e6, MeanNS: 12e6, MaxNS: 90e6, P50NS: ms(10), P99NS: ms(50),
		Intervals: &rundoc.Intervals{P50: &rundoc.Interval{LowNS: 9e6, HighNS: 11e6, Effective: 100},
			Mean: &rundoc.Interval{LowNS: 11e6, HighNS: 13e6, Effective: 90}}}
	if got := Spread(s); got != "p50 10.0 ms (95% CI 9.00–11.0), p99 50.0 ms, max 90.0 ms" {
		t.Error(got)
	}
	of := func(s *rundoc.Summary) *rundoc.Summary { return s }
	if got := cellsOf(s, PercentileColumnsWithin(Narrow, of)); got[0] != "10.0 ms (95% CI 9.00–11.0)" || got[1] != "50.0 ms" {
		t.Errorf("%q", got)
	}
	got := cellsOf(s, IntervalColumns("", of))
	if strings.Join(got[:4], " ") != "11000000 13000000 9000000 11000000" || strings.Join(got[4:], "") != "" {
		t.Errorf("%q", got)
	}
}
