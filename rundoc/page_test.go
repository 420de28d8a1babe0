package rundoc_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// docs/verdict.md tells the thresholds in words: those of this package.
func TestPageHasTheThresholds(t *testing.T) {
	text, err := os.ReadFile("../docs/verdict.md")
	if err != nil {
		t.Fatal(err)
	}
	page := strings.Join(strings.Fields(string(text)), " ")
	ms := func(ns int64) string { return fmt.Sprintf("%.3g ms", float64(ns)/1e6) }
	for _, want := range []string{
		fmt.Sprintf("more than %s of raw and more than %s, and own delay at least %s of all response time",
			units.Percent3(rundoc.MinSpan), ms(rundoc.MinSpanNS), units.Percent3(rundoc.MinOwnShare)),
		fmt.Sprintf("own delay at least %s of all response time, and %s of an operation on average",
			units.Percent3(rundoc.MaxOwnClosed), ms(rundoc.MinOwnClosedNS)),
		fmt.Sprintf("gaps of %s or more that sum to more than %s of the window",
			ms(rundoc.LongGapNS), units.Percent3(rundoc.MaxGapShare)),
		fmt.Sprintf("more than %s of the window, at any level", units.Percent3(rundoc.MaxThrottled)),
		fmt.Sprintf("more than %s as long as they ran, and more than %.3g s in each second",
			map[float64]string{2: "twice"}[rundoc.MaxRunDelay], rundoc.MaxRunDelayShare),
		fmt.Sprintf("the machine more than %s busy, and its threads waited more than %s as long",
			units.Percent3(rundoc.MaxMachineShare), map[float64]string{0.5: "half"}[rundoc.MaxSharedDelay]),
		fmt.Sprintf("more than %s of the CPU time available to it", units.Percent3(rundoc.MaxGCShare)),
		fmt.Sprintf("it used more than %s of its CPUs, or shared a machine that was more than %s busy",
			units.Percent3(rundoc.MaxCPUShare), units.Percent3(rundoc.MaxMachineShare)),
		fmt.Sprintf("its CPUs were used up, and arrivals have no stamps | it used more than %s of its CPUs |", units.Percent3(rundoc.MaxCPUShare)),
		fmt.Sprintf("by more than %s | times of day", ms(rundoc.MaxClockStepNS)),
		fmt.Sprintf("less than %d s |", rundoc.MinWindowNS/1_000_000_000),
		fmt.Sprintf("more than %s of their time backing off", units.Percent3(rundoc.MaxClientsLost)),
		fmt.Sprintf("From %s on a note", units.Percent3(rundoc.MaxClientsAway)),
		fmt.Sprintf("by more than %s and more than %s", units.Percent3(rundoc.MaxClientWait), ms(rundoc.MinClientWaitNS)),
		fmt.Sprintf("more than %s of all attempts", units.Percent3(rundoc.MaxOwnFailures)),
		fmt.Sprintf("More than %s of them started later", units.Percent3(rundoc.MaxNotOffered)),
		fmt.Sprintf("by more than half of the free response time's p99 *and* by more than %s,", ms(rundoc.MinLateNS)),
		fmt.Sprintf("although clients were free, more than %s of them", units.Percent3(rundoc.MaxNotOffered)),
		fmt.Sprintf("differ by more than %s,", units.Percent3(rundoc.LittleTolerance)),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("docs/verdict.md does not say %q", want)
		}
	}
}
