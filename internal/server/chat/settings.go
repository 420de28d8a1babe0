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
		Group("Faults on demand", f.settings()...).
		Rules(f.checkLate, f.checkStall, f.checkSum, c.checkEcho, c.checkBroadcast).
		Often("listen", "delay", "jitter", "drop-rate", "error-rate")
}

func (c *Config) settings() []*setting.Setting {
	return []*setting.Setting{
		server.ListenFlag(&c.Listen, "give host:port, such as 127.0.0.1:8080; port 0 takes a free one"),
		setting.Size(&c.MaxMessage, "max-message", "longest message; the sender of a longer one is disconnected (code 1009)").
			Rule(c.checkMaxMessage),
		server.TimeFlag(&c.HandshakeTimeout, "handshake-timeout",
			"how long a client may take for the headers of its request"),
		server.NotNegative(&c.IdleTimeout, "idle-timeout",
			"silence after which a client is disconnected (code 1001), with a ping at half of it; 0: never"),
		setting.Count(&c.MaxConnections, "max-connections", "count",
			"connections at the same time; more get HTTP 503; 0: no limit").Rule(c.checkConnections),
		server.ShutdownFlag(&c.ShutdownTimeout),
		setting.List(&c.Origins, "allow-origin", "origin", "let pages of this origin connect, such as https://example.org, "+
			"or * for any (default the server's own); may be given several times"),
		setting.Switch(&c.Echo, "echo", "send every message back as it came, whatever it is"),
		setting.Switch(&c.Broadcast, "broadcast", "send valid messages to all connections of their room, too"),
		setting.Switch(&c.Compress, "compress", "compress messages for clients that offer it (permessage-deflate)"),
	}
}

func (f *Faults) settings() []*setting.Setting {
	share := func(into *float64, name, help string) *setting.Setting {
		return server.RateFlag(into, name, "message", help)
	}
	return []*setting.Setting{
		server.NotNegative(&f.Delay, "delay", "how long to wait before each answer"),
		server.NotNegative(&f.Jitter, "jitter", "wait longer by a random time of up to this"),
		server.NotNegative(&f.StallAfter, "stall-after",
			"stop answering this long after the first message, for as long as --stall-for says"),
		server.NotNegative(&f.StallFor, "stall-for", "with --stall-after: how long not to answer"),
		setting.Count(&f.Fragment, "fragment", "bytes",
			"send answers in WebSocket fragments of this size; 0: whole").Rule(f.checkFragment),
		share(&f.DropRate, "drop-rate", "share of messages whose sender is disconnected instead of answered"),
		share(&f.ErrorRate, "error-rate", "share of valid messages that are answered with an error"),
		share(&f.SilentRate, "silent-rate", "share of messages that get no answer"),
		share(&f.GarbageRate, "garbage-rate", "share of messages whose answer is not JSON"),
		share(&f.DuplicateRate, "duplicate-rate", "share of messages that are answered twice"),
		share(&f.ReorderRate, "reorder-rate", "share of messages that are answered after the next one"),
		share(&f.LateRate, "late-rate", "share of messages whose answer comes --late-by later"),
		server.NotNegative(&f.LateBy, "late-by", "with --late-rate: how much later"),
		server.RateFlag(&f.BroadcastLoss, "broadcast-loss", "delivery", "share of deliveries that are not made"),
		server.RateFlag(&f.BroadcastDuplicates, "broadcast-duplicates", "delivery",
			"share of deliveries that are made twice"),
		server.RateFlag(&f.BroadcastSwaps, "broadcast-swaps", "delivery",
			"share of deliveries that come behind the sender's next one"),
		setting.Count(&f.Seed, "seed", "number",
			"decides which messages suffer which fault: the same number, the same messages"),
	}
}

// minMessage is the smallest message limit: a valid message with the longest text, every
// character of it escaped, is shorter than 4 KiB, but a limit is there to be tested.
const minMessage = 128

func (c *Config) checkMaxMessage(flag string) error {
	if c.MaxMessage < minMessage {
		return fault.New(fault.Usage, "%s %d is too small", flag, c.MaxMessage).
			Hint("give at least %d bytes", minMessage)
	}
	return nil
}

func (c *Config) checkConnections(flag string) error {
	if c.MaxConnections < 0 {
		return fault.New(fault.Usage, "%s %d is negative", flag, c.MaxConnections).Hint("give 0 for no limit")
	}
	return nil
}

func (c *Config) checkEcho() error {
	if c.Echo && c.ErrorRate > 0 {
		return fault.New(fault.Usage, "--echo and --error-rate are both given: what comes back as it was is no error").
			Hint("leave one of them out")
	}
	return nil
}

func (f *Faults) checkFragment(flag string) error {
	if f.Fragment < 0 {
		return fault.New(fault.Usage, "%s %d is negative", flag, f.Fragment).
			Hint("give the payload bytes of a frame, or 0 for whole messages")
	}
	return nil
}

func (f *Faults) checkLate() error {
	if f.LateRate > 0 && f.LateBy == 0 {
		return fault.New(fault.Usage, "--late-rate needs --late-by").
			Hint("say how much later the late answers come, such as --late-by 1s")
	}
	return nil
}

func (f *Faults) checkStall() error {
	if f.StallAfter > 0 && f.StallFor == 0 {
		return fault.New(fault.Usage, "--stall-after needs --stall-for").
			Hint("say how long the stall lasts, such as --stall-for 2s")
	}
	return nil
}

func (f *Faults) checkSum() error {
	sum := 0.0
	for _, k := range kinds {
		sum += k.rate(f)
	}
	if sum > 1+1e-9 {
		return fault.New(fault.Usage, "the fault rates sum to %v", sum).
			Hint("a message suffers at most one fault: lower the rates until they sum to 1 or less")
	}
	return nil
}

func (c *Config) checkBroadcast() error {
	sum := c.BroadcastLoss + c.BroadcastDuplicates + c.BroadcastSwaps
	switch {
	case c.Echo && c.Broadcast:
		return fault.New(fault.Usage, "--broadcast and --echo exclude each other").
			Hint("leave out --echo: what is sent to all is the messages of the chat")
	case sum > 0 && !c.Broadcast:
		return fault.New(fault.Usage, "--broadcast-loss, --broadcast-duplicates and --broadcast-swaps need --broadcast").
			Hint("give --broadcast too, for messages to go to all connections of their room")
	case sum > 1+1e-9:
		return fault.New(fault.Usage, "the fault rates of deliveries sum to %v", sum).
			Hint("a delivery suffers at most one fault: lower the rates until they sum to 1 or less")
	}
	return nil
}
