package main

import "math/rand/v2"

// arrivals are the first n intended starts of a Poisson process of this rate, in ns since the start
// of the window. They are written here a second time, as docs/chat.md and the engine have them: a
// pure function of the seed. Should the engine's change, messages come to the server before they are
// due by these, and the trial fails.
func arrivals(seed uint64, rate float64, n int) []int64 {
	list := make([]int64, n)
	unit := 0.0
	for i := range list {
		unit += rand.New(rand.NewPCG(seed, uint64(i))).ExpFloat64()
		list[i] = int64(unit / rate * 1e9)
	}
	return list
}

// arrival is when a message came to the server, by the wall clock in ns.
type arrival struct {
	Index  uint64 // of the message in its run
	Kernel int64  // when the kernel got it; 0 when it did not say
	Read   int64  // when the server had read it
}
