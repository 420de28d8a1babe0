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
				"TLS, with a certificate of its own making, and HTTP/2 for clients that offer it"),
			setting.Text(&c.Certificate, "certificate", "file",
				"write the certificate here; a temporary file by default, removed at the end").Rule(c.checkCertificate),
			setting.Count(&c.MaxConnections, "max-connections", "count",
				"connections at a time; more are closed at once").
				Rule(c.checkConnections),
			setting.Duration(&c.IdleTimeout, "idle-timeout", "a connection without the end of a request, "+
				"or a part of a body, for up to twice this long is closed").Rule(c.checkIdleTimeout),
			server.ShutdownFlag(&c.ShutdownTimeout)).
		Group("Times",
			setting.Duration(&c.Latency, "latency",
				"time between having a request in full and answering it; none by default").Rule(c.checkLatency),
			setting.Text(&c.Trace, "trace", "file", "write a line of CSV for each request, with its times"))
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
