package chat

import "time"

// kind is a fault that one message suffers.
type kind struct {
	name string // the metric's label
	flag string
	rate func(*Faults) float64
}

// The faults, in the order in which they share out the interval of the draw. The order is
// part of what a seed means: drop comes first, so that the dropped messages stay the same
// when another rate changes.
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
	none = kindCount // no fault
	// heldInVain is what a reorder comes to when no answer overtakes it in time. It is
	// counted apart, since the client sees nothing but a late answer.
	heldInVain = kindCount + 1
)

var kinds = [kindCount]kind{
	drop:      {"drop", "--drop-rate", func(f *Faults) float64 { return f.DropRate }},
	refuse:    {"error", "--error-rate", func(f *Faults) float64 { return f.ErrorRate }},
	silent:    {"silent", "--silent-rate", func(f *Faults) float64 { return f.SilentRate }},
	garbage:   {"garbage", "--garbage-rate", func(f *Faults) float64 { return f.GarbageRate }},
	duplicate: {"duplicate", "--duplicate-rate", func(f *Faults) float64 { return f.DuplicateRate }},
	late:      {"late", "--late-rate", func(f *Faults) float64 { return f.LateRate }},
	reorder:   {"reorder", "--reorder-rate", func(f *Faults) float64 { return f.ReorderRate }},
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
	return f.Delay > 0 || f.Jitter > 0 || f.Fragment > 0 || f.StallFor > 0
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
	d := decision{fault: none, delay: f.Delay}
	u := f.draw(number, drawKind)
	for i, k := range kinds {
		rate := k.rate(f)
		if u < rate {
			d.fault = i
			break
		}
		u -= rate
	}
	if f.Jitter > 0 {
		d.delay += time.Duration(f.draw(number, drawJitter) * float64(f.Jitter))
	}
	if f.Fragment > 0 {
		d.cut = f.draw(number, drawCut)
	}
	return d
}

// draw is a number in [0, 1) that depends on nothing but its arguments and the seed.
func (f *Faults) draw(number, stream uint64) float64 {
	x := scramble(f.Seed)
	x = scramble(x ^ scramble(number))
	x = scramble(x ^ scramble(stream))
	return float64(x>>11) / (1 << 53)
}

// scramble is one step of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
// number generators", OOPSLA 2014): neighbouring inputs give unrelated outputs.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
