package record

import (
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/instrument"
)

// Phase is a part of the run.
type Phase struct {
	Name       string
	Started    time.Time
	Length     time.Duration
	Operations int64
	OK         int64
	Inside     int64         // ended ok before the phase did, whenever they began
	Mean       time.Duration // service time of those
}

// Run is everything that was recorded in a run. The engine fills it; Document makes the run
// document of it.
type Run struct {
	Started, Ended time.Time
	Interrupted    bool
	Aborted        bool   // what came of the window so far ended it
	Clients, Slots int    // at the end; slots of each client
	MaxClients     int    // that the open model could have used; 0 in the closed model
	Pacing         string // how the sending of what is due was waited for; "" where the slots send
	Kinds          []Kind
	Flows          []string // where operations come in flows
	Phases         []Phase

	Window        *Recorder
	Start, End    int64   // of the window, stamps
	Scheduled     int64   // in all, as the schedule counted them
	Begun, Unsent []int64 // by kind, as the slots and the schedule counted them
	Ledger        Ledger
	Reading       instrument.Reading // of the window
	ClockStep     time.Duration      // of the wall clock against the monotonic clock, over the whole run
	TargetUser    time.Duration
	TargetSystem  time.Duration
	FlightTime    int64 // time that operations were in flight inside the window, as the slots measured it; ns
	Connections   *Connections
	Stamps        *Stamps // nil where the workload has none

	// Of a load that went on by turns with another: its slices, and for how long its clock stood still.
	Turns int
	Held  time.Duration
}

// Connections counts what became of connections, over the whole run. It is safe for concurrent use.
type Connections struct {
	opened, failed atomic.Int64
	times          *Ordered
}

// NewConnections makes an empty count.
func NewConnections() *Connections {
	return &Connections{times: NewOrdered()}
}

// Opened counts a connection that took this time to establish.
func (c *Connections) Opened(took int64) {
	c.opened.Add(1)
	c.times.Add(took)
}

// Failed counts a try to connect that failed.
func (c *Connections) Failed() { c.failed.Add(1) }
