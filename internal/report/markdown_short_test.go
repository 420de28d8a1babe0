package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/rundoc"
)

// However much there is to say, little of it stands open, and all of it is there.
func TestMarkdownOfMuchToSay(t *testing.T) {
	for _, many := range []int{0, 5, 30, 200} {
		run := fixture(t, "good")
		for i := range many {
			run.Warnings = append(run.Warnings, rundoc.Warning{Code: "x", Message: fmt.Sprintf("warning %d | of <many>", i)})
			run.Generator.Unseen = append(run.Generator.Unseen, fmt.Sprintf("watch %d: none", i))
		}
		var text bytes.Buffer
		if err := report.Markdown(&text, run, kindOf(run), report.Options{}); err != nil {
			t.Fatal(err)
		}
		reporttest.ShortMarkdown(t, fmt.Sprint(many, " warnings"), text.String())
		for i := range many {
			if !strings.Contains(text.String(), fmt.Sprintf(`warning %d \| of &lt;many>`, i)) {
				t.Errorf("%d warnings: number %d is gone", many, i)
			}
		}
		if cut := strings.Contains(text.String(), " more, below"); cut != (many >= 30) {
			t.Errorf("%d warnings: cut %v", many, cut)
		}
	}
}

// A part that is asked for by its name stands open.
func TestMarkdownOfASection(t *testing.T) {
	run := fixture(t, "good")
	for _, section := range []string{"answer", "verdict", "plan"} {
		var text bytes.Buffer
		err := report.Markdown(&text, run, kindOf(run), report.Options{Section: section})
		if err != nil || strings.Contains(text.String(), "<details>") || text.Len() < 100 {
			t.Errorf("%s: %v\n%s", section, err, text.String())
		}
	}
}
