package reporttest

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
)

// ShortMarkdown makes sure that what stands open of a report in Markdown is short, and that what is folded up is so
// to its end.
func ShortMarkdown(t testing.TB, name, text string) {
	t.Helper()
	open, folded := 0, false
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); {
		case line == "<details>" && folded, line == "</details>" && !folded:
			t.Errorf("%s: %s where there is none to be", name, line)
		case line == "<details>":
			folded = true
		case line == "</details>":
			folded = false
		case !folded || strings.HasPrefix(line, "<summary>"):
			open++
		}
	}
	if folded || open > report.MarkdownLines {
		t.Errorf("%s: %d lines stand open, %d may; folded up to its end: %v", name, open, report.MarkdownLines, !folded)
	}
}
