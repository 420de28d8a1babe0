package stats

import (
	"math"
	"math/bits"
	"slices"
)

// Sequence counts values that come one after the other, by batches of equally many: how much neighbours are alike where
// only their order is known. Beyond so many batches, each two become one. The zero value is empty; it takes its
// memory at the first value, and none later. It belongs to one goroutine.
type Sequence struct {
	counts []uint32 // by batch and coarse bin
	number int      // of batches, of which the last one goes on
	each   int      // values that make one
	last   int      // values in the last one
}

const (
	// mostBatches bounds how many batches a sequence has. A power of two.
	mostBatches = 128
	// coarser is how many bins are one of a sequence: 6% wide.
	coarser = 4
	coarse  = Bins / coarser
)

// Add takes the next value.
func (s *Sequence) Add(v int64) {
	if s.last == s.each {
		s.begin()
	}
	s.batch(s.number - 1)[Bin(v)/coarser]++
	s.last++
}

// begin begins a batch.
func (s *Sequence) begin() {
	if s.counts == nil {
		s.counts, s.each = make([]uint32, mostBatches*coarse), 1
	}
	if s.number == mostBatches {
		for i := 1; i < mostBatches; i++ {
			from, to := s.batch(i), s.batch(i/2)
			for bin, n := range from {
				to[bin] += n
				from[bin] = 0
			}
		}
		s.number, s.each = mostBatches/2, 2*s.each
	}
	s.number, s.last = s.number+1, 0
}

func (s *Sequence) batch(i int) []uint32 { return s.counts[i*coarse : (i+1)*coarse] }

// Clone is a copy.
func (s *Sequence) Clone() Sequence {
	c := *s
	c.counts = slices.Clone(s.counts)
	return c
}

// Above counts each batch's values above a quantile of all, as QuantileRanks asks for them.
func (s *Sequence) Above(quantile float64) []Batch {
	var all [coarse]uint32
	for i := range s.number {
		for bin, n := range s.batch(i) {
			all[bin] += n
		}
	}
	cut := Cut(all[:], quantile)
	list := make([]Batch, s.number)
	for i := range list {
		for bin, n := range s.batch(i) {
			list[i].N += int64(n)
			if bin > cut {
				list[i].Above += int64(n)
			}
		}
	}
	return list
}

// Parts are the sums and the numbers of the batches' values, within a bin.
func (s *Sequence) Parts() []Part {
	list := make([]Part, s.number)
	for i := range list {
		for bin, n := range s.batch(i) {
			list[i].All += float64(n)
			list[i].Of += float64(n) * (BinLow(coarser*bin) + BinLow(coarser*(bin+1))) / 2
		}
	}
	return list
}

// Cut is the bin that the share of values above it is nearest to that above a quantile, by its odds; one with values on
// either side, if there is one.
func Cut(bins []uint32, quantile float64) (cut int) {
	var all int64
	for _, n := range bins {
		all += int64(n)
	}
	best, over := math.Inf(1), all
	want := math.Log((1 - quantile) / quantile)
	for i, n := range bins {
		over -= int64(n)
		if n == 0 {
			continue
		}
		if off := math.Abs(math.Log(float64(over)/float64(all-over)) - want); off < best {
			cut, best = i, off
		}
	}
	return cut
}

// The bins of times: 64 to a doubling, so that one is 1.6% wide at most.
const (
	binBits = 6
	binMost = 1<<42 - 1 // 73 minutes in ns; what is longer counts as that long
	// Bins is how many there are.
	Bins = (42 - binBits + 1) << binBits
)

// Bin is that of a time in ns.
func Bin(ns int64) int {
	v := uint64(min(max(ns, 0), binMost))
	shift := max(bits.Len64(v)-(binBits+1), 0)
	return shift<<binBits + int(v>>shift)
}

// BinLow is the shortest time of a bin.
func BinLow(bin int) float64 {
	shift := max(bin>>binBits-1, 0)
	return float64(int64(bin-shift<<binBits) << shift)
}
