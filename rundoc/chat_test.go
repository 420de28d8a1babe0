package rundoc_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// What is told of the slowest messages agrees with itself, and with the times of all.
func TestLawsOfTheSlowestMessages(t *testing.T) {
	for name, c := range map[string]struct {
		edit   func(*rundoc.ChatTail)
		broken bool
	}{
		"sound":                         {func(*rundoc.ChatTail) {}, false},
		"each with one mark":            {func(s *rundoc.ChatTail) { s.Other = 14 }, false},
		"each with all":                 {func(s *rundoc.ChatTail) { s.Other = 26 }, false},
		"more with a mark than marks":   {func(s *rundoc.ChatTail) { s.Other = 13 }, true},
		"fewer with a mark than of one": {func(s *rundoc.ChatTail) { s.Other = 27 }, true},
		"one retried too many":          {func(s *rundoc.ChatTail) { s.Retried = 11 }, true},
		"fewer than none":               {func(s *rundoc.ChatTail) { s.Waited = -1 }, true},
		"another time than the p99":     {func(s *rundoc.ChatTail) { s.FromNS++ }, true},
		"fewer than a hundredth":        {func(s *rundoc.ChatTail) { s.Messages, s.Other = 29, 19 }, true},
		"more than there are":           {func(s *rundoc.ChatTail) { s.Messages, s.Other = 2997, 2987 }, true},
	} {
		run := soundRun(t)
		total, err := run.Totals()
		if err != nil {
			t.Fatal(err)
		}
		tail := &rundoc.ChatTail{FromNS: *total.ResponseTime.P99NS, Messages: 36, Retried: 10, Reconnected: 9, Waited: 1,
			OwnDelay: 2, Other: 20}
		c.edit(tail)
		run.Detail = &rundoc.ChatDetail{Tail: tail}
		reasons := strings.Join(rundoc.Judge(run).Reasons, "\n")
		if broken := strings.Contains(reasons, "broken law: chat"); broken != c.broken {
			t.Errorf("%s: %q", name, reasons)
		}
	}
}
