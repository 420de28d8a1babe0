package chat

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The slowest room comes first, and the note names those that had most and fewest messages.
func TestRoomsAreRanked(t *testing.T) {
	run := &rundoc.Run{Workload: rundoc.WorkloadChat, Detail: &rundoc.ChatDetail{ByRoom: []rundoc.RoomFigures{
		{Room: "one", OK: 40, MeanNS: 2e6}, {Room: "two", OK: 30, MeanNS: 3e6}, {Room: "empty"}, {Room: "four", OK: 30, MeanNS: 4e6},
	}}}
	var text strings.Builder
	if err := report.Text(&text, run, ReportKind(), report.Options{Section: "by-room"}); err != nil {
		t.Fatal(err)
	}
	at := -1
	for _, want := range []string{"\n  four", "\n  two", "\n  one", "room one had the most messages: 40", "four had",
		"fewest messages: 30", "1 room"} {
		i := strings.Index(strings.ReplaceAll(text.String(), "\n  had", " had"), want)
		if i <= at {
			t.Errorf("%q stands at %d: %s", want, i, text.String())
		}
		at = i
	}
}
