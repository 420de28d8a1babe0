package show_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/ws/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestCloseReasonsAreShown: the first screen has the most frequent ones, the full report all, and no control characters.
func TestCloseReasonsAreShown(t *testing.T) {
	run := reporttest.Document(t, "talk")
	run.WS().Lost = &rundoc.WSLosses{More: 4, Texts: []rundoc.WSLoss{
		{Cause: "closed-by-peer:1008", What: "token \x1b[1m expired", Count: 12},
		{Cause: "message-too-big", What: "longer than --max-message", Count: 1},
		{Cause: "protocol", What: "not UTF-8", Count: 1},
	}}
	var brief, full strings.Builder
	if err := report.Brief(&brief, run, show.Kind(), report.Options{Width: 100, Rest: "more"}); err != nil {
		t.Fatal(err)
	}
	if err := report.Text(&full, run, show.Kind(), report.Options{Width: 100}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"closed-by-peer:1008: token ", " expired (12 times)", "message-too-big: longer than"} {
		if !strings.Contains(brief.String(), want) {
			t.Errorf("no %q in\n%s", want, brief.String())
		}
	}
	for _, want := range []string{"Lost connections by reason", "not UTF-8", "4 connections were lost for other reasons."} {
		if !strings.Contains(full.String(), want) {
			t.Errorf("no %q in\n%s", want, full.String())
		}
	}
	if strings.Contains(brief.String()+full.String(), "\x1b[1m") {
		t.Error("a control character is shown")
	}
}
