package show_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/updates"
	"github.com/plimsoll/plimsoll/internal/workload/updates/show"
)

// No setting is forgotten where a command repeats what a run was told.
func TestPlanFlags(t *testing.T) {
	c := updates.Command{Plan: updates.DefaultPlan()}
	if err := c.Resolve(nil, func(string) bool { return false }); err != nil {
		t.Fatal(err)
	}
	reporttest.PlanFlags(t, c.Settings(), show.PlanFlags, "from", "max")
}
