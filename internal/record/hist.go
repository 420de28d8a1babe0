package record

import (
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/rundoc"
)

// precision is the layout of a histogram: the one of HdrHistogram with 2^(half+1) buckets to
// a doubling and a unit of 2^unit ns, so that counts go over to it one to one.
type precision struct{ unit, half int }

var (
	fine   = precision{unit: 0, half: 10} // three significant digits from 1 ns
	coarse = precision{unit: 7, half: 7}  // 1% from 128 ns
	rough  = precision{unit: 9, half: 5}  // 3% from 512 ns, for what there may be thousands of
)

// maxBits bounds a recorded time to 2^42 ns, 73 minutes. A longer one is counted in the last
// bucket; the exact maximum is kept beside it.
const maxBits = 42

func (p precision) size() int { return (maxBits - p.unit - p.half + 1) << p.half }

// index is the bucket of a time, as in HdrHistogram's countsIndexFor.
func (p precision) index(ns int64) int {
	v := uint64(min(max(ns, 0), 1<<maxBits-1)) >> p.unit
	shift := bits.Len64(v|(2<<p.half-1)) - (p.half + 1)
	return shift<<p.half + int(v>>shift)
}

// low is the smallest time of a bucket.
func (p precision) low(index int) int64 {
	shift := max(0, index>>p.half-1)
	return int64(index-shift<<p.half) << (shift + p.unit)
}

// hist counts times. Any number of goroutines may add; reading while they do sees some of it.
type hist struct {
	p      precision
	counts []atomic.Int64 // made once; pages that are never touched take no memory
	sum    atomic.Int64
	min    atomic.Int64 // of ns+1, so that 0 says none
	max    atomic.Int64
}

func newHist(p precision) *hist { return &hist{p: p, counts: make([]atomic.Int64, p.size())} }

// tally counts a time and leaves the exact figures out.
func (h *hist) tally(ns int64) { h.counts[h.p.index(ns)].Add(1) }

func (h *hist) add(ns int64) {
	h.tally(ns)
	h.sum.Add(ns)
	lower(&h.min, ns+1)
	raise(&h.max, ns)
}

func lower(to *atomic.Int64, v int64) {
	for m := to.Load(); m == 0 || v < m; m = to.Load() {
		if to.CompareAndSwap(m, v) {
			return
		}
	}
}

func raise(to *atomic.Int64, v int64) {
	for m := to.Load(); v > m; m = to.Load() {
		if to.CompareAndSwap(m, v) {
			return
		}
	}
}

// merged is the sum of histograms of one precision, for reading.
type merged struct {
	p             precision
	counts        []int64
	n             int64
	sum, min, max int64
}

// add adds the counts of another one of the same precision; the exact figures are left as they are.
func (m *merged) add(other *merged) {
	for i, c := range other.counts {
		m.counts[i] += c
	}
	m.n += other.n
}

func merge(hs ...*hist) *merged { return collect((*atomic.Int64).Load, hs) }

// drain merges the histograms and leaves them empty; what is added meanwhile is in one or
// the other.
func drain(hs ...*hist) *merged {
	return collect(func(v *atomic.Int64) int64 {
		if v.Load() == 0 {
			return 0 // a swap would touch the page
		}
		return v.Swap(0)
	}, hs)
}

func collect(read func(*atomic.Int64) int64, hs []*hist) *merged {
	m := &merged{p: fine}
	if len(hs) > 0 {
		m.p = hs[0].p
	}
	m.counts = make([]int64, m.p.size())
	for _, h := range hs {
		for i := range h.counts {
			c := read(&h.counts[i])
			m.counts[i] += c
			m.n += c
		}
		m.sum += read(&h.sum)
		if low := read(&h.min); low != 0 && (m.min == 0 || low < m.min) {
			m.min = low
		}
		m.max = max(m.max, read(&h.max))
	}
	m.min = max(m.min-1, 0)
	return m
}

// favour adds n observations as short as the shortest, if there is one.
func (m *merged) favour(n int64) {
	if m.n == 0 {
		return
	}
	m.counts[m.p.index(m.min)] += n
	m.n += n
	m.sum += n * m.min
}

// quantile is the smallest time such that the share q of the observations is not above its
// bucket: the bucket's middle, within the exact extremes if they are known; 0 when there are
// no observations.
func (m *merged) quantile(q float64) int64 {
	if m.n == 0 {
		return 0
	}
	rank := max(int64(math.Ceil(q*float64(m.n))), 1)
	for i, c := range m.counts {
		if rank -= c; rank <= 0 {
			middle := (m.p.low(i) + m.p.low(i+1)) / 2
			if m.max > 0 {
				return min(max(middle, m.min), m.max)
			}
			return middle
		}
	}
	return m.max
}

// percentile is the quantile in thousandths that a document has; 0 where the observations do not support it.
func (m *merged) percentile(permille int64) int64 {
	if !rundoc.Supports(m.n, permille) {
		return 0
	}
	return m.quantile(float64(permille) / 1000)
}

// above counts the observations in buckets above the one of ns.
func (m *merged) above(ns int64) (n int64) {
	for _, c := range m.counts[m.p.index(ns)+1:] {
		n += c
	}
	return n
}

// from counts the observations in the bucket of ns and in those above it.
func (m *merged) from(ns int64) (n int64) {
	for _, c := range m.counts[m.p.index(ns):] {
		n += c
	}
	return n
}

func (m *merged) mean() int64 {
	if m.n == 0 {
		return 0
	}
	return m.sum / m.n
}

// hdr copies the counts of a fine histogram to the library's.
func (m *merged) hdr() (*hdrhistogram.Histogram, error) {
	h := hdrhistogram.New(1, 1<<maxBits, 3)
	for i, c := range m.counts {
		if c == 0 {
			continue
		}
		if err := h.RecordValues(m.p.low(i), c); err != nil {
			return nil, err
		}
	}
	return h, nil
}
