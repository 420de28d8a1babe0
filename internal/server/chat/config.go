package chat

import "time"

// Config holds the settings of a server. Settings declares the flag of each field.
type Config struct {
	Listen string // host:port; port 0 takes a free one

	MaxMessage       int           // bytes of a message; a longer one closes the connection with 1009
	HandshakeTimeout time.Duration // from accepting a connection to having its request's headers
	IdleTimeout      time.Duration // silence before a close with 1001; a ping goes out at half of it; 0: never
	MaxConnections   int           // WebSocket connections open at a time; more get HTTP 503; 0: no limit
	ShutdownTimeout  time.Duration // bounds the graceful end

	Origins []string // whose pages may connect, besides those of the server's own; * for any

	Echo     bool // messages come back as they are, and need not be a chat's
	Compress bool // messages are compressed for clients that offer it

	Broadcast bool // valid messages go to all connections of their room, too

	Faults
}

// Faults are what the server does wrong on purpose. The zero value is a server without
// faults.
//
// The rates are shares of the messages received, between 0 and 1. A message suffers at most
// one of them, so that each rate is kept exactly; together they are at most 1. Delay, Jitter
// and the stall come on top of them. Which message suffers what is a pure function of Seed
// and the message's number, counted over all connections: the same seed and the same number
// of messages give the same number of each fault.
type Faults struct {
	Delay  time.Duration // between receiving a message and answering it
	Jitter time.Duration // further delay, uniform in [0, Jitter)

	DropRate      float64 // the TCP connection is closed, without a close frame, instead of an answer
	ErrorRate     float64 // a valid message is answered with an error
	SilentRate    float64 // there is no answer
	GarbageRate   float64 // the answer is not JSON
	DuplicateRate float64 // the answer is sent twice
	LateRate      float64 // the answer comes LateBy later; others are not held up
	ReorderRate   float64 // the answer waits for the next one on its connection, or 50 ms

	LateBy   time.Duration
	Fragment int // payload bytes of a frame; longer answers are fragmented; 0: never

	// The shares of deliveries to all of a room that are lost, come twice, or come behind the next one of the same
	// sender, or 50 ms later if there is none.
	BroadcastLoss, BroadcastDuplicates, BroadcastSwaps float64

	// StallAfter the first message the server answers nothing for StallFor. What is received
	// meanwhile is answered after that.
	StallAfter time.Duration
	StallFor   time.Duration

	Seed uint64
}

// Default is a server on 127.0.0.1:8080 without faults.
func Default() Config {
	return Config{
		Listen:           "127.0.0.1:8080",
		MaxMessage:       64 << 10,
		HandshakeTimeout: 10 * time.Second,
		IdleTimeout:      5 * time.Minute,
		MaxConnections:   20000,
		ShutdownTimeout:  5 * time.Second,
		Faults:           Faults{LateBy: time.Second, Seed: 1},
	}
}

// Validate says what is wrong with the settings, naming the flag.
func (c *Config) Validate() error { return c.Settings().Check() }
