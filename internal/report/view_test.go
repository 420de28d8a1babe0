package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

func TestWords(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{cpuTime(0, 1), "< 10.0 ms"},
		{cpuTime(0, 1000), "< 10.0 µs"},
		{cpuTime(30e6, 10), "3.00 ms"},
		{clockStep(-999_999), "none"},
		{clockStep(-1_500_000), "-1.50 ms"},
		{Spread(&rundoc.Summary{Count: 1, MeanNS: 5, MaxNS: 5}), "mean 5.00 ns, max 5.00 ns"},
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
	if got := NewView(run, Kind{}, Options{}).unsteady(); !strings.Contains(got, "95% CI 36.4–96.1") {
		t.Errorf("%q", got)
	}
	run.Plan = json.RawMessage(`{"load":{"stages":[{"rate_per_s":1}]}}`)
	if got := NewView(run, Kind{}, Options{}).unsteady(); got != "" {
		t.Errorf("stages change the rate on purpose: %q", got)
	}
	run.Plan = nil
	for i := range run.Series {
		run.Series[i].OK = 65 + int64(i%3)
	}
	if got := NewView(run, Kind{}, Options{}).unsteady(); got != "" {
		t.Errorf("a steady rate: %q", got)
	}
}

// TestSecondsOfLongerPoints have the mean count of a second, and a point that the window cuts off has none.
func TestSecondsOfLongerPoints(t *testing.T) {
	run := &rundoc.Run{Ledger: rundoc.Ledger{WindowNS: 5.5e9}}
	for s := range int64(3) {
		run.Series = append(run.Series, rundoc.Point{Second: 2 * s, Seconds: 2, OK: 10 + s})
	}
	if got := run.FullSeconds(); len(got) != 2 || got[0] != 5 || got[1] != 5.5 {
		t.Errorf("%v", got)
	}
}
