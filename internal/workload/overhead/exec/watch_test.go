package exec

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The machine is watched while a command calls, and not while it is compiled; where it never calls, nothing is said of
// the machine.
func TestMachineIsWatchedFromFirstCall(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processors are not watched here")
	}
	for _, calls := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			traced := func() int64 {
				if calls && time.Since(begun) >= time.Minute {
					return 1
				}
				return 0
			}
			reading, _ := watched(t.Context(), traced, func() { time.Sleep(time.Minute + 10*time.Second) })
			missing := slices.ContainsFunc(reading.Unseen, func(name string) bool { return strings.HasPrefix(name, "processors") })
			if missing == calls {
				t.Errorf("calls %v, not watched %q", calls, reading.Unseen)
			}
			if calls && (reading.Elapsed < 10*time.Second-look || reading.Elapsed > 10*time.Second) {
				t.Errorf("watched for %v", reading.Elapsed)
			}
		})
	}
}
