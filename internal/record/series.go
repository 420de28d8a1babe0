package record

import (
	"sync"
	"sync/atomic"
)

// Point is one second of the window.
type Point struct {
	Second            int64
	OK, Failed, Bytes int64
	P50, P99          int64   // response time, ns; 0 when nothing ended
	InFlight          float64 // mean of the samples taken in this second
	samples, inFlight int64
}

// sampled is InFlight, if there was a sample.
func (p *Point) sampled() *float64 {
	if p.samples == 0 {
		return nil
	}
	return &p.InFlight
}

// ahead is how many seconds have counters at the same time: the one that goes on, and those
// before it that a slot may still be writing to or the collector has not yet read.
const ahead = 8

const second = int64(1e9)

// series counts by the second in which an operation ended.
//
// A ring of counters holds the latest seconds. The collector reads a second when it is well
// over, clears it and moves on; an operation that comes later than that (its goroutine was
// held up for seconds) is counted in the oldest second that is still open, so none is lost.
type series struct {
	start  int64
	shards []seriesShard
	oldest atomic.Int64 // first second not yet collected

	mu     sync.Mutex
	points []Point
}

type seriesShard struct {
	ring [ahead]secondCounts
}

type secondCounts struct {
	ok, failed, bytes atomic.Int64
	response          *hist
}

func newSeries(shards int, start int64) *series {
	s := &series{start: start, shards: make([]seriesShard, shards)}
	for i := range s.shards {
		for j := range s.shards[i].ring {
			s.shards[i].ring[j].response = newHist(coarse)
		}
	}
	return s
}

func (s *series) record(shard int, o *Operation) {
	oldest := s.oldest.Load()
	at := min(max((o.End-s.start)/second, oldest), oldest+ahead-1)
	c := &s.shards[shard%len(s.shards)].ring[at%ahead]
	if o.Outcome == OK {
		c.ok.Add(1)
		c.bytes.Add(o.Bytes)
	} else {
		c.failed.Add(1)
	}
	if o.responded() {
		c.response.tally(o.End - o.Intended)
	}
}

// sample notes that n operations were in flight at this stamp.
func (s *series) sample(stamp, n int64) {
	if stamp < s.start {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.point((stamp - s.start) / second)
	p.samples++
	p.inFlight += n
}

// point is the point of a second; those up to it are made.
func (s *series) point(sec int64) *Point {
	for int64(len(s.points)) <= sec {
		s.points = append(s.points, Point{Second: int64(len(s.points))})
	}
	return &s.points[sec]
}

// collect reads the seconds that were over at this stamp, and returns the last one ever read.
func (s *series) collect(stamp int64) Point {
	s.collectTo((stamp - s.start) / second)
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := s.oldest.Load() - 1; last >= 0 {
		return s.points[last]
	}
	return Point{}
}

// collectTo reads the seconds before sec.
func (s *series) collectTo(sec int64) {
	for at := s.oldest.Load(); at < sec; at++ {
		s.read(at)
		s.oldest.Store(at + 1)
	}
}

// finish reads what is left, when nothing is recorded any more; length is the window's.
func (s *series) finish(length int64) []Point {
	// Late operations may lie up to a ring's length beyond the oldest second.
	s.collectTo(s.oldest.Load() + ahead)
	s.mu.Lock()
	defer s.mu.Unlock()
	seconds := (length + second - 1) / second
	if seconds > 0 {
		s.point(seconds - 1)
	}
	for int64(len(s.points)) > max(seconds, 1) {
		s.foldLast()
	}
	return s.points
}

// foldLast adds the last point, a stamp's rounding beyond the window's end, to the one before.
func (s *series) foldLast() {
	last := s.points[len(s.points)-1]
	s.points = s.points[:len(s.points)-1]
	p := &s.points[len(s.points)-1]
	p.OK += last.OK
	p.Failed += last.Failed
	p.Bytes += last.Bytes
}

func (s *series) read(sec int64) {
	var ok, failed, bytes int64
	hs := make([]*hist, len(s.shards))
	for i := range s.shards {
		c := &s.shards[i].ring[sec%ahead]
		ok += c.ok.Swap(0)
		failed += c.failed.Swap(0)
		bytes += c.bytes.Swap(0)
		hs[i] = c.response
	}
	m := drain(hs...)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.point(sec)
	p.OK, p.Failed, p.Bytes = ok, failed, bytes
	p.P50, p.P99 = m.quantile(.50), m.quantile(.99)
	if p.samples > 0 {
		p.InFlight = float64(p.inFlight) / float64(p.samples)
	}
}
