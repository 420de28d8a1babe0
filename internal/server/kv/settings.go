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
			server.ListenFlag(&c.Listen, "write host:port, such as 127.0.0.1:8080 or :0"),
			server.HeaderFlag(&c.HeaderTimeout),
			positive(&c.BodyTimeout, "body-timeout",
				"how long a client may take for the body of its request, and again to take the answer"),
			positive(&c.IdleTimeout, "idle-timeout", "silence after which a client is disconnected"),
			positive(&c.ShutdownTimeout, "shutdown-timeout", "how long the server may take to end what is under way")).
		Group("Receiving", c.receiving()...).
		Group("Data", c.data()...).
		Group("Faults on demand",
			setting.Count(&c.SkipAck, "skip-ack", "number",
				"do not acknowledge one in this many batches the first time; 0: acknowledge all").Rule(c.checkSkipAck),
			setting.Duration(&c.ApplyDelay, "apply-delay", "apply each batch only so long after it has arrived").
				Rule(c.checkApplyDelay)).
		Group("Files",
			setting.List(&c.Data, "data", "place", "directory, or s3://BUCKET/PATH, whose delta files are loaded "+
				"at the start and when they appear ('plimsoll deltas' makes some); may be given several times"),
			setting.Text(&c.DataEndpoint, "data-endpoint", "url", "with --data s3://…: address of the S3 server (default AWS)"),
			positive(&c.DataScan, "data-scan",
				"with --data: how often to look for new files, besides what the system tells")).
		Group("Metrics",
			setting.Switch(&c.SeedMetrics, "seed-metrics", "give /metrics the names and the classic histograms "+
				"by which the Privacy Sandbox's documents query their server")).
		Rules(c.checkJournal).
		Often("listen", "data", "journal", "listeners", "memory")
}

func (c *Config) receiving() []*setting.Setting {
	return []*setting.Setting{
		setting.Count(&c.Listeners, "listeners", "count",
			"how many listeners receive batches and apply them at the same time").
			SetByRun().Rule(between(&c.Listeners, 1, maxListeners)),
		setting.Count(&c.Batch, "receive-batch", "count", "messages that one listener takes at once").
			SetByRun().Rule(between(&c.Batch, 1, maxBatch)),
		setting.Text(&c.Subscription, "subscription", "name",
			"what the message service knows this server by; each server needs its own (default plimsoll-kv-HOST)").SetByRun(),
		setting.Switch(&c.Ephemeral, "ephemeral",
			"have the message service forget this server when it ends").SetByRun(),
		positive(&c.Timeout, "timeout", "how long the message service may take for an answer"),
	}
}

func (c *Config) data() []*setting.Setting {
	return []*setting.Setting{
		setting.Text(&c.Journal, "journal", "directory",
			"keep applied batches in this directory, and apply them again at the next start"),
		setting.Switch(&c.JournalSync, "journal-sync",
			"with --journal: wait for the disk before each acknowledgement, so that a crash of the machine loses nothing "+
				"either"),
		setting.Size(&c.Memory, "memory", fmt.Sprintf("most memory for keys and values, at "+
			"least %d MiB (default half of the machine's)", store.Least>>20)).
			Rule(c.checkMemory),
		positive(&c.KeepDeletes, "keep-deletes", "how long a deleted key is remembered, "+
			"so that an older update that comes late does not bring it back"),
		positive(&c.KeepRuns, "keep-runs", "how long after its last batch to remember what was received of a run"),
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

func (c *Config) checkApplyDelay(flag string) error {
	if c.ApplyDelay < 0 || c.ApplyDelay > maxApplyDelay {
		return usage("%s is %v: it must be from 0 to %v", flag, c.ApplyDelay, maxApplyDelay)
	}
	return nil
}

func (c *Config) checkMemory(flag string) error {
	if c.Memory != 0 && c.Memory < store.Least {
		return usage("%s is %d bytes, with which some keys would find room and others never: it must be at least %d MiB",
			flag, c.Memory, store.Least>>20).
			Hint("leave it out: the default is half of the machine's")
	}
	return nil
}

func (c *Config) checkJournal() error {
	if c.JournalSync && c.Journal == "" {
		return usage("--journal-sync has no journal").Hint("name a directory with --journal")
	}
	return nil
}
