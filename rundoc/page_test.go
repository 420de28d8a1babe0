package rundoc_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestPageHasTheThresholds checks that docs/verdict.md has the thresholds of this package.
func TestPageHasTheThresholds(t *testing.T) {
	text, err := os.ReadFile("../docs/verdict.md")
	if err != nil {
		t.Fatal(err)
	}
	share, times := units.Percent3, func(f float64) string { return fmt.Sprintf("%.3g×", f) }
	ms := func(ns int64) string { return fmt.Sprintf("%.3g ms", float64(ns)/1e6) }
	for _, paragraph := range []struct {
		begins string
		values []string
	}{
		{"| generator delay in a percentile |",
			[]string{share(rundoc.MinSpan), ms(rundoc.MinSpanNS), share(rundoc.MinOwnShare)}},
		{"| closed model limited by the generator |", []string{share(rundoc.MaxOwnClosed), ms(rundoc.MinOwnClosedNS)}},
		{"| generator paused |", []string{ms(rundoc.LongGapNS), share(rundoc.MaxGapShare)}},
		{"| CPU quota |", []string{share(rundoc.MaxThrottled)}},
		{"| waiting for a CPU |",
			[]string{times(rundoc.MaxRunDelay), fmt.Sprintf("%.3g s per second", rundoc.MaxRunDelayShare)}},
		{"| busy machine shared with the target |",
			[]string{share(rundoc.MaxMachineShare), times(rundoc.MaxSharedDelay)}},
		{"| waiting for a CPU cannot be measured |",
			[]string{share(rundoc.MaxCPUShare), share(rundoc.MaxMachineShare)}},
		{"| CPUs used up, and no kernel stamps |", []string{share(rundoc.MaxCPUShare)}},
		{"| garbage collection | more", []string{share(rundoc.MaxGCShare)}},
		{"| [Little's law]", []string{share(rundoc.LittleTolerance)}},
		{"| clock step |", []string{ms(rundoc.MaxClockStepNS)}},
		{"| short window |", []string{fmt.Sprintf("%d s", rundoc.MinWindowNS/1_000_000_000)}},
		{"| failed or not sent |", []string{share(rundoc.MaxMissing)}},
		{"| clients away |", []string{share(rundoc.MaxClientsLost), share(rundoc.MaxClientsAway)}},
		{"- **Operations started late**", []string{share(rundoc.MaxNotOffered), ms(rundoc.MinLateNS)}},
		{"- **Operations not sent**", []string{share(rundoc.MaxNotOffered)}},
		{"- **Operations waited for a free client**", []string{share(rundoc.MaxClientWait), ms(rundoc.MinClientWaitNS)}},
		{"- **Open files or local ports exhausted**", []string{share(rundoc.MaxOwnFailures)}},
	} {
		_, rest, found := strings.Cut(string(text), "\n"+paragraph.begins)
		if !found {
			t.Errorf("docs/verdict.md has no line that begins with %q", paragraph.begins)
			continue
		}
		for _, end := range []string{"\n|", "\n-", "\n\n"} {
			rest, _, _ = strings.Cut(rest, end)
		}
		for _, want := range paragraph.values {
			if !strings.Contains(rest, want) {
				t.Errorf("docs/verdict.md: %s: %q is missing", paragraph.begins, want)
			}
		}
	}
}
