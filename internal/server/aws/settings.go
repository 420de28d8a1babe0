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
			server.ListenFlag(&c.Listen, "give host:port, such as 127.0.0.1:9100; port 0 takes a free one"),
			setting.Switch(&c.TLS, "tls",
				"speak TLS, with a certificate that is made at the start, and HTTP/2 to clients that can"),
			setting.Output(&c.Certificate, "certificate", "file",
				"with --tls: write the certificate to this file (default a temporary one)").
				Ending("pem").Rule(c.checkCertificate),
			setting.Count(&c.MaxConnections, "max-connections", "count",
				"connections at the same time; one more has the place of that which has been silent for longest, or is closed").
				Rule(c.checkConnections),
			server.HeaderFlag(&c.HeaderTimeout),
			setting.Duration(&c.IdleTimeout, "idle-timeout",
				"silence, also within a request, after which a client is disconnected; "+
					"it may be twice as long").Rule(c.checkIdleTimeout),
			server.ShutdownFlag(&c.ShutdownTimeout)).
		Group("Times",
			setting.Duration(&c.Latency, "latency",
				"how long to wait before each answer").Rule(c.checkLatency),
			setting.Output(&c.Trace, "trace", "file", "write a line of CSV for each request to this file, with its times").
				Ending("csv"))
}

// maxLatency keeps a request's wait below what ends its connection.
const maxLatency = time.Minute

func (c *Config) checkLatency(flag string) error {
	if c.Latency < 0 || c.Latency > maxLatency {
		return fault.New(fault.Usage, "%s %v is not between 0 and %v", flag, c.Latency, maxLatency).
			Hint("give a time such as 1ms")
	}
	return nil
}

func (c *Config) checkCertificate(flag string) error {
	if c.Certificate != "" && !c.TLS {
		return fault.New(fault.Usage, "%s is of no use without --tls", flag).Hint("add --tls")
	}
	return nil
}

func (c *Config) checkConnections(flag string) error {
	if c.MaxConnections < 1 {
		return fault.New(fault.Usage, "%s %d is not positive", flag, c.MaxConnections).
			Hint("give a number such as 4096")
	}
	return nil
}

func (c *Config) checkIdleTimeout(flag string) error {
	if c.IdleTimeout < time.Second || c.IdleTimeout <= c.Latency {
		return fault.New(fault.Usage, "%s %v is too short", flag, c.IdleTimeout).
			Hint("give a second or more, and more than --latency")
	}
	return nil
}
