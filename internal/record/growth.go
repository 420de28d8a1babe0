package record

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Time is one of the times of an operation.
type Time int

// The times of operations whose growth is known. In the closed model the response time is the service time, and there
// is no send delay.
const (
	Service Time = iota
	Response
	SendDelay
	send // the stages of an attempt
	wait
	body
	timeCount
)

const (
	// firstStretch is how long the first stretches of time are, and perHistogram for each histogram that is
	// looked at, which takes some 10 µs.
	firstStretch = 20e6 // ns
	perHistogram = 1e6
	// maxStretches is how many there are at most, and manyKinds the number of kinds above which there are half as many.
	maxStretches = 128
	manyKinds    = 8
)

// growth is how the histograms of a window grew: stretch of time by stretch of time what came to each. It is found by
// looking at the histograms from time to time, and costs those who record nothing. Beyond maxStretches, each two
// neighbours become one, and so every look comes half as often.
type growth struct {
	next atomic.Int64 // stamp of the next look

	mu      sync.Mutex
	times   []*grown // by timeAt and flowAt, nil where a time is not known; nil until the first look
	width   int64
	most    int
	ends    []int64  // stamps
	scratch []uint32 // of a look
}

// timeAt is the place of a time of a kind in growth.times, and flowAt that of a flow of so many kinds.
func timeAt(kind int, of Time) int { return kind*int(timeCount) + int(of) }
func flowAt(kinds, flow int) int   { return kinds*int(timeCount) + flow }

// grown is how one time of one kind, or that of a flow, grew.
type grown struct {
	of   []*hist
	seen []uint32 // counts by coarse bucket, at the last look
	list []counted
}

// counted are the times of a stretch, by coarse bucket from low on. It is not changed once it is made.
type counted struct {
	n      int64
	low    int
	counts []uint32
}

// Stretch looks at how the histograms have grown, if that is due at this stamp. It is for one goroutine, and for the
// open window.
func (r *Recorder) Stretch(stamp int64) {
	g := &r.growth
	if stamp < g.next.Load() {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.times == nil {
		g.begin(r)
		g.next.Store(r.start + g.width)
		return
	}
	if len(g.ends) == g.most {
		g.halve()
	}
	g.look(stamp)
	g.next.Store(max(stamp+g.width/2, r.start+((stamp-r.start)/g.width+1)*g.width))
}

// begin prepares for the first look.
func (g *growth) begin(r *Recorder) {
	first := &r.shards[0]
	g.times = make([]*grown, flowAt(len(first.kinds), len(first.flows)))
	all := 0
	add := func(at int, hs []*hist) {
		if hs[0] == nil {
			return
		}
		if g.times[at] == nil {
			g.times[at] = &grown{seen: make([]uint32, coarse.size())}
		}
		g.times[at].of = append(g.times[at].of, hs...)
		all += len(hs)
	}
	for i := range r.shards {
		s := &r.shards[i]
		for kind := range s.kinds {
			for of, hs := range s.kinds[kind].timed() {
				add(timeAt(kind, Time(of)), hs)
			}
		}
		for flow := range s.flows {
			add(flowAt(len(s.kinds), flow), []*hist{s.flows[flow].response})
		}
	}
	g.scratch = make([]uint32, coarse.size())
	g.width = max(firstStretch, int64(all)*perHistogram)
	g.most = maxStretches
	if len(first.kinds)+len(first.flows) > manyKinds {
		g.most /= 2
	}
}

// timed are the histograms of each of the times whose growth is known.
func (k *kindCounts) timed() [timeCount][]*hist {
	return [timeCount][]*hist{Service: {k.single, k.retried}, Response: {k.response}, SendDelay: {k.delay},
		send: {k.send}, wait: {k.wait}, body: {k.body}}
}

// lastStretch takes what came since the last look, when nothing is recorded any more; at the end of the window.
func (r *Recorder) lastStretch(stamp int64) {
	g := &r.growth
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.times == nil {
		g.begin(r)
	}
	g.look(stamp)
}

func (g *growth) look(stamp int64) {
	g.ends = append(g.ends, stamp)
	for _, t := range g.times {
		if t != nil {
			t.list = append(t.list, t.look(g.scratch))
		}
	}
}

// look finds what came to the histograms since the last one.
func (t *grown) look(now []uint32) counted {
	clear(now)
	low, high := len(now), -1
	for _, h := range t.of {
		shortest, longest := h.min.Load(), h.max.Load()
		if shortest == 0 {
			continue // it is empty
		}
		from, to := h.p.index(shortest-1), h.p.index(longest)
		for i := from; i <= to; i++ {
			if n := h.counts[i].Load(); n != 0 {
				now[coarse.index(h.p.low(i))] += uint32(n)
			}
		}
		low, high = min(low, coarse.index(shortest-1)), max(high, coarse.index(longest))
	}
	for low <= high && now[low] == t.seen[low] {
		low++
	}
	for high >= low && now[high] == t.seen[high] {
		high--
	}
	if low > high {
		return counted{}
	}
	c := counted{low: low, counts: make([]uint32, high-low+1)}
	for i := range c.counts {
		d := now[low+i] - t.seen[low+i] // also where they have wrapped around
		c.counts[i] = d
		c.n += int64(d)
		t.seen[low+i] = now[low+i]
	}
	return c
}

func (g *growth) halve() {
	for i := range len(g.ends) / 2 {
		g.ends[i] = g.ends[2*i+1]
	}
	g.ends = g.ends[:len(g.ends)/2]
	for _, t := range g.times {
		if t == nil {
			continue
		}
		for i := range g.ends {
			t.list[i] = t.list[2*i].plus(t.list[2*i+1])
		}
		clear(t.list[len(g.ends):])
		t.list = t.list[:len(g.ends)]
	}
	g.width *= 2
}

// plus are the times of two.
func (c counted) plus(other counted) counted {
	switch {
	case other.n == 0:
		return c
	case c.n == 0:
		return other
	}
	low := min(c.low, other.low)
	sum := counted{n: c.n + other.n, low: low}
	sum.counts = make([]uint32, max(c.low+len(c.counts), other.low+len(other.counts))-low)
	for _, one := range []counted{c, other} {
		for i, n := range one.counts {
			sum.counts[one.low-low+i] += n
		}
	}
	return sum
}

// Course is a time of some kinds of operations in the order of when they ended: all of its values, and how many of
// them each stretch of time had. It is a copy, for one goroutine.
type Course struct {
	all  *merged
	list []counted
}

// course is that of a time of the kinds that are taken.
func (r *Recorder) course(of Time, takes func(kind int) bool) *Course {
	if (of == Response || of == SendDelay) && !r.open {
		of = Service
	}
	var hs []*hist
	var places []int
	for kind := range r.shards[0].kinds {
		if !takes(kind) {
			continue
		}
		for i := range r.shards {
			hs = append(hs, r.shards[i].kinds[kind].timed()[of]...)
		}
		places = append(places, timeAt(kind, of))
	}
	return r.courseOf(hs, places...)
}

// flowCourse is that of a flow's time.
func (r *Recorder) flowCourse(flow int) *Course {
	var hs []*hist
	for i := range r.shards {
		hs = append(hs, r.shards[i].flows[flow].response)
	}
	return r.courseOf(hs, flowAt(len(r.shards[0].kinds), flow))
}

// courseOf is that of these histograms, whose growth is at these places.
func (r *Recorder) courseOf(hs []*hist, places ...int) *Course {
	g := &r.growth
	g.mu.Lock()
	defer g.mu.Unlock()
	c := &Course{all: merge(hs...), list: make([]counted, len(g.ends))}
	for _, at := range places {
		for i := range c.list {
			c.list[i] = c.list[i].plus(g.times[at].list[i])
		}
	}
	return c
}

// Quantile is a quantile of a course, with the interval within this one run: two runs differ by more.
type Quantile struct {
	Value int64 // ns; the largest that is equivalent to it, at three significant digits
	// Low and High are the ends of the 95% confidence interval, ns.
	Low, High int64
	Effective float64 // as many independent operations would say as much
	Absent    string  // why there is no interval; "" if there is one
}

// within is a quantile with its interval; above is of values in the same order, as stats.QuantileRanks asks for it.
func (m *merged) within(q float64, above func(float64) []stats.Batch) Quantile {
	if m.n == 0 {
		return Quantile{Absent: "no times recorded"}
	}
	_, value := m.atRank(max(1, int64(q*float64(m.n)+0.5)))
	r := stats.QuantileRanks(m.n, q, above)
	of := Quantile{Value: value, Effective: r.Effective, Absent: r.Absent}
	if r.Absent == "" {
		of.Low, _ = m.atRank(r.Low)
		_, of.High = m.atRank(r.High)
		of.Low, of.High = min(of.Low, value), max(of.High, value)
	}
	return of
}

// atRank are the shortest and the longest time that are equivalent to the one of a rank, from 1 on, within the exact
// extremes.
func (m *merged) atRank(rank int64) (low, high int64) {
	within := func(ns int64) int64 { return max(m.min, min(ns, m.max)) }
	for i, n := range m.counts {
		if rank -= n; rank <= 0 {
			return within(m.p.low(i)), within(m.p.low(i+1) - 1)
		}
	}
	return m.max, m.max
}

// parts are the sums and numbers of the stretches' values, within a bucket.
func (c *Course) parts() []stats.Part {
	parts := make([]stats.Part, len(c.list))
	for i, s := range c.list {
		parts[i].All = float64(s.n)
		for k, n := range s.counts {
			parts[i].Of += float64(n) * float64(coarse.low(s.low+k)+coarse.low(s.low+k+1)) / 2
		}
	}
	return parts
}

// intervals fills in those of the summary of values: by how much values in the same order are alike.
func (m *merged) intervals(s *rundoc.Summary, above func(float64) []stats.Batch, parts []stats.Part) {
	s.SetIntervals(func(permille int64) *rundoc.Interval {
		q := m.within(float64(permille)/1000, above)
		if q.Absent != "" {
			return nil
		}
		return &rundoc.Interval{LowNS: q.Low, HighNS: q.High, Effective: q.Effective}
	}, m.meanWithin(parts))
}

// meanWithin is the interval of the mean: as far as the means of the parts differ.
func (m *merged) meanWithin(parts []stats.Part) *rundoc.Interval {
	_, half, known := stats.MeanOf(parts)
	if !known || m.n == 0 {
		return nil
	}
	mean, n, squares := float64(m.mean()), float64(m.n), 0.0
	for i, count := range m.counts {
		if count != 0 {
			off := float64(m.p.low(i)+m.p.low(i+1))/2 - mean
			squares += float64(count) * off * off
		}
	}
	of := &rundoc.Interval{LowNS: max(m.min, int64(mean-half)), Effective: n,
		HighNS: min(m.max, int64(math.Ceil(mean+half))+1)}
	if standard := half / normal975; standard > 0 {
		of.Effective = max(1, min(n, squares/n/(standard*standard)))
	}
	return of
}

// normal975 is the 97.5% quantile of the normal distribution.
const normal975 = 1.959963984540054

// above counts each stretch's values above the bucket that is nearest to a quantile.
func (c *Course) above(q float64) []stats.Batch {
	var all counted
	for _, s := range c.list {
		all = all.plus(s)
	}
	cut := all.low + stats.Cut(all.counts, q)
	list := make([]stats.Batch, len(c.list))
	for i, s := range c.list {
		list[i].N = s.n
		for k, n := range s.counts {
			if s.low+k > cut {
				list[i].Above += int64(n)
			}
		}
	}
	return list
}
