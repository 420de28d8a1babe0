package server

// Draws are the random numbers behind the faults that a server has on request: pure functions of
// the seed, which it is, and of what they are drawn for, so that the same seed and the same
// requests give the same faults.
type Draws uint64

// Draw is a number in [0, 1) for the request of this number. Streams are independent draws for
// one request.
func (seed Draws) Draw(number, stream uint64) float64 {
	x := scramble(uint64(seed))
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

// Pick shares out the interval of one draw among faults of which a request suffers at most one,
// so that each rate is kept exactly. It gives the fault's index, or len(rates) for none. The
// order is part of what a seed means: the first one's requests stay the same when another rate
// changes.
func Pick(draw float64, rates ...float64) int {
	for i, rate := range rates {
		if draw < rate {
			return i
		}
		draw -= rate
	}
	return len(rates)
}
