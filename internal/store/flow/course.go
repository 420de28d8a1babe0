package flow

import (
	"cmp"
	"slices"
	"time"
)

// Course is what moved over the time of a run.
type Course struct {
	Origin    time.Time // when it begins
	How       How
	Encrypted bool
	Width     time.Duration // of a bin
	Bins      []Moved       // the first begins at Origin; none after the last that moved something
	// LongestLook is the longest time between two looks at the sockets: what moved within it is spread evenly
	// over that time, and over no more than that.
	LongestLook time.Duration
	// The longest times in which not one byte was sent, and in which none was received, in the order of time.
	Unsent, Unheard []Stretch
}

// Stretch is a stretch of a run, since its start.
type Stretch struct{ From, To time.Duration }

// Length is how long it is.
func (s Stretch) Length() time.Duration { return s.To - s.From }

const (
	// mostBins bounds the memory of a course: twelve minutes of 100 ms. Of a longer run two neighbours become one.
	mostBins = 7200
	// leastStill is the shortest time without a byte that is kept: what is shorter cannot be told well from the
	// time between two looks.
	leastStill = 5 * Every
	// mostStill is how many of them are kept, the longest.
	mostStill = 100
)

// course is a Course that goes on.
type course struct {
	width           time.Duration
	bins            []Moved
	at              time.Duration // of the look before
	seen            Moved         // by then
	longest         time.Duration
	unsent, unheard still
}

func newCourse(before Moved) *course { return &course{width: Every, seen: before} }

// saw notes what had moved in all at a time since the start.
func (c *course) saw(now time.Duration, all Moved) {
	if now <= c.at {
		return // what came meanwhile is of the next look
	}
	from, m := c.at, all.minus(c.seen)
	c.longest = max(c.longest, now-from)
	c.unsent.saw(from, now, m.Sent)
	c.unheard.saw(from, now, m.Received)
	c.at, c.seen = now, all
	if m == (Moved{}) {
		return
	}
	for at := from; at < now; {
		bin := int(at / c.width)
		end := min(now, time.Duration(bin+1)*c.width)
		if bin >= mostBins {
			c.halve()
			continue
		}
		for len(c.bins) <= bin {
			c.bins = append(c.bins, Moved{})
		}
		c.bins[bin] = c.bins[bin].plus(m.within(at-from, end-from, now-from))
		at = end
	}
}

// within is the part of m that moved between two moments of a time, evenly over it. The parts are together all of it.
func (m Moved) within(from, to, all time.Duration) Moved {
	share := func(n int64) int64 {
		until := func(t time.Duration) int64 { return int64(float64(n) * (float64(t) / float64(all))) }
		return until(to) - until(from)
	}
	return Moved{share(m.Sent), share(m.Received)}
}

// halve makes one bin of each two.
func (c *course) halve() {
	for i := range c.bins {
		if i%2 == 0 {
			c.bins[i/2] = c.bins[i]
		} else {
			c.bins[i/2] = c.bins[i/2].plus(c.bins[i])
		}
	}
	c.bins = c.bins[:(len(c.bins)+1)/2]
	c.width *= 2
}

func (c *course) end() *Course {
	return &Course{
		Width: c.width, Bins: c.bins, LongestLook: c.longest,
		Unsent: c.unsent.end(c.at), Unheard: c.unheard.end(c.at),
	}
}

// still finds the longest times in which nothing moved one way.
type still struct {
	since time.Duration // the end of the latest time in which something did
	list  []Stretch
}

// saw notes what moved between two looks.
func (s *still) saw(from, to time.Duration, bytes int64) {
	if bytes == 0 {
		return
	}
	s.keep(Stretch{s.since, from})
	s.since = to
}

func (s *still) keep(stretch Stretch) {
	if stretch.Length() < leastStill {
		return
	}
	if s.list = append(s.list, stretch); len(s.list) >= 2*mostStill {
		s.shorten()
	}
}

// shorten keeps the longest.
func (s *still) shorten() {
	slices.SortFunc(s.list, func(a, b Stretch) int { return cmp.Compare(b.Length(), a.Length()) })
	s.list = s.list[:min(len(s.list), mostStill)]
}

func (s *still) end(at time.Duration) []Stretch {
	s.keep(Stretch{s.since, at})
	s.shorten()
	slices.SortFunc(s.list, func(a, b Stretch) int { return cmp.Compare(a.From, b.From) })
	return s.list
}
