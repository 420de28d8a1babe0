package record

import "github.com/plimsoll/plimsoll/rundoc"

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
// equal part of its time.
func (l *Ledger) document(slotsPerClient int) map[string]int64 {
	doc := make(map[string]int64, states)
	for s, ns := range l {
		doc[rundoc.States[s]] = ns / int64(slotsPerClient)
	}
	return doc
}

// Stamps count the attempts by what the kernel's stamps tell of when their answer came. They belong to one goroutine.
type Stamps struct {
	Used, Missing, Refused int64
	Unseen                 string // why there are none; ""
}

// Add adds another slot's.
func (c *Stamps) Add(other *Stamps) {
	c.Used += other.Used
	c.Missing += other.Missing
	c.Refused += other.Refused
}
