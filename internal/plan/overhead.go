package plan

import "time"

// Overhead is the plan of an overhead run.
type Overhead struct {
	Load Load `json:"load"`

	// Operations are what is measured, each SERVICE/OPERATION; empty for the default table.
	Operations []string `json:"operations,omitempty"`
	Exec       string   `json:"exec,omitempty"` // command of a foreign client

	Warmup      time.Duration `json:"warmup_ns"` // of each operation
	Time        time.Duration `json:"time_ns"`   // of each operation's measurement
	Calls       int64         `json:"calls,omitempty"`
	Concurrency int           `json:"concurrency"`
	Timeout     time.Duration `json:"timeout_ns"` // of a call

	Endpoint string        `json:"endpoint,omitempty"` // "" for the embedded responder, or for AWS with a profile
	Profile  string        `json:"profile,omitempty"`
	Region   string        `json:"region,omitempty"`
	TLS      bool          `json:"tls,omitempty"`
	HTTP2    bool          `json:"http2,omitempty"`
	Latency  time.Duration `json:"latency_ns,omitempty"` // of the embedded responder

	Baseline     string  `json:"baseline,omitempty"`      // a run document, or the name of a run
	SaveBaseline string  `json:"save_baseline,omitempty"` // file
	MinEffect    float64 `json:"min_effect,omitempty"`    // the smallest difference that matters, as a share
	Output       Output  `json:"output"`
}
