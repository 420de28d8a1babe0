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
		Group("Responses", f.answers()...).
		Group("Faults", f.settings()...).
		Rules(c.checkKey, f.checkStall, f.checkSum).
		Often("listen", "tls", "delay", "size", "error-rate", "stall-after")
}

func (c *Config) settings() []*setting.Setting {
	return []*setting.Setting{
		server.ListenFlag(&c.Listen, "give host:port, such as 127.0.0.1:8081; port 0 selects a free one"),
		setting.Switch(&c.TLS, "tls", "use TLS, with --cert and --key, or with a new certificate"),
		setting.Text(&c.Certificate, "cert", "file", "PEM file with the certificate chain").
			Ending("pem", "crt", "cer"),
		setting.Text(&c.Key, "key", "file", "PEM file with the key of --cert").Ending("pem", "key"),
		setting.Output(&c.Trust, "cert-out", "file", "write the new certificate to this file, for --ca of clients").
			Formerly("trust").
			SetByRun().Ending("pem", "crt"),
		setting.Count(&c.MaxRequests, "max-requests", "count", "maximum number of parallel requests; more get "+
			"503; 0: no limit").
			Rule(c.checkRequests),
		setting.Size(&c.MaxBody, "max-body", "maximum size of a request body; a larger one gets 413").Rule(c.checkBody),
		server.HeaderFlag(&c.HeaderTimeout),
		server.TimeFlag(&c.IdleTimeout, "idle-timeout",
			"disconnect a client after this time without data"),
		server.ShutdownFlag(&c.ShutdownTimeout),
	}
}

func (f *Faults) answers() []*setting.Setting {
	return []*setting.Setting{
		server.NotNegative(&f.Delay, "delay", "delay of each response"),
		server.NotNegative(&f.Jitter, "jitter", "additional random delay of up to this time"),
		setting.Count(&f.Status, "status", "code", "status of plain responses").Rule(f.checkStatus),
		setting.Size(&f.Size, "size", "size of plain responses, such as 10KiB (default: a short text)").Rule(f.checkSize),
	}
}

func (f *Faults) settings() []*setting.Setting {
	return []*setting.Setting{
		server.RateFlag(&f.ErrorRate, "error-rate", "request", "share of requests that get a 503"),
		server.RateFlag(&f.DropRate, "drop-rate", "request",
			"share of requests whose connection is reset"),
		server.NotNegative(&f.StallAfter, "stall-after",
			"stop responding this long after the first request, for --stall-for"),
		server.NotNegative(&f.StallFor, "stall-for", "with --stall-after: length of the stall"),
		setting.Count(&f.Seed, "seed", "number",
			"seed that selects which requests suffer which fault"),
	}
}

func (c *Config) checkRequests(flag string) error {
	if c.MaxRequests < 0 {
		return fault.New(fault.Usage, "%s %d is negative", flag, c.MaxRequests).Hint("use 0 for no limit")
	}
	return nil
}

func (c *Config) checkBody(flag string) error {
	if c.MaxBody < 1 {
		return fault.New(fault.Usage, "%s %d is not positive", flag, c.MaxBody).Hint("use a size such as 1MiB")
	}
	return nil
}

func (c *Config) checkKey() error {
	switch {
	case (c.Certificate == "") != (c.Key == ""):
		return fault.New(fault.Usage, "--cert and --key must be given together").
			Hint("give both, or only --tls for a new certificate")
	case !c.TLS && c.Certificate+c.Trust != "":
		return fault.New(fault.Usage, "--cert and --cert-out need --tls").Hint("add --tls")
	}
	return nil
}

func (f *Faults) checkStatus(flag string) error {
	if f.Status < 200 || f.Status > 599 {
		return fault.New(fault.Usage, "%s %d is not a response status", flag, f.Status).Hint("give a status " +
			"from 200 to 599")
	}
	return nil
}

// largest bounds what an answer is asked to have: it is made as it is sent, but nobody waits for more.
const largest = 1 << 40

func (f *Faults) checkSize(flag string) error {
	if f.Size < 0 || f.Size > largest {
		return fault.New(fault.Usage, "%s %d is not a valid response size", flag, f.Size).
			Hint("give a size such as 10KiB, up to 1 TiB")
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
	if f.ErrorRate+f.DropRate > 1+1e-9 {
		return fault.New(fault.Usage, "--error-rate and --drop-rate add up to %s",
			setting.FormatShare(f.ErrorRate+f.DropRate)).
			Hint("a request suffers at most one of them: lower them to a total of at most 100%%")
	}
	return nil
}
