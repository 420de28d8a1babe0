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
