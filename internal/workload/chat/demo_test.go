package chat

import (
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/ws/show"
)

// Without a URL it is the demo, until the user says how much load to make.
func TestDemo(t *testing.T) {
	const url = "ws://h:1/chat"
	longer := []string{"duration", "warmup-clients", "warmup-messages", "warmup-time", "drain"}
	for _, c := range []struct {
		name  string
		args  []string
		flags []string
		want  time.Duration
	}{
		{"nothing", nil, nil, demoThinkTime},
		{"how long", nil, longer, demoThinkTime},
		{"another server of its own", nil, []string{"target-flag", "seed", "rooms", "samples"}, demoThinkTime},
		{"a URL", []string{url}, nil, 0},
		{"clients", nil, []string{"clients"}, 0},
		{"messages", nil, []string{"messages", "rooms"}, 0},
	} {
		command := Command{Plan: DefaultPlan()}
		switch {
		case slices.Contains(c.flags, "messages"):
			command.Plan.Load.Operations = 100_000
		case slices.Contains(c.flags, "duration"):
			command.Plan.Load.Duration = time.Minute
		}
		if err := command.Resolve(c.args, flags(c.flags...)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := command.Plan.Load.ThinkTime; got != c.want {
			t.Errorf("%s: a pause of %v, want %v", c.name, got, c.want)
		}
	}
	// Each flag of the load that says how much makes it no demo.
	for _, one := range (&Command{}).Settings().All() {
		p := DefaultPlan()
		if one.Heading == "Load" && p.demo(flags(one.Name)) != slices.Contains(longer, one.Name) {
			t.Errorf("--%s: a demo %v", one.Name, p.demo(flags(one.Name)))
		}
	}
}

// No setting is forgotten where a command repeats what a run was told.
func TestPlanFlags(t *testing.T) {
	c := Command{Plan: DefaultPlan()}
	if err := c.Resolve(nil, func(string) bool { return false }); err != nil {
		t.Fatal(err)
	}
	reporttest.PlanFlags(t, c.Settings(), show.PlanFlags(mixFlags()), "header", "subprotocol", "stages", "bearer",
		"proxy", "resolve")
}
