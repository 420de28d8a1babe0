package kv

import (
	"net"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Config says how to serve.
type Config struct {
	Listen    string // host:port of the HTTP server; port 0 takes a free one
	Listeners int    // goroutines that receive
	Batch     int    // messages that one receive call returns at most

	Subscription string // name at the broker; one server each
	Ephemeral    bool   // the broker may forget the subscription when the server ends

	Journal     string        // directory of the journal; "" for none
	JournalSync bool          // wait for the disk before each acknowledgement
	DataScan    time.Duration // how often the data is looked through for new files

	Memory      int64         // bytes that keys and values may take; 0: half of the machine's
	KeepDeletes time.Duration // how long a batch may be on its way: deletions are remembered so long
	KeepRuns    time.Duration // how long a run may be silent before it is forgotten
	SkipAck     int           // fault: every so many batches one is not acknowledged the first time; 0: none

	HeaderTimeout   time.Duration // for the headers of a request
	BodyTimeout     time.Duration // for its body, and for reading the answer
	IdleTimeout     time.Duration // of a connection
	ShutdownTimeout time.Duration // bound on the graceful end
	Timeout         time.Duration // of each request to the broker
}

// Default is what a server has if nothing else is said.
func Default() Config {
	return Config{
		Listen: "127.0.0.1:0", Listeners: 4, Batch: 10,
		DataScan: 10 * time.Second, KeepDeletes: time.Hour, KeepRuns: 24 * time.Hour,
		HeaderTimeout: 10 * time.Second, BodyTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		ShutdownTimeout: 5 * time.Second, Timeout: 10 * time.Second,
	}
}

// maxListeners and maxBatch bound what is asked of a client library.
const (
	maxListeners = 1024
	maxBatch     = 10_000
)

// Validate says what is wrong, in the words of the flags.
func (c *Config) Validate() error {
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		return usage("--listen %q is not an address: %w", c.Listen, err).
			Hint("write host:port, such as 127.0.0.1:8080 or :0")
	}
	switch {
	case c.Listeners < 1 || c.Listeners > maxListeners:
		return usage("--listeners must lie between 1 and %d, not %d", maxListeners, c.Listeners)
	case c.Batch < 1 || c.Batch > maxBatch:
		return usage("--receive-batch must lie between 1 and %d, not %d", maxBatch, c.Batch)
	case c.SkipAck < 0:
		return usage("--skip-ack must not be negative")
	case c.Memory < 0:
		return usage("--memory must not be negative")
	case c.JournalSync && c.Journal == "":
		return usage("--journal-sync has no journal").Hint("name a directory with --journal")
	}
	for _, d := range [...]struct {
		flag  string
		value time.Duration
	}{
		{"data-scan", c.DataScan}, {"keep-deletes", c.KeepDeletes}, {"keep-runs", c.KeepRuns},
		{"header-timeout", c.HeaderTimeout},
		{"body-timeout", c.BodyTimeout}, {"idle-timeout", c.IdleTimeout}, {"shutdown-timeout", c.ShutdownTimeout},
		{"timeout", c.Timeout},
	} {
		if d.value <= 0 {
			return usage("--%s must be above 0", d.flag)
		}
	}
	return nil
}

func usage(format string, args ...any) *fault.Error { return fault.New(fault.Usage, format, args...) }
