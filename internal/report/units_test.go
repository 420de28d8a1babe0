package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

func TestUnits(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{duration(0), "0 ns"},
		{duration(999), "999 ns"},
		{duration(1234), "1.23 µs"},
		{duration(999_499), "999 µs"},
		{duration(999_500), "1.00 ms"},
		{duration(9_996_000), "10.0 ms"},
		{duration(1_234_567_890_123), "1,230 s"},
		{duration(-1500), "-1.50 µs"},
		{nonzero(0), dash},
		{optional(nil), dash},
		{length(1_500_000_000), "1.50 s"},
		{length(3_723_000_000_000), "1h2m3s"},
		{digits3(0.0012345), "0.00123"},
		{digits3(0.9999), "1.00"},
		{digits3(123456), "123,000"},
		{number(1234567), "1,234,567"},
		{number(-1000), "-1,000"},
		{number(999), "999"},
		{perSecond(48112.4), "48,112"},
		{perSecond(99.49), "99.5"},
		{percent(0), "0 %"},
		{percent(1), "100.0 %"},
		{percent(0.99951), "> 99.9 %"},
		{percent(0.1234), "12.3 %"},
		{percent(0.004), "0.4 %"},
		{percent(0.0004), "0.04 %"},
		{percent(0.00004), "0.004 %"},
		{percent(0.0000004), "< 0.001 %"},
		{shareOf(1, 0), dash},
		{size(999), "999 B"},
		{size(1024 * 1024), "1.00 MiB"},
		{clean("a\x1bb\n"), "a?b?"},
		{some(1, "retry", "retries"), "1 retry"},
		{some(1200, "retry", "retries"), "1,200 retries"},
		{unit{"ms", 1e6}.in(580), "0.0006"},
		{unit{"ms", 1e6}.in(2_250_000_000), "2,250"},
		{cpuTime(0, 1), "< 10.0 ms"},
		{cpuTime(0, 1000), "< 10.0 µs"},
		{cpuTime(30e6, 10), "3.00 ms"},
		{clockStep(-999_999), "none"},
		{clockStep(-1_500_000), "-1.50 ms"},
		{spread(&rundoc.Summary{Count: 1, MeanNS: 5, MaxNS: 5}), "mean 5.00 ns, max 5.00 ns"},
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

func TestUnsteady(t *testing.T) {
	run := &rundoc.Run{Workload: "chat", Ledger: rundoc.Ledger{WindowNS: 12e9}}
	for s, n := range []int64{100, 10, 90, 20, 130, 15, 80, 100, 20, 120, 10, 100} {
		run.Series = append(run.Series, rundoc.Point{Second: int64(s), OK: n})
	}
	run.Operations = []rundoc.Operation{{Name: "send", RatePerS: 66.25}}
	if got := newView(run, Options{}).unsteady(); !strings.Contains(got, "known to ±4") {
		t.Errorf("%q", got)
	}
	run.Plan = json.RawMessage(`{"load":{"stages":[{"rate_per_s":1}]}}`)
	if got := newView(run, Options{}).unsteady(); got != "" {
		t.Errorf("stages change the rate on purpose: %q", got)
	}
	run.Plan = nil
	for i := range run.Series {
		run.Series[i].OK = 65 + int64(i%3)
	}
	if got := newView(run, Options{}).unsteady(); got != "" {
		t.Errorf("a steady rate: %q", got)
	}
}

func TestTicksCoverTheirRange(t *testing.T) {
	for highest := 1e-3; highest < 1e12; highest *= 1.37 {
		bottom, top, ticks := linearTicks(highest, digits)
		if bottom != 0 || top < highest*(1-1e-9) || len(ticks) < 2 || len(ticks) > 7 {
			t.Errorf("linear to %g: top %g with %d ticks", highest, top, len(ticks))
		}
		if ticks := timeTicks(highest); len(ticks) < 2 && highest > 0.01 || len(ticks) > 14 {
			t.Errorf("time to %g: %d ticks", highest, len(ticks))
		}
		for _, span := range []float64{11, 150, 3e4} {
			bottom, top, ticks := logTicks(highest*1e3, highest*1e3*span)
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
