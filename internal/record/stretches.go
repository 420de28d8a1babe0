package record

import (
	"math/bits"
	"sync/atomic"

	"github.com/plimsoll/plimsoll/rundoc"
)

// sliced is the layout of a slice's histogram: 3% from 4 µs, in steps of 128 ns below it. Each of its
// buckets is some of a coarse one's.
var sliced = precision{unit: 7, half: 5}

// stretches are the response times by slices of time. Beyond MaxSlices of them, each two become one.
type stretches struct {
	width  int64   // seconds of each
	number int64   // of those that have begun
	counts []int64 // of all that there may be, made once
}

func newStretches() stretches {
	return stretches{width: 1, counts: make([]int64, rundoc.MaxSlices*sliced.size())}
}

// of is the counts of a slice.
func (s *stretches) of(i int64) []int64 {
	size := int64(sliced.size())
	return s.counts[i*size : (i+1)*size]
}

// add counts what ended in a second.
func (s *stretches) add(sec int64, m *merged) {
	for sec/s.width >= rundoc.MaxSlices {
		s.halve()
	}
	s.number = max(s.number, sec/s.width+1)
	to := s.of(sec / s.width)
	for i, n := range m.counts {
		if n != 0 {
			to[sliced.index(m.p.low(i))] += n
		}
	}
}

func (s *stretches) halve() {
	for i := range s.number {
		if i > 0 {
			move(s.of(i/2), s.of(i))
		}
	}
	s.number = (s.number + 1) / 2
	s.width *= 2
}

// move adds counts to others and clears them.
func move(to, from []int64) {
	for i, n := range from {
		if n != 0 { // a page that was never touched takes no memory
			to[i] += n
			from[i] = 0
		}
	}
}

// end adds what lies behind the last second, by a stamp's rounding, to the slice of that.
func (s *stretches) end(last int64) {
	for ; s.number > last/s.width+1; s.number-- {
		move(s.of(s.number-2), s.of(s.number-1))
	}
}

// document writes the slices of a window whose last second is this one. A time is written as the middle of
// its bucket.
func (s *stretches) document(last int64) ([]rundoc.Slice, error) {
	list := make([]rundoc.Slice, s.number)
	for i := range s.number {
		h := rundoc.NewSliceHistogram()
		for k, n := range s.of(i) {
			if n == 0 {
				continue
			}
			if err := h.RecordValues((sliced.low(k)+sliced.low(k+1))/2, n); err != nil {
				return nil, err
			}
		}
		from := i * s.width
		list[i] = rundoc.Slice{
			FromS: from, Seconds: min(s.width, last+1-from), ResponseTime: rundoc.SummarizeSlice(h),
		}
	}
	return list, nil
}

// longCounts count by the second, as exactly as the points of a window that long are: each of the first
// maxPoints seconds has a counter, then each two of as many more, each four of twice as many, and so on. So
// an operation is counted by when it was due, however much later it ends, without a lock.
type longCounts []atomic.Int64

// doublings of maxPoints seconds are three months. What comes later is counted at their end.
const doublings = 10

func newLongCounts() longCounts { return make(longCounts, maxPoints+doublings*maxPoints/2) }

func (l longCounts) add(sec int64) {
	i := max(sec, 0)
	if i >= maxPoints {
		d := bits.Len64(uint64(i / maxPoints))
		i = maxPoints/2*int64(d) + i>>d
	}
	l[min(i, int64(len(l)-1))].Add(1)
}

// drain calls f with the first second of each counter that is not 0, and clears it.
func (l longCounts) drain(f func(sec, n int64)) {
	l.visit(func(v *atomic.Int64) int64 { return v.Swap(0) }, f)
}

// each calls f with the first second of each counter that is not 0.
func (l longCounts) each(f func(sec, n int64)) { l.visit((*atomic.Int64).Load, f) }

func (l longCounts) visit(read func(*atomic.Int64) int64, f func(sec, n int64)) {
	for i := range l {
		n := read(&l[i])
		if n == 0 {
			continue
		}
		sec := int64(i)
		if d := (sec - maxPoints/2) / (maxPoints / 2); d > 0 {
			sec = (sec - maxPoints/2*d) << d
		}
		f(sec, n)
	}
}
