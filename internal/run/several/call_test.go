package several

import (
	"testing"
	"time"
)

// How long a run takes is read from its plan, where that says it; of operations one after the other, from all of them.
func TestLengthOfARun(t *testing.T) {
	for plan, want := range map[string]time.Duration{
		`{"load":{"duration_ns":5000000000,"warmup_time_ns":1000000000}}`:       6500 * time.Millisecond,
		`{"load":{"stages":[{"duration_ns":2000000000}],"ramp_ns":1000000000}}`: 3500 * time.Millisecond,
		`{"repeat_for_ns":5000000000}`:                                          5500 * time.Millisecond,
		`{"time_ns":2000000000,"warmup_ns":500000000,"operations":["a","b"]}`:   5500 * time.Millisecond,
		`{"load":{"messages":100}}`:                                             0,
		`[]`:                                                                    0,
	} {
		if got := Length([]byte(plan)); got != want {
			t.Errorf("%s takes %v, want %v", plan, got, want)
		}
	}
}
