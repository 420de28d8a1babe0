package chat

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
)

func TestValidateNamesTheFlag(t *testing.T) {
	for _, test := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Listen = "localhost" }, `--listen "localhost" is not a valid address`},
		{func(c *Config) { c.Listen = "localhost:http:1" }, "--listen"},
		{func(c *Config) { c.MaxMessage = 0 }, "--max-message 0 is too small"},
		{func(c *Config) { c.MaxConnections = -1 }, "--max-connections -1"},
		{func(c *Config) { c.HandshakeTimeout = 0 }, "--handshake-timeout 0s"},
		{func(c *Config) { c.ShutdownTimeout = -1 }, "--shutdown-timeout -1ns"},
		{func(c *Config) { c.IdleTimeout = -time.Second }, "--idle-timeout -1s"},
		{func(c *Config) { c.Delay = -1 }, "--delay"},
		{func(c *Config) { c.Jitter = -1 }, "--jitter"},
		{func(c *Config) { c.Fragment = -1 }, "--fragment"},
		{func(c *Config) { c.DropRate = 1.5 }, "--drop-rate 1.5 is not between 0 and 1"},
		{func(c *Config) { c.ErrorRate = -0.1 }, "--error-rate -0.1"},
		{func(c *Config) { c.GarbageRate = math.NaN() }, "--garbage-rate NaN"},
		{func(c *Config) { c.SilentRate = 2 }, "--silent-rate"},
		{func(c *Config) { c.DuplicateRate = 2 }, "--duplicate-rate"},
		{func(c *Config) { c.ReorderRate = 2 }, "--reorder-rate"},
		{func(c *Config) { c.LateRate = 2 }, "--late-rate"},
		{func(c *Config) { c.LateRate, c.LateBy = 0.1, 0 }, "--late-rate needs --late-by"},
		{func(c *Config) { c.StallAfter = 1 }, "--stall-after needs --stall-for"},
		{func(c *Config) { c.DropRate, c.SilentRate = 0.6, 0.6 }, "the fault rates add up to 120%"},
	} {
		cfg := Default()
		test.change(&cfg)
		_, err := New(cfg, nil)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
			continue
		}
		if fault.CodeOf(err) != fault.Usage || fault.HintOf(err) == "" {
			t.Errorf("%v: exit code %d, hint %q", err, fault.CodeOf(err), fault.HintOf(err))
		}
	}
}
