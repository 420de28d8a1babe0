package show

import (
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// A topic of the user's is no demo, also where the server that reads it was started for the run.
func TestDemo(t *testing.T) {
	for _, c := range []struct {
		name, plan string
		batch      int
		search     bool
		demo       bool
		less       string
	}{
		{"nothing given", `{"url":"","load":{"rate_per_s":45}}`, 1000, false, true,
			"plimsoll updates --rate 22 --batch 1000"},
		{"JetStream of its own", `{"url":"nats+js://","load":{"rate_per_s":420}}`, 125, false, true,
			"plimsoll updates nats+js:// --rate 210 --batch 125"},
		{"a topic", `{"url":"kafka://h/t","load":{"rate_per_s":45}}`, 1000, false, false,
			"plimsoll updates kafka://h/t --rate 22 --batch 1000"},
		{"a server that runs", `{"url":"","kv":"http://h:8095","load":{"rate_per_s":45}}`, 1000, false, true,
			"plimsoll updates --kv=http://h:8095 --rate 22 --batch 1000"},
		{"a secret", `{"url":"","kv":"http://h?t=…","load":{"rate_per_s":45}}`, 1000, false, true, ""},
		{"another way", `{"url":"kafka://h/t","load":{"rate_per_s":45,"clients":2,"duration_ns":60000000000,"retry":{` +
			`"timeout_ns":5000000000}},"batch":1000,"codec":"avro","listeners":1,"output":{"chart":"c.svg"}}`, 1000, false, false,
			"plimsoll updates kafka://h/t --duration 1m0s --codec avro --listeners 1 --rate 22 --batch 1000"},
		{"files", `{"url":"kafka://h/t","from":"dir","load":{"rate_per_s":45}}`, 1000, false, false, ""},
		{"a user", `{"url":"kafka://h/t","url_user":true,"load":{"rate_per_s":45}}`, 1000, false, false, ""},
		{"the largest rate", `{"url":"","load":{"rate_per_s":45}}`, 1000, true, true, ""},
		{"a plan of another shape", `[]`, 1000, false, true, ""},
	} {
		d := &rundoc.UpdatesDetail{Batch: c.batch}
		if c.search {
			d.Search = make([]rundoc.UpdateTrial, 1)
		}
		run := &rundoc.Run{Workload: "updates", Plan: []byte(c.plan), Detail: d}
		run.Target = rundoc.Target{Embedded: true, URL: "kafka://h/t"}
		if got := Kind().IsDemo(run); got != c.demo {
			t.Errorf("%s: a demo %v", c.name, got)
		}
		if got := lessLoad(run, 0.5); got != c.less {
			t.Errorf("%s: less is %q, want %q", c.name, got, c.less)
		}
	}
}
