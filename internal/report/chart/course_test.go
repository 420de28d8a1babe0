package chart

import (
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// TestBinsHoldWholePoints has a steady load in points of two seconds, and more of them than bins: none has more than
// its neighbour.
func TestBinsHoldWholePoints(t *testing.T) {
	const window = 9000
	var series []rundoc.Point
	for s := int64(0); s < window; s += 2 {
		series = append(series, rundoc.Point{Second: s, Seconds: 2, OK: 20})
	}
	c := NewCourse(series, window*1e9)
	for i, b := range c.bins {
		if float64(b.ok) != 10*(b.to-b.from) {
			t.Fatalf("bin %d of %d: %d in %v s", i, len(c.bins), b.ok, b.to-b.from)
		}
	}
	if c.Empty() || len(c.bins) > MaxBins || c.width%2 != 0 {
		t.Errorf("%d bins of %d s", len(c.bins), c.width)
	}
	if c := NewCourse(series[:2], 0); c.end != 4 {
		t.Errorf("without a window it ends at %v s", c.end)
	}
}
