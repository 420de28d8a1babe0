// Package peer finds the process at the other end of a connection of this machine, and how long its
// threads waited for a processor, so that a server can tell its clients apart and what of their
// times was the machine's. Only Linux says so, of processes that this one may look at.
//
// Processes may be used by any number of goroutines, and so may a Process until it is released.
package peer

import "time"

// Reading is what is known of a process at a moment.
type Reading struct {
	PID int
	// Age is how long ago the process began at least: it may be older by 10 ms, the kernel's tick.
	Age time.Duration
	// Waited is how long its threads were ready to run, and waited for a processor, since they began:
	// all of them together, so that it may be more than the time that has gone. Of a thread that began
	// and ended between two readings it is not known.
	Waited time.Duration
	// Busiest is that of the thread that was woken most often, as far as it was that: of a client that
	// does one thing after the other, the one that did it.
	Busiest time.Duration
	Timed   bool // Waited and Busiest are known
	// CPU is what it used of the CPUs since it began, threads that have ended included; 0: not known.
	CPU time.Duration
}
