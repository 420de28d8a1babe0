package show_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Reasons, notes and what held a transfer up leave the times of the blocks whole. What those are without the generator's
// own delay goes before them.
func TestBriefKeepsBlockTimes(t *testing.T) {
	run := fixture(t, "bandwidth-stall")
	long := strings.Repeat("a sentence that goes on and on, ", 15)
	d := run.Bandwidth()
	d.Limits = []rundoc.Limit{
		{Transfer: "upload", What: "client", Share: 0.7, Message: long},
		{Transfer: "download", What: "client", Share: 0.7, Message: long},
	}
	for _, moved := range d.Transfers() {
		free := moved.Block
		half := *free.P50NS / 2
		free.P50NS, free.MaxNS = &half, free.MaxNS/2
		moved.Transfer.Block.Free = &free
	}
	run.Generator.CPUShare = 0.99
	run.Conclude() // a broken law: the operations know nothing of those halves
	for i := range run.Verdict.Reasons {
		run.Verdict.Reasons[i] += long // as many as there are: it would be judged anew
	}
	kind := show.Kind()
	for _, width := range []int{40, 48, 56, 66, 80, 120} {
		opt := report.Options{Width: width, Rest: reporttest.Rest}
		brief := reporttest.BriefOf(t, run, kind, opt)
		flat := strings.Join(strings.Fields(brief), " ")
		for _, want := range []string{
			"67.9 MB/s (543 Mbit/s): 400 MiB in 6.18 s", "135 MB/s (1,077 Mbit/s): 400 MiB in 3.12 s",
			"min 21.6 ms", "p50 39.1 ms", "max 2.03 s", "p50 29.9 ms", "max 55.1 ms", "INVALID: do not use these figures - broken law",
		} {
			if !strings.Contains(flat, want) {
				t.Errorf("no %q at %d columns:\n%s", want, width, brief)
			}
		}
	}
	reporttest.BriefFits(t, "long sentences", run, kind, 40, 48, 56, 66, 80, 120)
}
