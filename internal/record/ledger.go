package record

import (
	"fmt"

	"github.com/plimsoll/plimsoll/rundoc"
)

// State is what a slot's time is spent on.
type State uint8

// The states, in the order of rundoc.States.
const (
	Connecting State = iota
	Waiting
	Preparing
	Sending
	Awaiting
	BackingOff
	Reconnecting
	Idle
	Pausing
	states
)

// Ledger sums up a slot's time inside the window by state, in ns. It belongs to one
// goroutine.
type Ledger [states]int64

// Add charges the part of from…to that lies between start and end to a state.
func (l *Ledger) Add(s State, from, to, start, end int64) {
	if from, to = max(from, start), min(to, end); from < to {
		l[s] += to - from
	}
}

// Merge adds another slot's times.
func (l *Ledger) Merge(other *Ledger) {
	for s, ns := range other {
		l[s] += ns
	}
}

// document spreads the slots' times over the clients: each of a client's slots carries an
// equal part of its time. Where operations do not come in flows, nobody pauses in one.
func (l *Ledger) document(slotsPerClient int, flows bool) map[string]int64 {
	doc := make(map[string]int64, states)
	for s, ns := range l {
		if State(s) != Pausing || flows {
			doc[rundoc.States[s]] = ns / int64(slotsPerClient)
		}
	}
	return doc
}

// Stamps count the answered attempts by what the kernel's stamps tell of when their answer came: that it is known,
// that it is not, that it cannot have been then. They belong to one goroutine.
type Stamps struct {
	Used, Missing, Refused int64
	Unseen                 string // why there are none; ""
}

// Count counts an answer.
func (c *Stamps) Count(known, refused bool) {
	switch {
	case known:
		c.Used++
	case refused:
		c.Refused++
	default:
		c.Missing++
	}
}

// Add adds another slot's.
func (c *Stamps) Add(other *Stamps) {
	c.Used += other.Used
	c.Missing += other.Missing
	c.Refused += other.Refused
}

// unseen says why the stamps do not tell of the run, or "". At its beginning, answers may come before the kernel
// stamps.
func (c *Stamps) unseen() string {
	const few = 20 // one in so many
	switch all := c.Used + c.Missing + c.Refused; {
	case c.Unseen != "":
		return c.Unseen
	case (c.Missing+c.Refused)*few > all:
		return fmt.Sprintf("only %d of %d responses have one", c.Used, all)
	}
	return ""
}
