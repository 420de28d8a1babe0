package record

import (
	"slices"

	"github.com/plimsoll/plimsoll/rundoc"
)

// Point is one second of the window, or several of a long one.
type Point struct {
	Second                     int64
	OK, Failed, Bytes, Offered int64
	P50, P99                   int64 // response time, ns; 0 where too few ended
	OwnP99                     int64 // the generator's own part of it, ns
	Gap                        int64 // for how long the generator did not run, ns
	causes                     causeCounts
	watched                    int64   // for how long it is known what was in flight, ns
	flown                      float64 // time in flight meanwhile, ns
}

// inFlight returns the mean number in flight, nil if it is not known.
func (p *Point) inFlight() *float64 {
	if p.watched == 0 {
		return nil
	}
	return new(p.flown / float64(p.watched))
}

// absorb adds another second. Percentiles cannot be added: the point has those of the slowest.
func (p *Point) absorb(q *Point) {
	p.OK += q.OK
	p.Failed += q.Failed
	p.Bytes += q.Bytes
	p.Offered += q.Offered
	p.P50, p.P99 = max(p.P50, q.P50), max(p.P99, q.P99)
	p.OwnP99 = max(p.OwnP99, q.OwnP99)
	p.Gap += q.Gap
	p.watched += q.watched
	p.flown += q.flown
	for _, c := range q.causes {
		p.causes.add(c.Cause, c.Count)
	}
}

// points are those of a series. Beyond maxPoints of them, each two become one.
type points struct {
	width int64 // seconds of each
	list  []Point
}

// maxPoints is two hours of seconds. A longer window has half as many at least.
const maxPoints = 7200

// at is the point of a second; those up to it are made.
func (s *points) at(sec int64) *Point {
	for sec/s.width >= maxPoints {
		s.halve()
	}
	for int64(len(s.list)) <= sec/s.width {
		s.list = append(s.list, Point{Second: int64(len(s.list)) * s.width})
	}
	return &s.list[sec/s.width]
}

func (s *points) halve() {
	for i := range s.list {
		if i%2 == 0 {
			s.list[i/2] = s.list[i]
		} else {
			s.list[i/2].absorb(&s.list[i])
		}
	}
	clear(s.list[(len(s.list)+1)/2:])
	s.list = s.list[:(len(s.list)+1)/2]
	s.width *= 2
}

// end adds what lies behind the last second, by a stamp's rounding, to the point of that.
func (s *points) end(last int64) {
	for i := len(s.list) - 1; int64(i) > last/s.width; i-- {
		s.list[i-1].absorb(&s.list[i])
		s.list = s.list[:i]
	}
}

// document writes the points of a window whose last second is this one.
func (s *points) document(last int64) []rundoc.Point {
	list := []rundoc.Point{}
	for i := range s.list {
		p := &s.list[i]
		d := rundoc.Point{
			Second: p.Second, OK: p.OK, Failed: p.Failed, Bytes: p.Bytes, P50NS: p.P50, P99NS: p.P99,
			InFlight: p.inFlight(), Offered: new(p.Offered), Causes: p.causes, OwnP99NS: p.OwnP99, GapNS: p.Gap,
		}
		slices.SortFunc(d.Causes, moreFrequent)
		if length := min(s.width, last+1-p.Second); length > 1 {
			d.Seconds = length
		}
		list = append(list, d)
	}
	return list
}

// causeCounts count a point's failed attempts by cause.
type causeCounts []rundoc.Cause

// add counts n attempts. What comes after MaxPointCauses causes is one more.
func (c *causeCounts) add(cause string, n int64) {
	i := slices.IndexFunc(*c, func(known rundoc.Cause) bool { return known.Cause == cause })
	switch {
	case i >= 0:
		(*c)[i].Count += n
	case len(*c) < rundoc.MaxPointCauses || cause == rundoc.OtherCauses:
		*c = append(*c, rundoc.Cause{Cause: cause, Count: n})
	default:
		c.add(rundoc.OtherCauses, n)
	}
}
