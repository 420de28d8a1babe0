package aws

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/server"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// Settings declares what can be set of a server, and what is a rule for it.
func (c *Config) Settings() *setting.Set {
	return new(setting.Set).
		Group("Server",
			server.ListenFlag(&c.Listen, "give host:port, such as 127.0.0.1:9100; port 0 selects a free one"),
			setting.Switch(&c.TLS, "tls",
				"use TLS with a new certificate, and HTTP/2 if the client supports it"),
			setting.Output(&c.Certificate, "cert-out", "file",
				"with --tls: write the certificate to this file (default: a temporary file)").Formerly("certificate").
				Ending("pem").Rule(c.checkCertificate),
			setting.Count(&c.MaxConnections, "max-connections", "count",
				"maximum number of connections; a further one replaces the longest idle one, or is closed").
				Rule(c.checkConnections),
			server.HeaderFlag(&c.HeaderTimeout),
			setting.Duration(&c.IdleTimeout, "idle-timeout",
				"disconnect a client after this time without data; it can take twice as long").Rule(c.checkIdleTimeout),
			server.ShutdownFlag(&c.ShutdownTimeout)).
		Group("Times",
			setting.Duration(&c.Latency, "delay",
				"delay of each response").Formerly("latency").Rule(c.checkLatency),
			setting.Output(&c.Trace, "trace", "file", "write the times of each request to this CSV file").
				Ending("csv"))
}

// maxLatency keeps a request's wait below what ends its connection.
const maxLatency = time.Minute

func (c *Config) checkLatency(flag string) error {
	if c.Latency < 0 || c.Latency > maxLatency {
		return fault.New(fault.Usage, "%s %v is not between 0 and %v", flag, c.Latency, maxLatency).
			Hint("use a duration such as 1ms")
	}
	return nil
}

func (c *Config) checkCertificate(flag string) error {
	if c.Certificate != "" && !c.TLS {
		return fault.New(fault.Usage, "%s needs --tls", flag).Hint("add --tls")
	}
	return nil
}

func (c *Config) checkConnections(flag string) error {
	if c.MaxConnections < 1 {
		return fault.New(fault.Usage, "%s %d is not positive", flag, c.MaxConnections).
			Hint("use a number such as 4096")
	}
	return nil
}

func (c *Config) checkIdleTimeout(flag string) error {
	if c.IdleTimeout < time.Second || c.IdleTimeout <= c.Latency {
		return fault.New(fault.Usage, "%s %v is too short", flag, c.IdleTimeout).
			Hint("give at least 1s, and more than --delay")
	}
	return nil
}
