package s3

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
)

func TestDefaults(t *testing.T) {
	want := Config{Listen: "127.0.0.1:9000", Bucket: "plimsoll", Region: "us-east-1", Domain: "localhost", AccessKey: "plimsoll",
		SecretKey: "plimsoll-is-not-a-secret", MaxRequests: 1000, HeaderTimeout: 10 * time.Second, IdleTimeout: 5 * time.Minute,
		ShutdownTimeout: 5 * time.Second, Faults: Faults{Seed: 1}}
	if diff := cmp.Diff(want, Default()); diff != "" {
		t.Error(diff)
	}
	target := Target()
	if target.Server != "s3" || target.Set.Check() != nil {
		t.Errorf("%+v", target)
	}
}

// Each setting is taken up to its bound, and what is beyond it is refused by its flag.
func TestSettings(t *testing.T) {
	for _, tt := range []struct {
		change func(*Config)
		want   string // in the error; "": there is none
	}{
		{func(*Config) {}, ""},
		{func(c *Config) { c.MaxRequests = 1 }, ""}, {func(c *Config) { c.MaxRequests = 0 }, "max-requests 0 is not positive"},
		{func(c *Config) { c.Memory = 0 }, ""}, {func(c *Config) { c.Memory = 1 }, ""}, {func(c *Config) { c.Memory = -1 }, "memory -1 is negative"},
		{func(c *Config) { c.Full = 0 }, ""}, {func(c *Config) { c.Full = -1 }, "full -1 is negative"},
		{func(c *Config) { c.Bucket = "A" }, "bucket \"A\" is not a bucket's name"},
		{func(c *Config) { c.Dir = "x" }, ""}, {func(c *Config) { c.Discard = true }, ""},
		{func(c *Config) { c.Dir, c.Discard = "x", true }, "--dir and --discard contradict each other"},
		{func(c *Config) { c.AccessKey = "" }, "must not be empty"}, {func(c *Config) { c.SecretKey = "" }, "must not be empty"},
		{func(c *Config) { c.Region = "" }, "must not be empty"}, {func(c *Config) { c.AccessKey = "mutant" }, ""},
		{func(c *Config) { c.SecretKey = "mutant" }, ""}, {func(c *Config) { c.Region = "mutant" }, ""},
		{func(c *Config) { c.Bandwidth = 1024 }, ""}, {func(c *Config) { c.Bandwidth = 1023 }, "bandwidth 1023 is too little"},
		{func(c *Config) { c.Bandwidth = 1 }, "bandwidth 1 is too little"}, {func(c *Config) { c.Bandwidth = -1 }, "bandwidth -1 is too little"},
		{func(c *Config) { c.StallPart = -1 }, "count from 1"}, {func(c *Config) { c.FailPart = -1 }, "count from 1"},
		{func(c *Config) { c.FailPart = 1 }, ""}, {func(c *Config) { c.StallPart, c.StallFor = 1, 1 }, ""},
		{func(c *Config) { c.StallPart = 1 }, "need each other"}, {func(c *Config) { c.StallFor = 1 }, "need each other"},
		{func(c *Config) { c.ErrorRate, c.ResetRate = 0.5, 0.5 }, ""}, {func(c *Config) { c.ErrorRate, c.ResetRate = 0.1+0.2, 0.7 }, ""},
		{func(c *Config) { c.ErrorRate, c.ResetRate = 1, 0 }, ""}, {func(c *Config) { c.ErrorRate, c.ResetRate = 0.6, 0.41 }, "sum to 1.01"},
		{func(c *Config) { c.ErrorRate, c.ResetRate = 0.5, 0.5+1e-7 }, "sum to 1.0"},
		{func(c *Config) { c.CorruptRate = 1 }, ""}, {func(c *Config) { c.CorruptRate = 1.1 }, "corrupt-rate"},
		{func(c *Config) { c.Latency = -1 }, "latency"}, {func(c *Config) { c.ClockSkew = -1 }, ""},
	} {
		c := Default()
		tt.change(&c)
		err := c.Validate()
		switch {
		case tt.want == "" && err == nil:
		case tt.want == "" || err == nil || !strings.Contains(err.Error(), tt.want):
			t.Errorf("%+v: %v, want %q", c, err, tt.want)
		case fault.HintOf(err) == "" || fault.CodeOf(err) != fault.Usage:
			t.Errorf("%v: hint %q", err, fault.HintOf(err))
		}
		if tt.want == "" {
			continue
		}
		if s, err := New(c, nil); err == nil {
			_ = s.close()
			t.Errorf("%+v was taken", c)
		}
	}
}

// Which request suffers what follows from its number; the shares are kept, and those of errors and resets never meet.
func TestDecisions(t *testing.T) {
	f := Faults{ErrorRate: 0.25, ResetRate: 0.5, CorruptRate: 0.1, Seed: 3}
	var failed, reset, corrupt int
	const n = 100_000
	low, high := 1.0, 0.0
	for i := range uint64(n) {
		d := f.decide(i)
		if d != f.decide(i) || d.fail && d.reset {
			t.Fatalf("%+v", d)
		}
		if d.fail {
			failed++
		}
		if d.reset {
			reset++
		}
		if d.corrupt {
			corrupt++
			low, high = min(low, d.where), max(high, d.where)
		}
	}
	for what, got := range map[string][2]float64{"failed": {float64(failed) / n, 0.25}, "reset": {float64(reset) / n, 0.5},
		"corrupt": {float64(corrupt) / n, 0.1}, "first place": {low, 0}, "last place": {high, 1}} {
		if diff := got[0] - got[1]; diff > 0.01 || diff < -0.01 {
			t.Errorf("%s: %v, want %v", what, got[0], got[1])
		}
	}
	for what, f := range map[string]Faults{"none": {}, "errors": {ErrorRate: 1}, "resets": {ResetRate: 1}, "corrupt": {CorruptRate: 1}} {
		d := f.decide(5)
		if d.fail != (what == "errors") || d.reset != (what == "resets") || d.corrupt != (what == "corrupt") {
			t.Errorf("%s: %+v", what, d)
		}
	}
	if a, b := (&Faults{ErrorRate: 0.5, Seed: 1}), (&Faults{ErrorRate: 0.5, Seed: 2}); func() bool {
		for i := range uint64(100) {
			if a.decide(i) != b.decide(i) {
				return false
			}
		}
		return true
	}() {
		t.Error("another seed decides the same")
	}
}
