package overhead

import (
	"slices"
	"testing"
	"time"
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
		{name: "a warm-up", flags: []string{"warmup-time"}},
		{name: "a concurrency", flags: []string{"clients"}},
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
