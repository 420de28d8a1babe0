package chat

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/server"
)

// kind is a fault that one message suffers.
type kind struct {
	name string // the metric's label
	rate func(*Faults) float64
}

// The faults, in the order in which they share out the interval of the draw: drop comes first,
// so that the dropped messages stay the same when another rate changes.
const (
	drop = iota
	refuse
	silent
	garbage
	duplicate
	late
	reorder
	kindCount
)

const (
	none = kindCount // no fault, as server.Pick has it
	// heldInVain is what a reorder comes to when no answer overtakes it in time. It is
	// counted apart, since the client sees nothing but a late answer.
	heldInVain = kindCount + 1
)

var kinds = [kindCount]kind{
	drop:      {"drop", func(f *Faults) float64 { return f.DropRate }},
	refuse:    {"error", func(f *Faults) float64 { return f.ErrorRate }},
	silent:    {"silent", func(f *Faults) float64 { return f.SilentRate }},
	garbage:   {"garbage", func(f *Faults) float64 { return f.GarbageRate }},
	duplicate: {"duplicate", func(f *Faults) float64 { return f.DuplicateRate }},
	late:      {"late", func(f *Faults) float64 { return f.LateRate }},
	reorder:   {"reorder", func(f *Faults) float64 { return f.ReorderRate }},
}

// reorderPatience is how long an answer is held back for want of one to overtake it.
const reorderPatience = 50 * time.Millisecond

// any reports whether an answer may be anything but written at once.
func (f *Faults) any() bool {
	for _, k := range kinds {
		if k.rate(f) > 0 {
			return true
		}
	}
	return f.anyOfDeliveries() || f.Delay > 0 || f.Jitter > 0 || f.Fragment > 0 || f.StallFor > 0
}

// anyOfDeliveries reports whether a delivery may be anything but sent once and in order.
func (f *Faults) anyOfDeliveries() bool {
	return f.BroadcastLoss+f.BroadcastDuplicates+f.BroadcastSwaps > 0
}

// decision is what happens to the answer to one message.
type decision struct {
	fault int           // an index of kinds, or none
	delay time.Duration // Delay and the message's jitter
	cut   float64       // in [0, 1): where a fragmented answer is cut into two TCP writes
}

// The independent draws of a decision.
const (
	drawKind = iota
	drawJitter
	drawCut
)

// decide is a pure function of the seed and the message's number.
func (f *Faults) decide(number uint64) decision {
	seed := server.Draws(f.Seed)
	var rates [kindCount]float64
	for i, k := range kinds {
		rates[i] = k.rate(f)
	}
	d := decision{fault: server.Pick(seed.Draw(number, drawKind), rates[:]...), delay: f.Delay}
	if f.Jitter > 0 {
		d.delay += time.Duration(seed.Draw(number, drawJitter) * float64(f.Jitter))
	}
	if f.Fragment > 0 {
		d.cut = seed.Draw(number, drawCut)
	}
	return d
}
