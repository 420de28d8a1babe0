package show_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/updates/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Failures have what the broker said, by the most frequent causes.
func TestFailuresHaveTheBrokersMessage(t *testing.T) {
	run := reporttest.Document(t, "updates")
	run.Operations[0].Causes = []rundoc.Cause{{Cause: "full", Count: 9}, {Cause: "closed", Count: 1}}
	run.Updates().Failures = []rundoc.FailureMessage{
		{Cause: "full", Message: "the stream is full\x1b[31m"}, {Cause: "unused", Message: "never"},
	}
	run.Conclude()
	text := reporttest.BriefOf(t, run, show.Kind(), report.Options{Width: 100, Rest: reporttest.Rest})
	for want, is := range map[string]bool{
		"by cause: full 9, closed 1": true, "full: the stream is full": true, "never": false, "\x1b": false,
	} {
		if strings.Contains(text, want) != is {
			t.Errorf("%q is in the report: %t, want %t\n%s", want, !is, is, text)
		}
	}
}
