package show

import (
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// Somebody's own program is no demo, nor is what is compared; and after what was measured comes the same once more,
// beside it.
func TestDemo(t *testing.T) {
	own := rundoc.OverheadDetail{Mode: rundoc.OverheadExec, Command: "python3 loop.py"}
	sdk := rundoc.OverheadDetail{Mode: rundoc.OverheadSDK, Rows: make([]rundoc.OverheadRow, 16)}
	one := rundoc.OverheadDetail{Mode: rundoc.OverheadSDK, Rows: []rundoc.OverheadRow{{Service: "S3", Operation: "HeadObject"}}}
	one.Environment.Concurrency = 4
	secret := rundoc.OverheadDetail{Mode: rundoc.OverheadExec, Command: "call --token …"}
	for _, c := range []struct {
		name     string
		embedded bool
		plan     string
		detail   rundoc.OverheadDetail
		demo     bool
		next     string
		less     string
	}{
		{"the table", true, `{}`, sdk, true, "plimsoll overhead --baseline last", ""},
		{"a plan of another shape", true, `[]`, sdk, true, "", ""},
		{"clients of one operation that was named", true, `{"operations":["S3/HeadObject"],"concurrency":4}`, one, false,
			"plimsoll overhead S3/HeadObject --clients 4 --baseline last", "plimsoll overhead S3/HeadObject --clients 2"},
		{"many that were named", true, `{"operations":["a","b","c","d","e","f","g"]}`, sdk, false, "", ""},
		{"for later", true, `{"save_baseline":"my before.json"}`, sdk, false,
			"plimsoll overhead --baseline 'my before.json'", ""},
		{"compared", true, `{"baseline":"last"}`, sdk, false, "plimsoll overhead --baseline last", ""},
		{"another way", true, `{"warmup_ns":1000000000,"time_ns":2000000000,"tls":true,"http2":true,"latency_ns":2000000,` +
			`"min_effect":0.1,"timeout_ns":10000000000,"save_baseline":"b.json"}`, sdk, false,
			"plimsoll overhead --duration 2s --min-effect 0.1 --warmup-time 1s --tls --http2 --delay 2ms --baseline b.json", ""},
		{"counted calls", true, `{"time_ns":0,"calls":100,"baseline":"b"}`, sdk, false,
			"plimsoll overhead --calls 100 --baseline last", ""},
		{"a setting of another version", true, `{"colour":"red"}`, sdk, true, "", ""},
		{"a program", true, `{}`, own, false, "plimsoll overhead --exec 'python3 loop.py' --baseline last", ""},
		{"a program over TLS", true, `{"exec":"python3 loop.py","time_ns":0,"tls":true,"latency_ns":1000000}`, own, false,
			"plimsoll overhead --exec 'python3 loop.py' --tls --delay 1ms --baseline last", ""},
		{"a program with a secret", true, `{}`, secret, false, "", ""},
		{"another server", false, `{}`, one, true, "", ""},
	} {
		run := &rundoc.Run{Workload: "overhead", Plan: []byte(c.plan), Detail: &c.detail}
		run.Target.Embedded = c.embedded
		if got := demo(run); got != c.demo {
			t.Errorf("%s: a demo %v", c.name, got)
		}
		if got := next(run); got != c.next {
			t.Errorf("%s: next is %q, want %q", c.name, got, c.next)
		}
		if got := lessLoad(run, 0.5); got != c.less {
			t.Errorf("%s: less is %q, want %q", c.name, got, c.less)
		}
		if kind := Kind(); kind.IsDemo(run) != (c.demo && c.embedded) {
			t.Errorf("%s: the kind's word is another", c.name)
		}
	}
}
