package chart

import (
	"fmt"
	"math"

	"github.com/plimsoll/plimsoll/rundoc"
)

// MaxBins is how many points a line of the chart has at most, about one a pixel.
const MaxBins = 1000

// Course is the series of a run in bins of whole seconds, as many as a chart can show.
type Course struct {
	bins  []bin
	width int64 // seconds of a bin
	end   float64
}

// bin sums up some seconds. Percentiles cannot be added or averaged: it has those of the
// slowest of its seconds.
type bin struct {
	from, to   float64 // seconds since the start of the window
	ok, failed int64
	p50, p99   int64 // ns; 0: too few ended
}

// NewCourse divides a series over a window of this length; 0: as long as the series.
func NewCourse(series []rundoc.Point, windowNS int64) *Course {
	window := float64(windowNS) / 1e9
	if window == 0 {
		for _, p := range series {
			window = max(window, float64(p.Second)+float64(p.Length()))
		}
	}
	if window <= 0 || len(series) == 0 {
		return &Course{}
	}
	// A bin holds whole points.
	points := rundoc.PointSeconds(series)
	c := &Course{end: window, width: int64(math.Ceil(math.Ceil(window)/MaxBins/float64(points))) * points}
	count := int64(math.Ceil(window / float64(c.width)))
	// The end of a window that is a little longer than whole seconds says nothing.
	if rest := window - float64((count-1)*c.width); count > 1 && rest < 0.2*float64(c.width) {
		count--
	}
	c.bins = make([]bin, count)
	for i := range c.bins {
		c.bins[i].from = float64(int64(i) * c.width)
		c.bins[i].to = float64(int64(i+1) * c.width)
	}
	c.bins[count-1].to = window
	for _, p := range series {
		b := &c.bins[max(0, min(p.Second/c.width, count-1))]
		b.ok += p.OK
		b.failed += p.Failed
		b.p50, b.p99 = max(b.p50, p.P50NS), max(b.p99, p.P99NS)
	}
	return c
}

// per is the width of a bin in words.
func (c *Course) per() string {
	if c.width == 1 {
		return "every second"
	}
	return fmt.Sprintf("every %d s", c.width)
}

// Empty reports whether there is nothing to draw.
func (c *Course) Empty() bool { return len(c.bins) == 0 }

func (c *Course) anyFailed() bool {
	for _, b := range c.bins {
		if b.failed > 0 {
			return true
		}
	}
	return false
}
