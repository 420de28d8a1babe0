package overhead

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/workload/overhead/services"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Without any argument it is the demo, which is short; what somebody asks for has the time that its figures need.
func TestDemo(t *testing.T) {
	for _, c := range []struct {
		name  string
		args  []string
		flags []string
		edit  func(*Plan)
		demo  bool
	}{
		{name: "nothing", demo: true},
		{name: "over TLS", flags: []string{"tls"}, edit: func(p *Plan) { p.TLS = true }, demo: true},
		{name: "a service", args: []string{"S3"}},
		{name: "a warm-up", flags: []string{"warmup"}},
		{name: "a concurrency", flags: []string{"concurrency"}},
		{name: "for a later comparison", flags: []string{"save-baseline"}, edit: func(p *Plan) { p.SaveBaseline = "b.json" }},
		{name: "a comparison", flags: []string{"baseline"}, edit: func(p *Plan) { p.Baseline = "b.json" }},
		{name: "another server", flags: []string{"endpoint"}, edit: func(p *Plan) { p.Endpoint = "http://localhost:1" }},
		{name: "AWS", flags: []string{"region"}, edit: func(p *Plan) { p.Region = "eu-north-1" }},
	} {
		command := NewCommand()
		if c.edit != nil {
			c.edit(&command.Plan)
		}
		if err := command.Resolve(c.args, func(flag string) bool { return slices.Contains(c.flags, flag) }); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		want := []time.Duration{15 * time.Second, 5 * time.Second}
		if c.demo {
			want = []time.Duration{demoTime, demoWarmup}
		}
		if got := []time.Duration{command.Plan.Time, command.Plan.Warmup}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
	}
}

// What help and documents say of the demo is what it does.
func TestDemoWords(t *testing.T) {
	table, _, ok := services.Choose(nil)
	if !ok {
		t.Fatal("there is no default table")
	}
	all := time.Duration(len(table)+1) * (demoTime + demoWarmup) // and the null client
	want := fmt.Sprintf("each operation for %v after a warm-up of %v, about %.0f s in all", demoTime, demoWarmup,
		all.Round(5*time.Second).Seconds())
	if demoWords != want {
		t.Errorf("the words are %q, and it does %q", demoWords, want)
	}
	text, err := os.ReadFile("../../../docs/overhead.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, said := range map[string]string{"docs/overhead.md": string(text), "the help": long} {
		if !strings.Contains(strings.Join(strings.Fields(said), " "), demoWords) {
			t.Errorf("%s does not say %q", name, demoWords)
		}
	}
}

// What comes next after the default table need not name its operations, and has the same settings.
func TestNextOfAllOperations(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		edit func(*Plan)
		want string
	}{
		"all":         {nil, func(*Plan) {}, "plimsoll overhead --baseline b.json"},
		"with others": {[]string{"Pinpoint"}, func(*Plan) {}, "plimsoll overhead Pinpoint/GetEndpoint Pinpoint/PutEvents --baseline b.json"},
		"over HTTP/2": {nil, func(p *Plan) { p.HTTP2, p.Concurrency = true, 8 },
			"plimsoll overhead --concurrency 8 --tls --http2 --baseline b.json"},
		"short": {[]string{"S3/HeadObject"}, func(p *Plan) { p.Time, p.Warmup = time.Second, 0 },
			"plimsoll overhead S3/HeadObject --time 1s --warmup 0s --baseline b.json"},
	} {
		command := NewCommand()
		command.Plan.SaveBaseline = "b.json"
		c.edit(&command.Plan)
		if err := command.Resolve(c.args, func(flag string) bool { return flag == "save-baseline" }); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, err := json.Marshal(command.Plan)
		if err != nil {
			t.Fatal(err)
		}
		run := &rundoc.Run{Plan: text, Target: rundoc.Target{Embedded: true}, Detail: &rundoc.OverheadDetail{Mode: rundoc.OverheadSDK}}
		demo := command.Plan
		demo.SaveBaseline = ""
		if text, err = json.Marshal(demo); err != nil {
			t.Fatal(err)
		}
		if got, want := show.Kind().IsDemo(&rundoc.Run{Plan: text, Target: run.Target, Detail: run.Detail}), c.args == nil; got != want {
			t.Errorf("%s: a demo %v", name, got)
		}
		if got := show.Kind().Next(run); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
