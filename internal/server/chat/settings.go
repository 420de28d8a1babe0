package chat

import (
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/server"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// Target is a server with the default settings, for --target-flag of a run.
func Target() *setting.Target {
	c := Default()
	return &setting.Target{Server: "chat", Example: "delay=20ms", Set: c.Settings()}
}

// Settings declares what can be set of a server, and what is a rule for it.
func (c *Config) Settings() *setting.Set {
	f := &c.Faults
	return new(setting.Set).
		Group("Server", c.settings()...).
		Group("Faults", f.settings()...).
		Rules(f.checkLate, f.checkStall, f.checkSum, c.checkEcho, c.checkBroadcast).
		Often("listen", "delay", "jitter", "drop-rate", "error-rate")
}

func (c *Config) settings() []*setting.Setting {
	return []*setting.Setting{
		server.ListenFlag(&c.Listen, "give host:port, such as 127.0.0.1:8080; port 0 selects a free one"),
		setting.Size(&c.MaxMessage, "max-message", "maximum message size; the sender of a larger one is "+
			"disconnected (code 1009)").
			Rule(c.checkMaxMessage),
		server.TimeFlag(&c.HandshakeTimeout, "handshake-timeout",
			"maximum time to receive the headers of a request"),
		server.NotNegative(&c.IdleTimeout, "idle-timeout",
			"disconnect a silent client after this time (code 1001), with a ping at half of it; 0: never"),
		setting.Count(&c.MaxConnections, "max-connections", "count",
			"maximum number of connections; more get HTTP 503; 0: no limit").Rule(c.checkConnections),
		server.ShutdownFlag(&c.ShutdownTimeout),
		setting.List(&c.Origins, "allow-origin", "origin", "allow pages of this origin, such as "+
			"https://example.org, or * for any; repeatable (default: the server's own)"),
		setting.Switch(&c.Echo, "echo", "echo every message, whatever it contains"),
		setting.Switch(&c.Broadcast, "broadcast", "also send valid messages to all connections of their room"),
		setting.Switch(&c.Compress, "compress", "compress messages if the client offers it (permessage-deflate)"),
	}
}

func (f *Faults) settings() []*setting.Setting {
	share := func(into *float64, name, help string) *setting.Setting {
		return server.RateFlag(into, name, "message", help)
	}
	return []*setting.Setting{
		server.NotNegative(&f.Delay, "delay", "delay of each reply"),
		server.NotNegative(&f.Jitter, "jitter", "additional random delay of up to this time"),
		server.NotNegative(&f.StallAfter, "stall-after",
			"stop replying this long after the first message, for --stall-for"),
		server.NotNegative(&f.StallFor, "stall-for", "with --stall-after: length of the stall"),
		setting.Count(&f.Fragment, "fragment", "bytes",
			"send replies in WebSocket fragments of this size; 0: whole").Rule(f.checkFragment),
		share(&f.DropRate, "drop-rate", "share of messages after which the sender is disconnected"),
		share(&f.ErrorRate, "error-rate", "share of valid messages that get an error reply"),
		share(&f.SilentRate, "silent-rate", "share of messages without a reply"),
		share(&f.GarbageRate, "garbage-rate", "share of messages whose reply is not JSON"),
		share(&f.DuplicateRate, "duplicate-rate", "share of messages with two replies"),
		share(&f.ReorderRate, "reorder-rate", "share of messages whose reply follows that of the next message"),
		share(&f.LateRate, "late-rate", "share of messages whose reply is --late-by late"),
		server.NotNegative(&f.LateBy, "late-by", "with --late-rate: additional delay"),
		server.RateFlag(&f.BroadcastLoss, "broadcast-loss", "delivery", "share of lost deliveries"),
		server.RateFlag(&f.BroadcastDuplicates, "broadcast-duplicates", "delivery",
			"share of duplicate deliveries"),
		server.RateFlag(&f.BroadcastSwaps, "broadcast-swaps", "delivery",
			"share of deliveries that follow the sender's next one"),
		setting.Count(&f.Seed, "seed", "number",
			"seed that selects which messages suffer which fault"),
	}
}

// minMessage is the smallest message limit: a valid message with the longest text, every
// character of it escaped, is shorter than 4 KiB, but a limit is there to be tested.
const minMessage = 128

func (c *Config) checkMaxMessage(flag string) error {
	if c.MaxMessage < minMessage {
		return fault.New(fault.Usage, "%s %d is too small", flag, c.MaxMessage).
			Hint("use at least %d bytes", minMessage)
	}
	return nil
}

func (c *Config) checkConnections(flag string) error {
	if c.MaxConnections < 0 {
		return fault.New(fault.Usage, "%s %d is negative", flag, c.MaxConnections).Hint("use 0 for no limit")
	}
	return nil
}

func (c *Config) checkEcho() error {
	if c.Echo && c.ErrorRate > 0 {
		return fault.New(fault.Usage, "--echo and --error-rate are both given, but an echo is never an error").
			Hint("remove one of them")
	}
	return nil
}

func (f *Faults) checkFragment(flag string) error {
	if f.Fragment < 0 {
		return fault.New(fault.Usage, "%s %d is negative", flag, f.Fragment).
			Hint("give the payload size of a frame, or 0 for whole messages")
	}
	return nil
}

func (f *Faults) checkLate() error {
	if f.LateRate > 0 && f.LateBy == 0 {
		return fault.New(fault.Usage, "--late-rate needs --late-by").
			Hint("add the delay of late replies, such as --late-by 1s")
	}
	return nil
}

func (f *Faults) checkStall() error {
	if f.StallAfter > 0 && f.StallFor == 0 {
		return fault.New(fault.Usage, "--stall-after needs --stall-for").
			Hint("add the length of the stall, such as --stall-for 2s")
	}
	return nil
}

func (f *Faults) checkSum() error {
	sum := 0.0
	for _, k := range kinds {
		sum += k.rate(f)
	}
	if sum > 1+1e-9 {
		return fault.New(fault.Usage, "the fault rates add up to %s", setting.FormatShare(sum)).
			Hint("a message suffers at most one fault: lower the rates to a total of at most 100%%")
	}
	return nil
}

func (c *Config) checkBroadcast() error {
	sum := c.BroadcastLoss + c.BroadcastDuplicates + c.BroadcastSwaps
	switch {
	case c.Echo && c.Broadcast:
		return fault.New(fault.Usage, "--broadcast and --echo are both given, but only one can be used").
			Hint("remove --echo: only chat messages are broadcast")
	case sum > 0 && !c.Broadcast:
		return fault.New(fault.Usage, "--broadcast-loss, --broadcast-duplicates and --broadcast-swaps need --broadcast").
			Hint("add --broadcast")
	case sum > 1+1e-9:
		return fault.New(fault.Usage, "the fault rates of deliveries add up to %s", setting.FormatShare(sum)).
			Hint("a delivery suffers at most one fault: lower the rates to a total of at most 100%%")
	}
	return nil
}
