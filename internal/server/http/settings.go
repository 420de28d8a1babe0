package http

import (
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/server"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// Target is a server with the default settings, for --target-flag of a run.
func Target() *setting.Target {
	c := Default()
	return &setting.Target{Server: "http", Example: "delay=20ms", Set: c.Settings()}
}

// Settings declares what can be set of a server, and what is a rule for it.
func (c *Config) Settings() *setting.Set {
	f := &c.Faults
	return new(setting.Set).
		Group("Server", c.settings()...).
		Group("Answers", f.answers()...).
		Group("Faults on demand", f.settings()...).
		Rules(c.checkKey, f.checkStall, f.checkSum).
		Often("listen", "tls", "delay", "size", "error-rate", "stall-after")
}

func (c *Config) settings() []*setting.Setting {
	return []*setting.Setting{
		server.ListenFlag(&c.Listen, "give host:port, such as 127.0.0.1:8081; port 0 takes a free one"),
		setting.Switch(&c.TLS, "tls", "speak TLS, with --cert and --key, or with a certificate made for this server"),
		setting.Text(&c.Certificate, "cert", "file", "PEM file with the certificate, and those that vouch for it").
			Ending("pem", "crt", "cer"),
		setting.Text(&c.Key, "key", "file", "PEM file with the certificate's key").Ending("pem", "key"),
		setting.Output(&c.Trust, "trust", "file", "where to write a certificate that was made, for clients to trust (--ca)").
			SetByRun().Ending("pem", "crt"),
		setting.Count(&c.MaxRequests, "max-requests", "count", "requests at the same time; more get 503; 0: no limit").
			Rule(c.checkRequests),
		setting.Size(&c.MaxBody, "max-body", "longest body of a request; a longer one gets 413").Rule(c.checkBody),
		server.HeaderFlag(&c.HeaderTimeout),
		server.TimeFlag(&c.IdleTimeout, "idle-timeout",
			"silence, also in the middle of a body, after which a client is disconnected"),
		server.ShutdownFlag(&c.ShutdownTimeout),
	}
}

func (f *Faults) answers() []*setting.Setting {
	return []*setting.Setting{
		server.NotNegative(&f.Delay, "delay", "how long to wait before each answer"),
		server.NotNegative(&f.Jitter, "jitter", "wait longer by a random time of up to this"),
		setting.Count(&f.Status, "status", "code", "the status of plain answers").Rule(f.checkStatus),
		setting.Size(&f.Size, "size", "the size of plain answers, such as 10KiB (default a short text)").Rule(f.checkSize),
	}
}

func (f *Faults) settings() []*setting.Setting {
	return []*setting.Setting{
		server.RateFlag(&f.ErrorRate, "error-rate", "request", "share of requests that are answered with 503"),
		server.RateFlag(&f.DropRate, "drop-rate", "request",
			"share of requests whose connection is reset instead of an answer"),
		server.NotNegative(&f.StallAfter, "stall-after",
			"stop answering this long after the first request, for as long as --stall-for says"),
		server.NotNegative(&f.StallFor, "stall-for", "with --stall-after: how long not to answer"),
		setting.Count(&f.Seed, "seed", "number",
			"decides which requests suffer which fault: the same number, the same requests"),
	}
}

func (c *Config) checkRequests(flag string) error {
	if c.MaxRequests < 0 {
		return fault.New(fault.Usage, "%s %d is negative", flag, c.MaxRequests).Hint("give 0 for no limit")
	}
	return nil
}

func (c *Config) checkBody(flag string) error {
	if c.MaxBody < 1 {
		return fault.New(fault.Usage, "%s %d is not positive", flag, c.MaxBody).Hint("give a size such as 1MiB")
	}
	return nil
}

func (c *Config) checkKey() error {
	switch {
	case (c.Certificate == "") != (c.Key == ""):
		return fault.New(fault.Usage, "--cert and --key need each other").
			Hint("give both, or --tls alone for a certificate that is made")
	case !c.TLS && c.Certificate+c.Trust != "":
		return fault.New(fault.Usage, "--cert and --trust have no meaning without --tls").Hint("give --tls, too")
	}
	return nil
}

func (f *Faults) checkStatus(flag string) error {
	if f.Status < 200 || f.Status > 599 {
		return fault.New(fault.Usage, "%s %d is no status of an answer", flag, f.Status).Hint("give one of 200 to 599")
	}
	return nil
}

// largest bounds what an answer is asked to have: it is made as it is sent, but nobody waits for more.
const largest = 1 << 40

func (f *Faults) checkSize(flag string) error {
	if f.Size < 0 || f.Size > largest {
		return fault.New(fault.Usage, "%s %d is no size of an answer", flag, f.Size).
			Hint("give a size such as 10KiB, up to 1 TiB")
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
	if f.ErrorRate+f.DropRate > 1+1e-9 {
		return fault.New(fault.Usage, "--error-rate and --drop-rate sum to %v", f.ErrorRate+f.DropRate).
			Hint("a request suffers at most one of them: lower them until they sum to 1 or less")
	}
	return nil
}
