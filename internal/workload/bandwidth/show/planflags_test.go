package show_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/show"
)

// No setting is forgotten where a command repeats what a run was told.
func TestPlanFlags(t *testing.T) {
	c := bandwidth.Command{Plan: bandwidth.DefaultPlan()}
	if err := c.Resolve(nil, func(string) bool { return false }); err != nil {
		t.Fatal(err)
	}
	reporttest.PlanFlags(t, c.Settings(), show.PlanFlags, "keep", "rename", "define")
}
