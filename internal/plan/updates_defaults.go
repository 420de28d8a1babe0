package plan

import (
	"math"
	"time"
)

// What an updates run takes for settings that nobody gave. Batch, rate, listeners and lengths
// are those of the reference.
const (
	defaultListeners = 4
	defaultReceive   = 10
	defaultSettle    = 30 * time.Second
)

// DefaultUpdates is the plan of an updates run for which nothing was given.
func DefaultUpdates() Updates {
	return Updates{
		Load: Load{
			Clients: 2, Pipeline: 8, Rate: 45, Arrivals: Constant,
			Retry: Retry{Timeout: 5 * time.Second, Max: 5, InitialBackoff: 50 * time.Millisecond, MaxBackoff: time.Second},
		},
		Batch: 1000, Codec: "compact", KeyLength: 30, ValueLength: 10,
		Listeners: defaultListeners, Receive: defaultReceive, Settle: defaultSettle,
		Output: Output{Bucket: 10 * time.Second},
	}
}

// Resolve fills in what depends on other settings. given reports whether the flag of that
// name was set by the user. The number of batches in files is not known yet.
func (u *Updates) Resolve(given func(flag string) bool) {
	l := &u.Load
	if u.Generated() {
		if !given("duration") {
			l.Duration = DefaultDuration
		}
		if !given("warmup-time") {
			l.WarmupTime = DefaultWarmupTime
		}
	} else {
		u.KeyLength, u.ValueLength = 0, 0
	}
	if l.WarmupTime > 0 {
		l.WarmupClients = l.Clients
	}
	if !given("drain") {
		l.Drain = l.Retry.Timeout
	}
	u.SetRate(l.Rate)
	if !u.EmbeddedServer() {
		u.Listeners, u.Receive = 0, 0
	}
	if u.PublishOnly {
		u.Settle = 0
	}
}

// SetRate changes the rate, and what follows from it.
func (u *Updates) SetRate(rate float64) {
	l := &u.Load
	l.Rate = rate
	l.MaxWaiting = max(minWaiting, int64(math.Min(waitingSeconds*rate, math.MaxInt32)))
}

// SetBatches says how many batches the files hold. None of them is ever given up, however late:
// the schedule may be behind, and still each row is published.
func (u *Updates) SetBatches(n int64) {
	u.Load.Operations = n
	u.Load.MaxWaiting = max(1, n)
}
