package kv

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/server"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// Target is a server with the default settings, for --target-flag of a run.
func Target() *setting.Target {
	c := Default()
	return &setting.Target{Server: "kv", Example: "skip-ack=40", Set: c.Settings()}
}

// Settings declares what can be set of a server, and what is a rule for it.
func (c *Config) Settings() *setting.Set {
	return new(setting.Set).
		Group("Server",
			server.ListenFlag(&c.Listen, "write host:port, such as 127.0.0.1:8080 or :0"),
			positive(&c.HeaderTimeout, "header-timeout", "time that a client has for its request's headers"),
			positive(&c.BodyTimeout, "body-timeout",
				"time that it has for the body, and as much again for taking the answer"),
			positive(&c.IdleTimeout, "idle-timeout", "silence of a connection before it is closed"),
			positive(&c.ShutdownTimeout, "shutdown-timeout", "bound on the graceful end")).
		Group("Receiving", c.receiving()...).
		Group("Data", c.data()...).
		Group("Faults on demand",
			setting.Count(&c.SkipAck, "skip-ack", "number",
				"every so many batches, one is not acknowledged the first time; 0 for none").Rule(c.checkSkipAck)).
		Group("Files",
			setting.List(&c.Data, "data", "place", "directory with delta files, or s3://BUCKET/PATH, "+
				"which are loaded at the start and when they appear; may be given several times"),
			setting.Text(&c.DataEndpoint, "data-endpoint", "url", "the S3 server of the buckets, when it is not AWS"),
			positive(&c.DataScan, "data-scan",
				"how often they are looked for, besides what the system tells of a directory")).
		Rules(c.checkJournal)
}

func (c *Config) receiving() []*setting.Setting {
	return []*setting.Setting{
		setting.Count(&c.Listeners, "listeners", "count", "goroutines that receive and apply").
			SetByRun().Rule(between(&c.Listeners, 1, maxListeners)),
		setting.Count(&c.Batch, "receive-batch", "count", "messages that one receive call returns at most").
			SetByRun().Rule(between(&c.Batch, 1, maxBatch)),
		setting.Text(&c.Subscription, "subscription", "name",
			"name at the message service, one for each server; plimsoll-kv-HOST by default").SetByRun(),
		setting.Switch(&c.Ephemeral, "ephemeral",
			"let the message service forget the subscription when the server ends").SetByRun(),
		positive(&c.Timeout, "timeout", "bound on each request to the message service but a receive call that waits"),
	}
}

func (c *Config) data() []*setting.Setting {
	return []*setting.Setting{
		setting.Text(&c.Journal, "journal", "directory",
			"write applied batches to a file here, and apply those that are there at the start"),
		setting.Switch(&c.JournalSync, "journal-sync",
			"wait for the disk before each acknowledgement, so that a crash of the machine loses nothing either"),
		setting.Size(&c.Memory, "memory", "bound on keys and values; half of the machine's memory by default").
			Rule(c.checkMemory),
		positive(&c.KeepDeletes, "keep-deletes", "how long a batch may be on its way: "+
			"a deleted key is remembered so long, so that an older update does not bring it back"),
		positive(&c.KeepRuns, "keep-runs", "silence of a run before what was received of it is forgotten"),
	}
}

// maxListeners and maxBatch bound what is asked of a client library.
const (
	maxListeners = 1024
	maxBatch     = 10_000
)

func usage(format string, args ...any) *fault.Error { return fault.New(fault.Usage, format, args...) }

// positive is a time that is longer than nothing.
func positive(into *time.Duration, name, help string) *setting.Setting {
	return setting.Duration(into, name, help).Rule(func(flag string) error {
		if *into <= 0 {
			return usage("%s must be above 0", flag)
		}
		return nil
	})
}

func between(n *int, low, high int) func(flag string) error {
	return func(flag string) error {
		if *n < low || *n > high {
			return usage("%s must lie between %d and %d, not %d", flag, low, high, *n)
		}
		return nil
	}
}

func (c *Config) checkSkipAck(flag string) error {
	if c.SkipAck < 0 {
		return usage("%s must not be negative", flag)
	}
	return nil
}

func (c *Config) checkMemory(flag string) error {
	if c.Memory < 0 {
		return usage("%s must not be negative", flag)
	}
	return nil
}

func (c *Config) checkJournal() error {
	if c.JournalSync && c.Journal == "" {
		return usage("--journal-sync has no journal").Hint("name a directory with --journal")
	}
	return nil
}
