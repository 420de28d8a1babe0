package bandwidth

import (
	"errors"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run/runtest"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/content"
	"github.com/plimsoll/plimsoll/rundoc"
)

func TestOutcomes(t *testing.T) {
	r := &oneRun{c: &Command{}, work: &Bandwidth{}}
	runtest.Outcomes(t, &rundoc.BandwidthDetail{}, fault.RunFailed, r.Conclude)
}

// Data that came back wrong is told before a failure: nobody may trust the store with more.
func TestMismatchIsReported(t *testing.T) {
	r := &oneRun{c: &Command{}, work: &Bandwidth{}}
	r.work.check.Wrong, r.work.check.Where = 1, []content.Stretch{{First: 7, Last: 7}}
	doc := &rundoc.Run{Operations: []rundoc.Operation{{OK: 1}}}
	got := r.Conclude(doc).Failed
	if fault.CodeOf(got) != fault.RunFailed || !strings.Contains(got.Error(), "byte 7") ||
		errors.Unwrap(got) == nil && fault.HintOf(got) == "" {
		t.Error(got)
	}
}
