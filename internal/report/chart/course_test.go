package chart

import (
	"slices"
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

// A percentile that no second supports has no line, and no name in the legend.
func TestLegendOfPercentiles(t *testing.T) {
	for _, c := range []struct {
		p    rundoc.Point
		want []string
	}{{rundoc.Point{OK: 19}, nil}, {rundoc.Point{OK: 20, P50NS: 5e6}, []string{"p50"}},
		{rundoc.Point{OK: 1000, P50NS: 5e6, P99NS: 6e6}, []string{"p50", "p99"}}} {
		p := NewCourse([]rundoc.Point{c.p}, 1e9).Response()
		var names []string
		for _, e := range p.Legend {
			names = append(names, e.Name)
		}
		if !slices.Equal(names, c.want) || (p.Empty == "") != (c.want != nil) {
			t.Errorf("%+v: %v %q", c.p, names, p.Empty)
		}
	}
}
