package record

import (
	"math"
	"sync"
	"sync/atomic"
)

// ahead is how many seconds have counters at the same time: the one that goes on, and those
// before it that a slot may still be writing to or the collector has not yet read.
const ahead = 8

const second = int64(1e9)

// series counts by the second in which an operation ended, but for what was offered.
//
// A ring of counters holds the latest seconds. The collector reads a second when it is well
// over, clears it and moves on; an operation that comes later than that (its goroutine was
// held up for seconds) is counted in the oldest second that is still open, so none is lost.
// What was read goes into points and into slices of time, of which there are so many at most
// that a long run takes no more memory than a short one: neighbours become one.
type series struct {
	start  int64
	gaps   func(from, to int64) int64 // nil when not known
	shards []seriesShard
	oldest atomic.Int64 // first second not yet collected
	rest   *hist        // response times of what ended after the window, or not at all

	mu     sync.Mutex
	points points
	latest Point // the second that was read last
	slices stretches
	last   int64 // second of the window, from finish on
	end    int64 // of the window, likewise; a stamp
}

type seriesShard struct {
	ring    [ahead]secondCounts
	offered longCounts
}

type secondCounts struct {
	ok, failed, bytes atomic.Int64
	response, carried *hist // of the window's operations, and of those carried into it
	own               *hist // the generator's own part of the response times
}

func newSeries(shards int, of Config) *series {
	s := &series{
		start: of.Start, gaps: of.Gaps, end: math.MaxInt64, shards: make([]seriesShard, shards), rest: newHist(coarse),
		points: points{width: 1}, slices: newStretches(), last: math.MaxInt64,
	}
	for i := range s.shards {
		s.shards[i].offered = newLongCounts()
		for j := range s.shards[i].ring {
			c := &s.shards[i].ring[j]
			c.response, c.carried, c.own = newHist(coarse), newHist(coarse), newHist(sliced)
		}
	}
	return s
}

// record counts an operation that ended inside the window.
func (s *series) record(shard int, o *Operation) {
	c := s.at(shard, o.End)
	c.count(o)
	if o.responded() {
		c.response.tally(o.End - o.Intended)
		c.own.tally(o.Own)
	}
}

// carry counts an operation of the ramp that ended inside the window. It is not offered there,
// and in no slice of it.
func (s *series) carry(shard int, o *Operation) {
	c := s.at(shard, o.End)
	c.count(o)
	if o.responded() {
		c.carried.tally(o.End - o.Intended)
	}
}

// outlast counts an operation that did not end inside the window.
func (s *series) outlast(o *Operation) {
	if o.responded() {
		s.rest.tally(o.End - o.Intended)
	}
}

// offer counts an operation whose intended start is this stamp, whatever became of it.
func (s *series) offer(shard int, intended int64) {
	s.shards[shard%len(s.shards)].offered.add((intended - s.start) / second)
}

// at is the counters of the second of a stamp, or of the one nearest to it that is open.
func (s *series) at(shard int, stamp int64) *secondCounts {
	oldest := s.oldest.Load()
	sec := min(max((stamp-s.start)/second, oldest), oldest+ahead-1)
	return &s.shards[shard%len(s.shards)].ring[sec%ahead]
}

func (c *secondCounts) count(o *Operation) {
	if o.Outcome == OK {
		c.ok.Add(1)
		c.bytes.Add(o.Bytes)
	} else {
		c.failed.Add(1)
	}
}

// cause notes an attempt that failed at this stamp.
func (s *series) cause(stamp int64, cause string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.points.at(max(stamp-s.start, 0)/second).causes.add(cause, 1)
}

// fly adds the part of a time in flight between two stamps that lies within the phase, which ends at end, evenly to the
// seconds between them.
func (s *series) fly(from, to, end, sum int64) {
	mean := float64(sum) / float64(to-from)
	from, to = max(from, s.start), min(to, end)
	s.mu.Lock()
	defer s.mu.Unlock()
	for from < to {
		sec := (from - s.start) / second
		next := min(to, s.start+(sec+1)*second)
		p := s.points.at(sec)
		p.watched += next - from
		p.flown += mean * float64(next-from)
		from = next
	}
}

// collect reads the seconds that were over at this stamp, and returns the last one ever read.
func (s *series) collect(stamp int64) Point {
	s.collectTo((stamp - s.start) / second)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.latest
}

// collectTo reads the seconds before sec.
func (s *series) collectTo(sec int64) {
	for at := s.oldest.Load(); at < sec; at++ {
		s.read(at)
		s.oldest.Store(at + 1)
	}
}

// finish reads what is left, when nothing is recorded any more; length is the window's.
func (s *series) finish(length int64) {
	seconds := (length + second - 1) / second
	s.last, s.end = max(seconds, 1)-1, s.start+length
	// Late operations may lie up to a ring's length beyond the oldest second.
	s.collectTo(s.oldest.Load() + ahead)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.points.at(s.last)
	s.points.end(s.last)
	s.slices.end(s.last)
	for i := range s.shards {
		s.shards[i].offered.drain(func(sec, n int64) { s.points.at(min(sec, s.last)).Offered += n })
	}
	s.slices.add(s.last, drain(s.rest))
}

func (s *series) read(sec int64) {
	p := Point{Second: sec}
	var responses, carried, owns []*hist
	for i := range s.shards {
		c := &s.shards[i].ring[sec%ahead]
		p.OK += c.ok.Swap(0)
		p.Failed += c.failed.Swap(0)
		p.Bytes += c.bytes.Swap(0)
		responses, carried, owns = append(responses, c.response), append(carried, c.carried), append(owns, c.own)
	}
	m := drain(responses...)
	if from := s.start + sec*second; s.gaps != nil && from < s.end {
		p.Gap = s.gaps(from, min(from+second, s.end))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slices.add(min(sec, s.last), m)
	m.add(drain(carried...))
	p.P50, p.P99 = m.percentile(500), m.percentile(990)
	if own := drain(owns...).percentile(990); own >= ownUnit {
		p.OwnP99 = own
	}
	s.latest = p
	if sec > s.last { // ended on the stroke of the window's end: too few to change a percentile
		p.P50, p.P99, p.OwnP99 = 0, 0, 0
	}
	s.points.at(min(sec, s.last)).absorb(&p)
}

// ownUnit is the shortest delay of the generator's own that its histogram tells from none.
const ownUnit = 1 << 7
