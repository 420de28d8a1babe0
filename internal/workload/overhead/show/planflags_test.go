package show_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/overhead"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/show"
)

// No setting is forgotten where a command repeats what a run was told.
func TestPlanFlags(t *testing.T) {
	c := overhead.NewCommand()
	noDemo := func(flag string) bool { return flag == "calls" || flag == "duration" }
	if err := c.Resolve(nil, noDemo); err != nil {
		t.Fatal(err)
	}
	reporttest.PlanFlags(t, c.Settings(), show.PlanFlags, "endpoint", "profile", "region")
}
