package chat

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
	"github.com/plimsoll/plimsoll/internal/workload/ws/show"
	"github.com/plimsoll/plimsoll/rundoc"
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

// What help and documents say of the demo is what it does.
func TestDemoWords(t *testing.T) {
	command := Command{Plan: DefaultPlan()}
	if err := command.Resolve(nil, flags()); err != nil {
		t.Fatal(err)
	}
	p := command.Plan
	perSecond := float64(p.Load.Clients) / p.Load.ThinkTime.Seconds()
	want := fmt.Sprintf("%d clients that pause %v after each answer, about %.0f,000 messages a second", p.Load.Clients,
		p.Load.ThinkTime, perSecond/1000)
	if demoWords != want {
		t.Errorf("the words are %q, and it does %q", demoWords, want)
	}
	text, err := os.ReadFile("../../../docs/chat.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), demoWords) {
		t.Errorf("docs/chat.md does not say %q", demoWords)
	}
	if !strings.Contains(long, demoWords) {
		t.Error("the help does not say it")
	}
}

// Less load is a rate beside all else that the run was told; and no command where that cannot be said.
func TestLessLoad(t *testing.T) {
	const url = "wss://h/chat/{room}"
	said := func(edit func(*Command)) Command {
		c := Command{Plan: DefaultPlan()}
		c.Plan.URL = url
		edit(&c)
		return c
	}
	for name, c := range map[string]struct {
		command Command
		given   []string
		want    string
	}{
		"the demo": {Command{Plan: DefaultPlan()}, nil, "plimsoll chat --rate 20000"},
		"a URL":    {said(func(*Command) {}), nil, "plimsoll chat 'wss://h/chat/{room}' --rate 20000"},
		"figures": {said(func(c *Command) {
			c.Plan.Load.Clients, c.Plan.Load.Duration, c.Plan.Mix.Rooms = 500, 5*time.Minute, 7
		}), []string{"clients", "duration"},
			"plimsoll chat 'wss://h/chat/{room}' --clients 500 --duration 5m0s --rooms 7 --rate 20000"},
		"messages": {said(func(c *Command) { c.Plan.Load.Operations = 1e6 }), []string{"messages"},
			"plimsoll chat 'wss://h/chat/{room}' --messages 1000000 --rate 20000"},
		"a rate": {said(func(c *Command) { c.Plan.Load.Rate, c.Plan.Load.Arrivals = 5, "constant" }), []string{"rate"},
			"plimsoll chat 'wss://h/chat/{room}' --arrivals constant --rate 20000"},
		"certificates": {said(func(c *Command) { c.Plan.Dial.CAFile, c.Plan.Dial.Origin = "my ca.pem", "https://h" }), nil,
			"plimsoll chat 'wss://h/chat/{room}' --origin https://h --ca 'my ca.pem' --rate 20000"},
		"any certificate": {said(func(c *Command) { c.Plan.Dial.Insecure = true }), nil,
			"plimsoll chat 'wss://h/chat/{room}' --insecure --rate 20000"},
		"headers":                  {said(func(c *Command) { c.Plan.Dial.Headers = ws.Headers{"Authorization": {"x"}} }), nil, ""},
		"subprotocols":             {said(func(c *Command) { c.Plan.Dial.Subprotocol = []string{"a"} }), nil, ""},
		"stages":                   {said(func(c *Command) { c.Plan.Load.Stages = []plan.Stage{{Duration: 1, Rate: 2}} }), []string{"stages"}, ""},
		"a user":                   {said(func(c *Command) { c.Plan.URL = "wss://user:hunter2@h/chat" }), nil, ""},
		"a token":                  {said(func(c *Command) { c.Plan.URL = "wss://h/chat?token=hunter2" }), nil, ""},
		"a demo of another server": {Command{Plan: DefaultPlan(), targetFlags: []string{"delay=20ms"}}, nil, ""},
	} {
		if err := c.command.Resolve(nil, flags(c.given...)); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, err := json.Marshal(c.command.Plan)
		if err != nil {
			t.Fatal(err)
		}
		run := &rundoc.Run{Plan: text, Operations: []rundoc.Operation{{OK: 1, RatePerS: 40_123}}}
		run.Target = rundoc.Target{URL: redact.URL(c.command.Plan.URL), Embedded: c.command.Plan.URL == ""}
		if got := ReportKind().Less(run, 0.5); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := ReportKind().Less(&rundoc.Run{Plan: []byte(`[]`), Operations: []rundoc.Operation{{OK: 1, RatePerS: 40_123}}}, 0.5); got != "" {
		t.Errorf("a plan of another shape: %q", got)
	}
}

// No setting is forgotten where a command repeats what a run was told.
func TestPlanFlags(t *testing.T) {
	c := Command{Plan: DefaultPlan()}
	if err := c.Resolve(nil, func(string) bool { return false }); err != nil {
		t.Fatal(err)
	}
	reporttest.PlanFlags(t, c.Settings(), show.PlanFlags(mixFlags()), "header", "subprotocol", "stages")
}
