package plan

import "time"

// Arrivals is how an open model spaces its operations.
type Arrivals string

// The arrival processes.
const (
	Poisson    Arrivals = "poisson"  // independent users: exponential gaps
	Constant   Arrivals = "constant" // a metronome: equal gaps
	Burst      Arrivals = "burst"    // all of a second's at its start, as tools send that sleep until the next second
	AsRecorded Arrivals = "recorded" // at the times that the operations have themselves; Rate is their mean
)

// Pacing is how an open model waits for the moment when an operation is due, where it is sent at that moment.
type Pacing string

// The ways to wait.
const (
	Auto  Pacing = "auto"  // Spin where there is CPU to spare, else Sleep
	Spin  Pacing = "spin"  // watch the clock for the last 60 µs: late by about a microsecond
	Sleep Pacing = "sleep" // until it is due: late by what waking takes, some tens of microseconds
)

// Load says how much traffic a run makes and for how long. It is the same for every
// workload. Settings declares how each is called and where it stands in the plan document.
type Load struct {
	Called Called // for messages, and to know which flags were given

	Seed     uint64
	Clients  int // simulated users, each with a connection of its own; the open model starts with so many
	Pipeline int // operations in flight per client, at most

	// The window ends at the first of the two that is set. Operations counts the warm-up's
	// and the ramp's too.
	Operations int64
	Duration   time.Duration

	// The closed model (Rate 0, no stages): each slot of a client starts its next operation
	// when the last has ended and ThinkTime has passed.
	ThinkTime time.Duration
	// ClientStages change the number of clients of the closed model inside the window: each moves it linearly to its
	// own number, the first from StartClients. Clients is the largest number then.
	ClientStages []ClientStage
	StartClients int

	// The open model: operations start at Rate per second, whatever the target does. Stages
	// change the rate inside the window; each moves it linearly to its own rate.
	Rate     float64
	Arrivals Arrivals
	Recorded bool // the operations have times of their own: Arrivals may be AsRecorded
	Stages   []Stage
	Pacing   Pacing
	Realtime bool // the thread that sends runs before all others
	// MaxClients is the number of clients up to which the open model adds one whenever an operation is due and all
	// clients are busy. 0 in the closed model, and where clients are never added.
	MaxClients int
	// MaxWaiting bounds the operations that are due and wait for a free client; one that
	// comes due beyond it is counted unsent.
	MaxWaiting int64

	// Ramp brings the load up linearly before the window: clients one after the other in the
	// closed model, the rate in the open one.
	Ramp time.Duration

	// The warm-up has clients of its own, each doing WarmupOperations or going on for
	// WarmupTime, whichever ends first (0: no such limit; both 0: no warm-up). In the open
	// model it keeps to Rate.
	WarmupClients    int
	WarmupOperations int64
	WarmupTime       time.Duration

	// Drain bounds the wait for what is in flight when the window ends.
	Drain time.Duration

	Retry Retry
}

// Called is what a kind of traffic calls its operations, and the flags that count them.
type Called struct {
	Operation, Operations string // one, and several
	Count                 string // the flag of Load.Operations
	Warmup                string // and that of Load.WarmupOperations
}

// called is what the operations are called: messages where nobody says so.
func (l *Load) called() Called {
	if l.Called == (Called{}) {
		return Called{Operation: "message", Operations: "messages", Count: "messages", Warmup: "warmup-messages"}
	}
	return l.Called
}

// MostClients returns the largest number of clients that the window may have.
func (l *Load) MostClients() int { return max(l.Clients, l.MaxClients) }

// Open reports whether the load is an open model.
func (l *Load) Open() bool { return l.Rate > 0 || len(l.Stages) > 0 }

// Staged reports whether stages of the rate or of the number of clients say how long the window is.
func (l *Load) Staged() bool { return len(l.Stages) > 0 || len(l.ClientStages) > 0 }

// Stage is a part of the window in the open model.
type Stage struct {
	Duration time.Duration `json:"duration_ns"`
	Rate     float64       `json:"rate_per_s"` // reached at the end of the stage
}

// ClientStage is a part of the window in the closed model.
type ClientStage struct {
	Duration time.Duration `json:"duration_ns"`
	Clients  int           `json:"clients"` // reached at the end of the stage
}

// Retry says how long an attempt may take and what follows when it fails.
type Retry struct {
	// Timeout bounds one attempt, from its start to its answer. Where it needs a new
	// connection first, connecting has as much time again.
	Timeout        time.Duration
	Max            int // attempts after the first
	InitialBackoff time.Duration
	MaxBackoff     time.Duration
}

// Window is how long the window lasts: the stages in all, or Duration; 0 when only the
// number of operations ends it.
func (l *Load) Window() time.Duration {
	if !l.Staged() {
		return l.Duration
	}
	var sum time.Duration
	for _, s := range l.ClientStages {
		sum += s.Duration
	}
	for _, s := range l.Stages {
		sum += s.Duration
	}
	return sum
}

// Output says which files a run writes beside the saved run document.
type Output struct {
	Samples string
	Warmup  bool // the warm-up's and the ramp's samples, too
	Buckets string
	Chart   string
	Bucket  time.Duration // width of a throughput bucket
}
