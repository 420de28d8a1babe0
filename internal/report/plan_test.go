package report_test

import (
	"encoding/json"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
)

// A plan that is null has nothing to be put in other words.
func TestPlanOfNothing(t *testing.T) {
	for _, text := range []string{"", "null", "[]", "7", "{"} {
		got := report.PlanOf(json.RawMessage(text), report.PlanShape{Without: func(plan map[string]any) { plan["vary"] = 1 }})
		if got.Title != "Plan" || len(got.Tables) != 0 {
			t.Errorf("%s: %+v", text, got)
		}
	}
}
