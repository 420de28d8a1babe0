package page

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
)

// What went wrong stands above the verdict, over the whole width: a valid run that missed its threshold is not all green.
func TestWhatWentWrongIsAboveTheVerdict(t *testing.T) {
	var m markup
	m.answer(&Model{Facts: []report.Fact{
		{Key: "Requests", Value: "9 ok"},
		{Key: "Thresholds", Value: "0 of 1 met · missed: p99<1ms", Tone: report.Bad},
		{Key: "Verdict", Value: "VALID: no problem", Tone: report.Good},
	}})
	text := m.String()
	missed, verdict := strings.Index(text, `<div class="banner bad">`), strings.Index(text, `<div class="banner good">`)
	if missed < 0 || verdict < missed || strings.Count(text, "p99&lt;1ms") != 1 {
		t.Errorf("%s", text)
	}
}
