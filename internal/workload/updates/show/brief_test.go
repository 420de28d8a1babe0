package show_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/updates/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The answer has its figures and the proof whole in the narrowest terminal, whatever the verdict has to say.
func TestBriefKeepsFiguresAndProof(t *testing.T) {
	run := reporttest.Document(t, "updates")
	for validity, cpu := range map[rundoc.Validity]float64{rundoc.Valid: 0.2, rundoc.Suspect: 0.99} {
		run.Generator.CPUShare = cpu
		if run.Conclude(); run.Verdict.Validity != validity {
			t.Fatal(run.Verdict)
		}
		for i := range run.Verdict.Reasons { // as many as there are: it would be judged anew
			run.Verdict.Reasons[i] = strings.Repeat("a reason that goes on and on, ", 12)
		}
		for _, width := range []int{40, 55, 56, 80, 120} {
			opt := report.Options{Width: width, Rest: reporttest.Rest}
			brief := reporttest.BriefOf(t, run, show.Kind(), opt)
			flat := strings.Join(strings.Fields(brief), " ")
			for _, want := range []string{
				"Applied 52,500 updates/s, of 52,500 due (420 batches/s of 125) ",
				"End to end p50 626 µs · p99 2.82 ms · p99.9 5.63 ms · max 8.28 ms from the schedule ",
				"Proof nothing lost, nothing twice, final state equal ",
				"Failures none, and no retries ",
				"Verdict " + strings.ToUpper(string(validity)),
			} {
				if !strings.Contains(flat, want) {
					t.Errorf("%s at %d columns: no %q in\n%s", validity, width, want, brief)
				}
			}
		}
	}
}
