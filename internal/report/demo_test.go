package report

import (
	"strings"
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
			"Plimsoll chat · demo, against a server of its own",
			"client and server share this machine; slow. Yours: plimsoll chat URL"},
		{"of a kind that nobody knows", rundoc.Target{Embedded: true}, Kind{},
			"Plimsoll chat · demo, against a server of its own", "client and server share this machine; slow"},
		{"of the user's, and a server that was started", rundoc.Target{URL: "kafka://h/t", Embedded: true}, Kind{Demo: not},
			"Plimsoll chat · kafka://h/t (a server of its own)", ""},
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
		name  string
		run   *rundoc.Run
		kind  Kind
		want  string
		valid string // in the answer of a demo whose verdict is no good one
	}{
		{"a quiet demo", quiet, kind, "own", ""},
		{"a demo that took the machine", saturated(0.5, 0.45, 0), kind, "less --rate 530", "less --rate 530"},
		{"a demo beside other programs", saturated(0.2, 0.1, 0.65), kind, "own", "stop other programs"},
		{"a kind that cannot tell", saturated(0.5, 0.45, 0), Kind{Own: "own"}, "own", "stop other programs"},
		{"another server", elsewhere(saturated(0.2, 0, 0)), mine, "next", ""},
		{"another server, and no word of the kind's", elsewhere(quiet), kind, "plimsoll report last --chart run.svg", ""},
		{"nothing to draw", elsewhere(quiet), Kind{NoCourse: "no"}, "", ""},
	} {
		if got := c.kind.NextCommand(c.run); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		f := NewView(c.run, c.kind, Options{}).DemoAnswer("")
		if got := strings.Join(f.Points, " "); !strings.Contains(got, c.valid) || (got == "") != (c.valid == "") {
			t.Errorf("%s: %q, want %q in it", c.name, got, c.valid)
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
