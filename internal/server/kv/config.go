package kv

import "time"

// Config says how to serve. Settings declares the flag of each field.
type Config struct {
	Listen    string // host:port of the HTTP server; port 0 takes a free one
	Listeners int    // goroutines that receive
	Batch     int    // messages that one receive call returns at most

	Subscription string // name at the broker; one server each
	Ephemeral    bool   // the broker may forget the subscription when the server ends

	Journal      string        // directory of the journal; "" for none
	JournalSync  bool          // wait for the disk before each acknowledgement
	Data         []string      // places with delta files, which whoever runs the server opens
	DataEndpoint string        // the S3 server of those in buckets; "" for AWS
	DataScan     time.Duration // how often the data is looked through for new files

	Memory      int64         // bytes that keys and values may take; 0: half of the machine's
	KeepDeletes time.Duration // how long a batch may be on its way: deletions are remembered so long
	KeepRuns    time.Duration // how long a run may be silent before it is forgotten
	SkipAck     int           // fault: every so many batches one is not acknowledged the first time; 0: none
	ApplyDelay  time.Duration // fault: from when a batch has arrived to when it is applied, at least

	SeedMetrics bool // metrics as the server of the Privacy Sandbox has them

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

// Validate says what is wrong with the settings, naming the flag.
func (c *Config) Validate() error { return c.Settings().Check() }
