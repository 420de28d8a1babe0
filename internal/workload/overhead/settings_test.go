package overhead

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
)

func TestValidateOverhead(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Plan)
		want   string // in the message; "" for a valid plan
	}{
		{"the default", func(*Plan) {}, ""},
		{"an endpoint", func(o *Plan) { o.Endpoint = "http://localhost:5000/path" }, ""},
		{"AWS", func(o *Plan) { o.Profile, o.Region, o.HTTP2 = "me", "eu-north-1", true }, ""},
		{"calls", func(o *Plan) { o.Time, o.Calls = 0, 7 }, ""},
		{"both ends", func(o *Plan) { o.Calls = 7 }, "--duration and --calls cannot be combined"},
		{"no end", func(o *Plan) { o.Time = 0 }, "neither --duration nor --calls is set"},
		{"negative calls", func(o *Plan) { o.Calls = -1 }, "--calls -1 is out of range"},
		{"a negative time", func(o *Plan) { o.Time = -time.Second }, "--duration -1s is out of range"},
		{"no client", func(o *Plan) { o.Concurrency = 0 }, "--clients is 0"},
		{"more clients than calls", func(o *Plan) { o.Time, o.Calls, o.Concurrency = 0, 3, 4 }, "less than --clients 4"},
		{"a negative warm-up", func(o *Plan) { o.Warmup = -1 }, "--warmup-time"},
		{"no timeout", func(o *Plan) { o.Timeout = 0 }, "--timeout 0s is out of range"},
		{"a slow responder", func(o *Plan) { o.Latency = 2 * time.Minute }, "--delay 2m0s is out of range"},
		{"a responder slower than the timeout", func(o *Plan) { o.Latency = 11 * time.Second }, "would time out"},
		{"no URL", func(o *Plan) { o.Endpoint = "localhost:5000" }, "not an HTTP URL"},
		{"another scheme", func(o *Plan) { o.Endpoint = "ftp://localhost" }, "not an HTTP URL"},
		{"an unreadable URL", func(o *Plan) { o.Endpoint = "http://[::1" }, "is not a URL"},
		{"a password", func(o *Plan) { o.Endpoint = "http://me:hush@localhost" }, "password"},
		{"a query", func(o *Plan) { o.Endpoint = "http://localhost?token=hush" }, "query"},
		{"HTTP/2 without TLS", func(o *Plan) { o.Endpoint, o.HTTP2 = "http://localhost", true }, "--http2 needs TLS"},
		{"TLS elsewhere", func(o *Plan) { o.Endpoint, o.TLS = "https://localhost", true }, "--tls applies only to"},
		{"a huge effect", func(o *Plan) { o.MinEffect = 1.5 }, "--min-effect 1.5 is out of range"},
		{"a latency of AWS", func(o *Plan) { o.Region, o.Latency = "eu-north-1", time.Millisecond }, "--delay applies only to"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := DefaultPlan()
			test.change(&o)
			o.Resolve(func(string) bool { return true })
			err := o.Settings().Check()
			switch {
			case test.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case test.want != "" && err == nil:
				t.Error("accepted")
			case err != nil && (!strings.Contains(err.Error(), test.want) || fault.CodeOf(err) != fault.Usage):
				t.Errorf("%v (status %d), want %q", err, fault.CodeOf(err), test.want)
			case err != nil && strings.Contains(err.Error()+fault.HintOf(err), "hush"):
				t.Errorf("a secret is in %v", err)
			}
		})
	}
}

func TestResolveOverhead(t *testing.T) {
	o := DefaultPlan()
	o.Calls, o.Concurrency, o.HTTP2 = 100, 3, true
	o.Resolve(func(flag string) bool { return flag == "calls" })
	if o.Time != 0 || o.Load.Clients != 3 || !o.TLS || o.Load.Retry.Timeout != o.Timeout || o.Load.Drain != o.Timeout {
		t.Errorf("%+v", o)
	}
	if !o.Embedded() || o.Real() || o.Settings().Check() != nil {
		t.Errorf("%+v: %v", o, o.Settings().Check())
	}
	o = DefaultPlan()
	if o.Region = "eu-north-1"; !o.Real() || o.Embedded() {
		t.Error("a region does not mean AWS")
	}
	if o.Endpoint = "http://localhost"; o.Real() || o.Embedded() {
		t.Error("an endpoint is AWS, or embedded")
	}
}

// The plan document of earlier runs reads as that of new ones: the same members, and the same left out.
func TestPlanDocument(t *testing.T) {
	full := Plan{
		Operations: []string{"a/b"}, Exec: "x", ExecTimeout: 20, ExecIdle: 21, Warmup: 1, Time: 2, Calls: 3, Concurrency: 4, Timeout: 5,
		Endpoint: "e", Profile: "p", Region: "r", TLS: true, HTTP2: true, Latency: 6,
		Baseline: "b", SaveBaseline: "s", MinEffect: .5, Output: plan.Output{Bucket: 19}, List: true, Yes: true,
		Load: plan.Load{
			Seed: 1, Clients: 2, Pipeline: 3, Operations: 4, Duration: 5, ThinkTime: 6, Rate: 7.5, Arrivals: plan.Burst,
			Stages: []plan.Stage{{Duration: time.Second, Rate: 8}}, MaxWaiting: 9, Ramp: 10,
			WarmupClients: 11, WarmupOperations: 12, WarmupTime: 13, Drain: 14,
			Retry: plan.Retry{Timeout: 15, Max: 16, InitialBackoff: 17, MaxBackoff: 18},
		},
	}
	for name, p := range map[string]Plan{"full": full, "default": DefaultPlan(), "zero": {}} {
		want, err := os.ReadFile(filepath.Join("testdata", "plan_"+name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var wanted, written any
		if err := errors.Join(json.Unmarshal(want, &wanted), json.Unmarshal(got, &written)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wanted, written); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The command of a foreign client is in no plan with what may be a secret: a set has the plan of its runs.
func TestPlanRedactsCommand(t *testing.T) {
	p := DefaultPlan()
	p.Exec = "PASS=hunter2 ./call --token hunter2 loop.py"
	text, err := json.Marshal(p)
	if err != nil || strings.Contains(string(text), "hunter2") || !strings.Contains(string(text), "call --token") {
		t.Errorf("%v: %s", err, text)
	}
}
