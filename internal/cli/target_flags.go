package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/fault"
	chattarget "github.com/plimsoll/plimsoll/internal/server/chat"
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

// targetFlags are the flags of a serve command that may follow --target-flag.
type targetFlags struct {
	kind    string // of 'plimsoll serve'
	example string // of one and its value
	set     *pflag.FlagSet
	chosen  []string     // which the run sets itself, since it has to reach the server
	check   func() error // of what was set, as the target checks it
}

func chatTarget() *targetFlags {
	cfg := chattarget.Default()
	set := pflag.NewFlagSet("target", pflag.ContinueOnError)
	serverFlags(set, &cfg)
	faultFlags(set, &cfg.Faults)
	return &targetFlags{kind: "chat", example: "delay=20ms", set: set, chosen: []string{"listen"}, check: func() error { return cfg.Validate() }}
}

// args turns the values of --target-flag (delay=20ms) into arguments of the embedded target, having
// checked them as the target will. A flag that is on or off may stand alone.
func (t *targetFlags) args(values []string) ([]string, error) {
	bad := func(format string, args ...any) error {
		return fault.New(fault.Usage, "--target-flag: "+format, args...).
			Hint("run 'plimsoll serve %s --help' for the flags that may follow", t.kind)
	}
	var args []string
	for _, v := range values {
		name, setting, found := strings.Cut(strings.TrimLeft(v, "-"), "=")
		flag := t.set.Lookup(name)
		switch {
		case flag == nil:
			return nil, bad("%q is not a flag of 'plimsoll serve %s'", name, t.kind)
		case slices.Contains(t.chosen, name):
			return nil, bad("%s is chosen by the run itself", name)
		case !found && flag.NoOptDefVal != "":
			setting = flag.NoOptDefVal
		case !found:
			return nil, bad("%q lacks a value: write --target-flag %s", v, t.example)
		}
		if err := flag.Value.Set(setting); err != nil {
			return nil, bad("%s: %w", name, err)
		}
		args = append(args, "--"+name+"="+setting)
	}
	if err := t.check(); err != nil {
		return nil, fault.New(fault.Usage, "--target-flag: %w", err)
	}
	return args, nil
}

// names are what may stand before the value in --target-flag, each with its sign.
func (t *targetFlags) names() []string {
	var names []string
	t.set.VisitAll(func(f *pflag.Flag) {
		switch {
		case slices.Contains(t.chosen, f.Name):
		case f.NoOptDefVal != "":
			names = append(names, f.Name)
		default:
			names = append(names, f.Name+"=")
		}
	})
	return names
}
