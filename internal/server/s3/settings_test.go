package s3

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
)

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
		{func(c *Config) { c.Bucket = "A" }, "bucket \"A\" is not a bucket name"},
		{func(c *Config) { c.Dir = "x" }, ""}, {func(c *Config) { c.Discard = true }, ""},
		{func(c *Config) { c.Dir, c.Discard = "x", true }, "--dir and --discard are both given, but only one can be used"},
		{func(c *Config) { c.AccessKey = "" }, "must not be empty"}, {func(c *Config) { c.SecretKey = "" }, "must not be empty"},
		{func(c *Config) { c.Region = "" }, "must not be empty"}, {func(c *Config) { c.AccessKey = "mutant" }, ""},
		{func(c *Config) { c.SecretKey = "mutant" }, ""}, {func(c *Config) { c.Region = "mutant" }, ""},
		{func(c *Config) { c.Bandwidth = 1024 }, ""}, {func(c *Config) { c.Bandwidth = 1023 }, "bandwidth 1023 is too low"},
		{func(c *Config) { c.Bandwidth = 1 }, "bandwidth 1 is too low"}, {func(c *Config) { c.Bandwidth = -1 }, "bandwidth -1 is too low"},
		{func(c *Config) { c.StallPart = -1 }, "count from 1"}, {func(c *Config) { c.FailPart = -1 }, "count from 1"},
		{func(c *Config) { c.FailPart = 1 }, ""}, {func(c *Config) { c.StallPart, c.StallFor = 1, 1 }, ""},
		{func(c *Config) { c.StallPart = 1 }, "must be given together"}, {func(c *Config) { c.StallFor = 1 }, "must be given together"},
		{func(c *Config) { c.ErrorRate, c.ResetRate = 0.5, 0.5 }, ""}, {func(c *Config) { c.ErrorRate, c.ResetRate = 0.1+0.2, 0.7 }, ""},
		{func(c *Config) { c.ErrorRate, c.ResetRate = 1, 0 }, ""}, {func(c *Config) { c.ErrorRate, c.ResetRate = 0.6, 0.41 }, "add up to 101%"},
		{func(c *Config) { c.ErrorRate, c.ResetRate = 0.5, 0.5+1e-7 }, "add up to 100%"},
		{func(c *Config) { c.CorruptRate = 1 }, ""}, {func(c *Config) { c.CorruptRate = 1.1 }, "corrupt-rate"},
		{func(c *Config) { c.Latency = -1 }, "delay"}, {func(c *Config) { c.ClockSkew = -1 }, ""},
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
