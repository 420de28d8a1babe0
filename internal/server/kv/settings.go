package kv

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/server"
	"github.com/plimsoll/plimsoll/internal/server/kv/store"
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
			server.ListenFlag(&c.Listen, "use host:port, such as 127.0.0.1:8080 or :0"),
			server.HeaderFlag(&c.HeaderTimeout),
			positive(&c.BodyTimeout, "body-timeout",
				"maximum time to receive a request body, and to send a response"),
			positive(&c.IdleTimeout, "idle-timeout", "disconnect a client after this time without data"),
			positive(&c.ShutdownTimeout, "shutdown-timeout", "maximum time for open requests at shutdown")).
		Group("Receiving", c.receiving()...).
		Group("Data", c.data()...).
		Group("Faults",
			setting.Count(&c.SkipAck, "skip-ack", "number",
				"do not acknowledge the first delivery of one in this many batches; 0: acknowledge all").Rule(c.checkSkipAck),
			setting.Duration(&c.ApplyDelay, "apply-delay", "apply each batch this long after its arrival").
				Rule(c.checkApplyDelay)).
		Group("Files",
			setting.List(&c.Data, "data", "place", "load the delta files of this directory or s3://BUCKET/PATH, "+
				"at the start and as they appear; repeatable; see 'plimsoll deltas'"),
			setting.Text(&c.DataEndpoint, "data-endpoint", "url", "with --data s3://…: URL of the S3 server "+
				"(default: AWS)"),
			positive(&c.DataScan, "data-scan",
				"with --data: interval of checks for new files, in addition to file system events")).
		Group("Metrics",
			setting.Switch(&c.SeedMetrics, "seed-metrics", "/metrics: use the names and classic histograms of "+
				"the Privacy Sandbox key/value server")).
		Rules(c.checkJournal).
		Often("listen", "data", "journal", "listeners", "memory")
}

func (c *Config) receiving() []*setting.Setting {
	return []*setting.Setting{
		setting.Count(&c.Listeners, "listeners", "count",
			"number of listeners that receive and apply batches in parallel").
			SetByRun().Rule(between(&c.Listeners, 1, maxListeners)),
		setting.Count(&c.Batch, "receive-batch", "count", "messages that a listener receives at once").
			SetByRun().Rule(between(&c.Batch, 1, maxBatch)),
		setting.Text(&c.Subscription, "subscription", "name",
			"name of the subscription, unique for each server (default plimsoll-kv-HOST)").SetByRun(),
		setting.Switch(&c.Ephemeral, "ephemeral",
			"remove the subscription when the server stops").SetByRun(),
		positive(&c.Timeout, "timeout", "maximum time for a response of the broker"),
	}
}

func (c *Config) data() []*setting.Setting {
	return []*setting.Setting{
		setting.Text(&c.Journal, "journal", "directory",
			"keep applied batches in this directory, and apply them again after a restart"),
		setting.Switch(&c.JournalSync, "journal-sync",
			"with --journal: sync to disk before each acknowledgement, so that nothing is lost if the machine "+
				"crashes"),
		setting.Size(&c.Memory, "memory", fmt.Sprintf("maximum memory for keys and values, at least %d MiB "+
			"(default: half of the machine's)", store.Least>>20)).
			Rule(c.checkMemory),
		positive(&c.KeepDeletes, "keep-deletes", "how long deleted keys are remembered, so that late updates do "+
			"not restore them"),
		positive(&c.KeepRuns, "keep-runs", "how long the received batches of a run are remembered after the last "+
			"one"),
	}
}

// maxListeners and maxBatch bound what is asked of a client library.
const (
	maxListeners = 1024
	maxBatch     = 10_000
	// maxApplyDelay is less than any transport waits for an acknowledgement.
	maxApplyDelay = 10 * time.Second
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
			return usage("%s must be between %d and %d, not %d", flag, low, high, *n)
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

func (c *Config) checkApplyDelay(flag string) error {
	if c.ApplyDelay < 0 || c.ApplyDelay > maxApplyDelay {
		return usage("%s is %v: it must be between 0 and %v", flag, c.ApplyDelay, maxApplyDelay)
	}
	return nil
}

func (c *Config) checkMemory(flag string) error {
	if c.Memory != 0 && c.Memory < store.Least {
		return usage("%s is %d bytes: it must be at least %d MiB",
			flag, c.Memory, store.Least>>20).
			Hint("remove it for the default, half of the machine's memory")
	}
	return nil
}

func (c *Config) checkJournal() error {
	if c.JournalSync && c.Journal == "" {
		return usage("--journal-sync needs --journal").Hint("add --journal DIRECTORY")
	}
	return nil
}
