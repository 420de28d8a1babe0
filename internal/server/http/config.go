package http

import "time"

// Config holds the settings of a server. Settings declares the flag of each field.
type Config struct {
	Listen string // host:port; port 0 takes a free one

	TLS         bool
	Certificate string // PEM file of a chain; "" makes one
	Key         string // PEM file of its key
	Trust       string // where the certificate that was made is written, for clients

	MaxRequests     int           // in flight at a time; more get 503
	MaxBody         int64         // bytes of a request's body; more get 413
	HeaderTimeout   time.Duration // from accepting a connection to having a request's headers
	IdleTimeout     time.Duration // of a connection between two requests, and of a body or an answer that does not go on
	ShutdownTimeout time.Duration // bounds the graceful end

	Faults
}

// Faults are how the server answers, and what it does wrong on purpose. A query has the last word: ?delay=20ms.
type Faults struct {
	Delay  time.Duration // between having a request and answering it
	Jitter time.Duration // further delay, uniform in [0, Jitter)
	Status int           // of plain answers
	Size   int64         // of plain answers, in bytes; 0: a short text

	// Shares of the requests; one suffers at most one of them.
	ErrorRate float64 // answered with 503
	DropRate  float64 // the connection is reset instead of an answer

	// StallAfter the first request the server answers nothing for StallFor. What comes meanwhile is answered after that.
	StallAfter time.Duration
	StallFor   time.Duration

	Seed uint64
}

// Default is a server on 127.0.0.1:8081 without faults.
func Default() Config {
	return Config{
		Listen: "127.0.0.1:8081", MaxRequests: 20000, MaxBody: 1 << 30, HeaderTimeout: 10 * time.Second,
		IdleTimeout: 5 * time.Minute, ShutdownTimeout: 5 * time.Second, Faults: Faults{Status: 200, Seed: 1},
	}
}

// Validate says what is wrong with the settings, naming the flag.
func (c *Config) Validate() error { return c.Settings().Check() }
