package chart

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/units"
)

func TestLabels(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{TickDuration(5e6), "5 ms"},
		{TickDuration(1.5e9), "1.5 s"},
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
		bottom, top, ticks := LinearTicks(highest, units.Digits)
		if bottom != 0 || top < highest*(1-1e-9) || len(ticks) < 2 || len(ticks) > 7 {
			t.Errorf("linear to %g: top %g with %d ticks", highest, top, len(ticks))
		}
		if ticks := timeTicks(highest); len(ticks) < 2 && highest > 0.01 || len(ticks) > 14 {
			t.Errorf("time to %g: %d ticks", highest, len(ticks))
		}
		for _, span := range []float64{11, 150, 3e4} {
			bottom, top, ticks := LogTicks(highest*1e3, highest*1e3*span)
			labels := 0
			for _, t := range ticks {
				if t.Label != "" {
					labels++
				}
			}
			if bottom > highest*1e3*(1+1e-9) || top < highest*1e3*span*(1-1e-9) || labels < 3 || labels > 14 {
				t.Errorf("logarithmic from %g over %g: %g to %g with %d labels", highest*1e3, span, bottom, top, labels)
			}
		}
	}
}
