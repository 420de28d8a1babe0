package report

import (
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// A run of a server that was started for it is a demo, unless its kind knows better.
func TestDemo(t *testing.T) {
	not := func(*rundoc.Run) bool { return false }
	for _, c := range []struct {
		name   string
		target rundoc.Target
		kind   Kind
		title  string
		answer string // "": none
	}{
		{"a demo", rundoc.Target{URL: "ws://127.0.0.1:40123/chat", Embedded: true}, Kind{Own: "plimsoll chat URL"},
			"Plimsoll chat · demo (built-in server)", "server and load generator share this machine; slow"},
		{"of a kind that nobody knows", rundoc.Target{Embedded: true}, Kind{},
			"Plimsoll chat · demo (built-in server)", "server and load generator share this machine; slow"},
		{"of the user's, and a server that was started", rundoc.Target{URL: "kafka://h/t", Embedded: true}, Kind{Demo: not},
			"Plimsoll chat · kafka://h/t (built-in server)", ""},
		{"another server", rundoc.Target{URL: "ws://h/chat", SameHost: true}, Kind{Own: "plimsoll chat URL"},
			"Plimsoll chat · ws://h/chat", ""},
		{"a document that does not say", rundoc.Target{}, Kind{}, "Plimsoll chat", ""},
	} {
		v := NewView(&rundoc.Run{Workload: "chat", Target: c.target}, c.kind, Options{})
		if got := v.Title(); got != c.title {
			t.Errorf("%s: %q", c.name, got)
		}
		if got := v.DemoAnswer("slow"); got.Value != c.answer || len(got.Points) > 0 {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// saturated is a demo whose machine was kept so busy.
func saturated(generator, target, others float64) *rundoc.Run {
	const window = 10_000_000_000
	waited, all := int64(3*window), float64(2*window)
	run := &rundoc.Run{Workload: "chat", Target: rundoc.Target{Embedded: true, SameHost: true}, Host: rundoc.Host{CPUs: 2}}
	run.Ledger.WindowNS = window
	run.Target.CPUUserNS = int64(target * all)
	g := &run.Generator
	g.CPUs, g.CPUUserNS, g.CPUShare, g.RunDelayNS = 2, int64(generator*all), generator, &waited
	g.MachineShare = generator + target + others
	return run
}

// What comes next: less load where the load was too much, one's own after a demo, and else what the kind says.
func TestNextCommand(t *testing.T) {
	kind := Kind{Own: "own", Less: func(_ *rundoc.Run, share float64) string {
		return WithRate("less", 1000*share)
	}}
	mine := kind
	mine.Next = func(*rundoc.Run) string { return "next" }
	elsewhere := func(run *rundoc.Run) *rundoc.Run {
		there := *run
		there.Target = rundoc.Target{URL: "ws://h/chat"}
		return &there
	}
	quiet := saturated(0.2, 0.1, 0)
	quiet.Generator.RunDelayNS = new(int64)
	for _, c := range []struct {
		name string
		run  *rundoc.Run
		kind Kind
		want string
	}{
		{"a quiet demo", quiet, kind, "own"},
		{"a demo that took the machine", saturated(0.5, 0.45, 0), kind, "less --rate 530"},
		{"a demo beside other programs", saturated(0.2, 0.1, 0.65), kind, "own"},
		{"a kind that cannot tell", saturated(0.5, 0.45, 0), Kind{Own: "own"}, "own"},
		{"another server", elsewhere(saturated(0.2, 0, 0)), mine, "next"},
		{"another server, and no word of the kind's", elsewhere(quiet), kind, "plimsoll report last --chart run.svg"},
		{"nothing to draw", elsewhere(quiet), Kind{NoCourse: "no"}, ""},
	} {
		if got := c.kind.NextCommand(c.run); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// The next command removes a reason of the verdict, or follows from the result.
func TestNextCommandFollowsFromTheResult(t *testing.T) {
	const plan = `{"load":{"clients":8,"duration_ns":30000000000}}`
	kind := Kind{Repeat: func(run *rundoc.Run) string {
		return Again("plimsoll x URL", run, []PlanFlag{{At: "load.clients", Flag: "--clients"},
			{At: "load.duration_ns", Flag: "--duration"}, {At: "load.rate_per_s", Flag: "--rate"}, {At: "load.operations", Flag: "--count"}})
	}}
	mixed := kind
	mixed.Mixed = true
	for _, c := range []struct {
		name string
		plan string
		kind Kind
		edit func(*rundoc.Run)
		want string
	}{
		{"valid", plan, kind, func(*rundoc.Run) {}, "plimsoll x URL --clients 8 --duration 30s --threshold 'p99<200ms'"},
		{"a threshold already", plan, kind, func(r *rundoc.Run) { r.Thresholds = []rundoc.Threshold{{Expr: "p99<1s"}} }, chartCommand},
		{"a threshold that was met", plan, kind, func(r *rundoc.Run) { r.Thresholds = []rundoc.Threshold{{Expr: "p99<1s", Met: true}} }, ""},
		{"unlike operations", plan, mixed, func(*rundoc.Run) {}, ""},
		{"not trusted", plan, kind, func(r *rundoc.Run) { r.Verdict.Validity = rundoc.Suspect }, chartCommand},
		{"no p99", plan, kind, func(r *rundoc.Run) { r.Operations[0].ResponseTime.P99NS = nil }, ""},
		{"failures", plan, mixed, func(r *rundoc.Run) { r.Operations[0].Failed = 3 }, chartCommand},
		{"think time", `{"load":{"think_time_ns":5}}`, kind, func(*rundoc.Run) {}, ""},
		{"a short window", `{"load":{"duration_ns":300000000}}`, kind, func(r *rundoc.Run) {
			r.Verdict.Validity, r.Ledger.WindowNS = rundoc.Suspect, 300*ms
		}, "plimsoll x URL --duration 10s"},
		{"interrupted early", plan, kind, func(r *rundoc.Run) {
			r.Verdict.Validity, r.Ledger.WindowNS = rundoc.Suspect, 300*ms
		}, "plimsoll x URL --clients 8 --duration 30s"},
		{"started late", `{"load":{"rate_per_s":100}}`, kind, func(r *rundoc.Run) {
			r.Verdict.Validity, r.Operations[0].Scheduled, r.Generator.OwnLate = rundoc.Invalid, 5000, new(int64(500))
		}, "plimsoll x URL --rate 50"},
		{"started late beside other programs", `{"load":{"rate_per_s":100}}`, kind, func(r *rundoc.Run) {
			r.Verdict.Validity, r.Operations[0].Scheduled, r.Generator.OwnLate = rundoc.Invalid, 5000, new(int64(500))
			r.Host.CPUs, r.Generator.CPUUserNS, r.Generator.MachineShare = 2, 6_000*ms, 0.7
		}, ""},
		{"suspect at its rate", `{"load":{"rate_per_s":100}}`, kind, func(r *rundoc.Run) {
			busy := saturated(0.9, 0, 0)
			r.Verdict.Validity, r.Host, r.Generator = rundoc.Suspect, busy.Host, busy.Generator
		}, chartCommand},
		{"few operations", `{"load":{"operations":9}}`, kind, func(r *rundoc.Run) {
			r.Verdict.Validity, r.Ledger.WindowNS = rundoc.Suspect, 300*ms
		}, chartCommand},
	} {
		run := &rundoc.Run{Plan: []byte(c.plan), Verdict: rundoc.Verdict{Validity: rundoc.Valid},
			Operations: []rundoc.Operation{{ResponseTime: rundoc.Summary{Count: 5000, P99NS: new(139 * ms)}}}}
		run.Ledger.WindowNS = 30_000 * ms
		c.edit(run)
		if got := c.kind.NextCommand(run); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

const chartCommand = "plimsoll report last --chart run.svg"

func TestRoundLimit(t *testing.T) {
	for ns, want := range map[int64]string{1: "2ns", 80: "100ns", 90 * us: "150us", 139 * ms: "200ms", 700 * ms: "1s", 4 * ms: "5ms"} {
		if got := roundLimit(ns); got != want {
			t.Errorf("%d: %s, want %s", ns, got, want)
		}
	}
}

func TestWithTarget(t *testing.T) {
	for url, want := range map[string]string{
		"ws://h:1/chat/1":       "plimsoll chat ws://h:1/chat/1",
		"ws://h/chat/{room}":    "plimsoll chat 'ws://h/chat/{room}'",
		"ws://h/chat?token=…":   "",
		"ws://h/chat?x={room}":  "plimsoll chat 'ws://h/chat?x={room}'",
		"ws://h/it's;rm -rf /":  `plimsoll chat 'ws://h/it'\''s;rm -rf /'`,
		"ws://h/$(rm -rf /tmp)": "plimsoll chat 'ws://h/$(rm -rf /tmp)'",
		"":                      "",
	} {
		if got := WithTarget("plimsoll chat", &rundoc.Run{Target: rundoc.Target{URL: url}}); got != want {
			t.Errorf("%q: %q, want %q", url, got, want)
		}
	}
	if got := WithTarget("plimsoll chat", &rundoc.Run{Target: rundoc.Target{Embedded: true, URL: "ws://127.0.0.1:1"}}); got != "plimsoll chat" {
		t.Errorf("a demo: %q", got)
	}
	for rate, want := range map[float64]string{53_214: "c --rate 53000", 3.14159: "c --rate 3.1", 0.3: "", 0: ""} {
		if got := WithRate("c", rate); got != want {
			t.Errorf("%g: %q, want %q", rate, got, want)
		}
	}
}

// A command that is to measure the same has all that the plan asks for, or there is none.
func TestAgain(t *testing.T) {
	flags := []PlanFlag{
		{At: "load.clients", Flag: "--clients", Default: "32"}, {At: "load.time_ns", Flag: "--time", Default: "10s"},
		{At: "size_bytes", Flag: "--size"}, {At: "name", Flag: "--name"}, {At: "on", Flag: "--on"}, {At: "output"},
		{At: "limit", Flag: "--target-flag limit="}, {At: "list", Flag: "--list"},
	}
	for plan, want := range map[string]string{
		`{}`: "c",
		`{"load":{"clients":32,"time_ns":10000000000},"on":false,"name":"","list":[],"output":{"file":"x"}}`: "c",
		`{"load":{"clients":0,"time_ns":1500000000}}`:                                                        "c --clients 0 --time 1.5s",
		`{"size_bytes":9223372036854775807}`:                                                                 "c --size 9223372036854775807B",
		`{"size_bytes":3072,"name":"a b","on":true,"limit":7}`:                                               "c --size 3KiB --name 'a b' --on --target-flag limit=7",
		`{"name":"…"}`:             "",
		`{"list":["a"]}`:           "",
		`{"other":1}`:              "",
		`{"load":{"x":1}}`:         "",
		`{"load":3}`:               "",
		`{"other":{"a":0,"b":{}}}`: "c",
		`[]`:                       "",
		``:                         "",
	} {
		if got := Again("c", &rundoc.Run{Plan: []byte(plan)}, flags); got != want {
			t.Errorf("%s: %q, want %q", plan, got, want)
		}
	}
	if got := Again("", &rundoc.Run{Plan: []byte(`{"on":true}`)}, flags); got != "" {
		t.Errorf("of no command: %q", got)
	}
}
