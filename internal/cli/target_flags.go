package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/fault"
	chattarget "github.com/plimsoll/plimsoll/internal/target/chat"
)

// addServerFlags adds the flags of a chat server to cmd.
func addServerFlags(cmd *cobra.Command, c *chattarget.Config) {
	addGroup(cmd, "Server", func(set *pflag.FlagSet) { serverFlags(set, c) })
	addGroup(cmd, "Faults on demand", func(set *pflag.FlagSet) { faultFlags(set, &c.Faults) })
}

func serverFlags(set *pflag.FlagSet, c *chattarget.Config) {
	set.SortFlags = false
	stringVar(set, &c.Listen, "listen", "address", "host:port to listen on; port 0 takes a free one")
	sizeVar(set, &c.MaxMessage, "max-message", "longest message; a longer one closes its connection with 1009")
	durationVar(set, &c.HandshakeTimeout, "handshake-timeout", "time that a client has for its request's headers")
	durationVar(set, &c.IdleTimeout, "idle-timeout", "silence before a close with 1001, with a ping at half of it; 0 for never")
	countVar(set, &c.MaxConnections, "max-connections", "count", "WebSocket connections at a time; more get HTTP 503; 0 for no limit")
	durationVar(set, &c.ShutdownTimeout, "shutdown-timeout", "bound on the graceful end")
}

func faultFlags(set *pflag.FlagSet, f *chattarget.Faults) {
	set.SortFlags = false
	durationVar(set, &f.Delay, "delay", "time between receiving a message and answering it")
	durationVar(set, &f.Jitter, "jitter", "further delay, uniform between 0 and this")
	durationVar(set, &f.StallAfter, "stall-after", "answer nothing from this long after the first message …")
	durationVar(set, &f.StallFor, "stall-for", "… for this long")
	countVar(set, &f.Fragment, "fragment", "bytes", "split replies into WebSocket fragments of this size; 0 for never")
	shareVar(set, &f.DropRate, "drop-rate", "share of messages that get their connection closed instead of a reply")
	shareVar(set, &f.ErrorRate, "error-rate", "share of valid messages that are answered with an error")
	shareVar(set, &f.SilentRate, "silent-rate", "share of messages that get no reply")
	shareVar(set, &f.GarbageRate, "garbage-rate", "share of messages whose reply is not JSON")
	shareVar(set, &f.DuplicateRate, "duplicate-rate", "share of messages that are answered twice")
	shareVar(set, &f.ReorderRate, "reorder-rate", "share of messages that are answered after the next one")
	shareVar(set, &f.LateRate, "late-rate", "share of messages whose reply comes --late-by later")
	durationVar(set, &f.LateBy, "late-by", "how much later")
	countVar(set, &f.Seed, "seed", "number", "which messages suffer which fault; the same seed, the same messages")
}

// targetArgs turns the values of --target-flag (delay=20ms) into arguments of the embedded
// target, having checked them as the target will.
func targetArgs(values []string) ([]string, error) {
	cfg := chattarget.Default()
	set := pflag.NewFlagSet("target", pflag.ContinueOnError)
	serverFlags(set, &cfg)
	faultFlags(set, &cfg.Faults)
	var args []string
	for _, v := range values {
		name, setting, found := strings.Cut(strings.TrimLeft(v, "-"), "=")
		switch {
		case !found:
			return nil, badTargetFlag("%q lacks a value: write --target-flag delay=20ms", v)
		case name == "listen":
			return nil, badTargetFlag("listen is chosen by the run itself")
		case set.Lookup(name) == nil:
			return nil, badTargetFlag("%q is not a flag of 'plimsoll serve chat'", name)
		}
		if err := set.Lookup(name).Value.Set(setting); err != nil {
			return nil, badTargetFlag("%s: %w", name, err)
		}
		args = append(args, "--"+name+"="+setting)
	}
	if err := cfg.Validate(); err != nil {
		return nil, fault.New(fault.Usage, "--target-flag: %w", err)
	}
	return args, nil
}

// targetFlagNames are what may stand before the value in --target-flag, each with its sign.
func targetFlagNames() []string {
	cfg := chattarget.Default()
	set := pflag.NewFlagSet("target", pflag.ContinueOnError)
	serverFlags(set, &cfg)
	faultFlags(set, &cfg.Faults)
	var names []string
	set.VisitAll(func(f *pflag.Flag) {
		if f.Name != "listen" {
			names = append(names, f.Name+"=")
		}
	})
	return names
}

func badTargetFlag(format string, args ...any) error {
	return fault.New(fault.Usage, "--target-flag: "+format, args...).
		Hint("run 'plimsoll serve chat --help' for the flags that may follow")
}
