package chart

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/report/graph"
)

func TestLabels(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{tickDuration(5e6), "5 ms"},
		{tickDuration(1.5e9), "1.5 s"},
		{timeLabel(150, 7200), "2:30"},
		{timeLabel(0.15, 0.3), "0.15 s"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestTicksCoverTheirRange(t *testing.T) {
	for highest := 1e-3; highest < 1e12; highest *= 1.37 {
		for _, unit := range []graph.Unit{graph.Number, graph.Nanoseconds, graph.Bytes} {
			e := newExtent()
			e.see(0, highest)
			a := axisOf(graph.Axis{Unit: unit}, e, 5)
			if a.from != 0 || a.to < highest || a.to > 2*highest+1 || len(a.ticks) < 2 && highest > 1 || len(a.ticks) > 7 {
				t.Errorf("%q to %g: to %g with %d ticks", unit, highest, a.to, len(a.ticks))
			}
		}
		if ticks := timeTicks(highest); len(ticks) < 2 && highest > 0.01 || len(ticks) > 14 {
			t.Errorf("time to %g: %d ticks", highest, len(ticks))
		}
	}
}

func TestLabelsOfValues(t *testing.T) {
	for _, tt := range []struct {
		unit graph.Unit
		v    float64
		want string
	}{
		{graph.Bytes, -5, "-5"}, {graph.Bytes, 0, "0 B"}, {graph.Bytes, 1024, "1.00 KiB"}, {graph.Bytes, 1 << 61, "2,100,000 TiB"},
		{graph.Bytes, 1 << 62, "4.61e+18"}, {graph.Seconds, 120, "120 s"}, {graph.Seconds, 121, "2:01"}, {graph.Seconds, -120, "-120 s"},
		{graph.Seconds, 1e9, "277777:46:40"}, {graph.Seconds, 9e9, "277777:46:40"}, {graph.Share, 0.123456789, "12.345679%"},
		{graph.Number, 1e-6, "0.000001"}, {graph.Number, 0.99e-6, "9.9e-07"}, {graph.Number, 0, "0"}, {graph.Number, 1e15, "1e+15"},
		{graph.Number, -1e15, "-1e+15"}, {graph.Number, 1e15 - 1, "999,999,999,999,999"}, {graph.Quantile, 0.999, "p99.9"}, {graph.Quantile, 0, "min"},
		{graph.Nanoseconds, 0, "0"}, {graph.Nanoseconds, 1500, "1.5 µs"},
	} {
		if got := labelOf(graph.Axis{Unit: tt.unit}, extent{}, tt.v); got != tt.want {
			t.Errorf("%v %s: %q, want %q", tt.v, tt.unit, got, tt.want)
		}
	}
}

// A tick at the end of the time is one of its ticks, whatever rounding makes of it, and one behind it is none.
func TestTicksAtTheEnd(t *testing.T) {
	for end, want := range map[float64]int{10: 11, 10 - 1e-9: 11, 9.999995: 10, 0: 1} {
		if got := timeTicks(end); len(got) != want {
			t.Errorf("%v: %d ticks, want %d", end, len(got), want)
		}
	}
}
