package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
)

func TestValidateOverhead(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Overhead)
		want   string // in the message; "" for a valid plan
	}{
		{"the default", func(*Overhead) {}, ""},
		{"an endpoint", func(o *Overhead) { o.Endpoint = "http://localhost:5000/path" }, ""},
		{"AWS", func(o *Overhead) { o.Profile, o.Region, o.HTTP2 = "me", "eu-north-1", true }, ""},
		{"calls", func(o *Overhead) { o.Time, o.Calls = 0, 7 }, ""},
		{"both ends", func(o *Overhead) { o.Calls = 7 }, "--time and --calls are both given"},
		{"no end", func(o *Overhead) { o.Time = 0 }, "nothing would be measured"},
		{"negative calls", func(o *Overhead) { o.Calls = -1 }, "--calls is -1"},
		{"a negative time", func(o *Overhead) { o.Time = -time.Second }, "--time is -1s"},
		{"no client", func(o *Overhead) { o.Concurrency = 0 }, "--concurrency is 0"},
		{"more clients than calls", func(o *Overhead) { o.Time, o.Calls, o.Concurrency = 0, 3, 4 }, "fewer than the 4 clients"},
		{"a negative warm-up", func(o *Overhead) { o.Warmup = -1 }, "--warmup"},
		{"no timeout", func(o *Overhead) { o.Timeout = 0 }, "--timeout is 0s"},
		{"a slow responder", func(o *Overhead) { o.Latency = 2 * time.Minute }, "--latency is 2m"},
		{"a responder slower than the timeout", func(o *Overhead) { o.Latency = 11 * time.Second }, "too early"},
		{"no URL", func(o *Overhead) { o.Endpoint = "localhost:5000" }, "not the URL of a web server"},
		{"another scheme", func(o *Overhead) { o.Endpoint = "ftp://localhost" }, "not the URL of a web server"},
		{"an unreadable URL", func(o *Overhead) { o.Endpoint = "http://[::1" }, "is not a URL"},
		{"a password", func(o *Overhead) { o.Endpoint = "http://me:hush@localhost" }, "password"},
		{"a query", func(o *Overhead) { o.Endpoint = "http://localhost?token=hush" }, "query"},
		{"HTTP/2 without TLS", func(o *Overhead) { o.Endpoint, o.HTTP2 = "http://localhost", true }, "--http2 needs TLS"},
		{"TLS elsewhere", func(o *Overhead) { o.Endpoint, o.TLS = "https://localhost", true }, "--tls is about"},
		{"a huge effect", func(o *Overhead) { o.MinEffect = 1.5 }, "--min-effect is 1.5"},
		{"a latency of AWS", func(o *Overhead) { o.Region, o.Latency = "eu-north-1", time.Millisecond }, "--latency is about"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := DefaultOverhead()
			test.change(&o)
			o.Resolve(func(string) bool { return true })
			err := o.Validate()
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
	o := DefaultOverhead()
	o.Calls, o.Concurrency, o.HTTP2 = 100, 3, true
	o.Resolve(func(flag string) bool { return flag == "calls" })
	if o.Time != 0 || o.Load.Clients != 3 || !o.TLS || o.Load.Retry.Timeout != o.Timeout || o.Load.Drain != o.Timeout {
		t.Errorf("%+v", o)
	}
	if !o.Embedded() || o.Real() || o.Validate() != nil {
		t.Errorf("%+v: %v", o, o.Validate())
	}
	o = DefaultOverhead()
	if o.Region = "eu-north-1"; !o.Real() || o.Embedded() {
		t.Error("a region does not mean AWS")
	}
	if o.Endpoint = "http://localhost"; o.Real() || o.Embedded() {
		t.Error("an endpoint is AWS, or embedded")
	}
}
