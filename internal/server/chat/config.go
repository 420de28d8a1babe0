package chat

import (
	"net"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Config holds the settings of a server. Each field is one flag of `plimsoll serve chat`.
type Config struct {
	Listen string // --listen: host:port; port 0 takes a free one

	MaxMessage       int           // --max-message: bytes of a message; a longer one closes the connection with 1009
	HandshakeTimeout time.Duration // --handshake-timeout: from accepting a connection to having its request's headers
	IdleTimeout      time.Duration // --idle-timeout: silence before a close with 1001; a ping goes out at half of it; 0: never
	MaxConnections   int           // --max-connections: WebSocket connections open at a time; more get HTTP 503; 0: no limit
	ShutdownTimeout  time.Duration // --shutdown-timeout: bounds the graceful end

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
	Delay  time.Duration // --delay: between receiving a message and answering it
	Jitter time.Duration // --jitter: further delay, uniform in [0, Jitter)

	DropRate      float64 // --drop-rate: the TCP connection is closed, without a close frame, instead of an answer
	ErrorRate     float64 // --error-rate: a valid message is answered with an error
	SilentRate    float64 // --silent-rate: there is no answer
	GarbageRate   float64 // --garbage-rate: the answer is not JSON
	DuplicateRate float64 // --duplicate-rate: the answer is sent twice
	LateRate      float64 // --late-rate: the answer comes LateBy later; others are not held up
	ReorderRate   float64 // --reorder-rate: the answer waits for the next one on its connection, or 50 ms

	LateBy   time.Duration // --late-by
	Fragment int           // --fragment: payload bytes of a frame; longer answers are fragmented; 0: never

	// StallAfter the first message the server answers nothing for StallFor. What is received
	// meanwhile is answered after that.
	StallAfter time.Duration // --stall-after
	StallFor   time.Duration // --stall-for

	Seed uint64 // --seed
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

// minMessage is the smallest message limit: a valid message with the longest text, every
// character of it escaped, is shorter than 4 KiB, but a limit is there to be tested.
const minMessage = 128

// Validate says what is wrong with the settings, naming the flag.
func (c *Config) Validate() error {
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		return fault.New(fault.Usage, "--listen %q is not an address: %w", c.Listen, err).
			Hint("give host:port, such as 127.0.0.1:8080; port 0 takes a free one")
	}
	if c.MaxMessage < minMessage {
		return fault.New(fault.Usage, "--max-message %d is too small", c.MaxMessage).
			Hint("give at least %d bytes", minMessage)
	}
	if c.MaxConnections < 0 {
		return fault.New(fault.Usage, "--max-connections %d is negative", c.MaxConnections).
			Hint("give 0 for no limit")
	}
	if err := positive(duration{"--handshake-timeout", c.HandshakeTimeout},
		duration{"--shutdown-timeout", c.ShutdownTimeout}); err != nil {
		return err
	}
	if err := notNegative(duration{"--idle-timeout", c.IdleTimeout}); err != nil {
		return err
	}
	return c.Faults.validate()
}

func (f *Faults) validate() error {
	if err := notNegative(duration{"--delay", f.Delay}, duration{"--jitter", f.Jitter},
		duration{"--late-by", f.LateBy}, duration{"--stall-after", f.StallAfter},
		duration{"--stall-for", f.StallFor}); err != nil {
		return err
	}
	if f.Fragment < 0 {
		return fault.New(fault.Usage, "--fragment %d is negative", f.Fragment).
			Hint("give the payload bytes of a frame, or 0 for whole messages")
	}
	if f.LateRate > 0 && f.LateBy == 0 {
		return fault.New(fault.Usage, "--late-rate needs --late-by").
			Hint("say how much later the late answers come, such as --late-by 1s")
	}
	if f.StallAfter > 0 && f.StallFor == 0 {
		return fault.New(fault.Usage, "--stall-after needs --stall-for").
			Hint("say how long the stall lasts, such as --stall-for 2s")
	}
	return f.validateRates()
}

func (f *Faults) validateRates() error {
	sum := 0.0
	for _, k := range kinds {
		rate := k.rate(f)
		if !(rate >= 0 && rate <= 1) { // NaN fails too
			return fault.New(fault.Usage, "%s %v is not a share", k.flag, rate).
				Hint("give a number from 0 to 1; 0.01 is one message in a hundred")
		}
		sum += rate
	}
	if sum > 1+1e-9 {
		return fault.New(fault.Usage, "the fault rates sum to %v", sum).
			Hint("a message suffers at most one fault: lower the rates until they sum to 1 or less")
	}
	return nil
}

type duration struct {
	flag  string
	value time.Duration
}

func positive(ds ...duration) error {
	for _, d := range ds {
		if d.value <= 0 {
			return fault.New(fault.Usage, "%s %v is not a positive time", d.flag, d.value).
				Hint("give a time such as 5s")
		}
	}
	return nil
}

func notNegative(ds ...duration) error {
	for _, d := range ds {
		if d.value < 0 {
			return fault.New(fault.Usage, "%s %v is negative", d.flag, d.value).
				Hint("give 0 to do without, or a time such as 20ms")
		}
	}
	return nil
}
