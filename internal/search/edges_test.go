package search

import (
	"math"
	"testing"

	"github.com/plimsoll/plimsoll/setdoc"
)

// believing is a posterior that is sure of one load of those between low and high.
func believing(low, high, load float64) posterior {
	p := newPosterior(low, high)
	for i := range p.cells {
		p.cells[i] = 0
	}
	p.cells[int((math.Log(load)-p.low)/p.step)] = 1
	return p
}

// Before the first probe each load is as likely as each other one, of the logarithm, and so is each spread.
func TestEdgesOfPosteriors(t *testing.T) {
	p := newPosterior(1, 16)
	for q, want := range map[float64]float64{0: 1, 0.25: 2, 0.5: 4, 0.75: 8, 1.5: 16} {
		if got := p.quantile(q); math.Abs(got-want) > 1e-9 {
			t.Errorf("quantile %v: %v", q, got)
		}
	}
	for load, want := range map[float64]float64{0.5: 0, 1: 0, 2: 0.25, 4: 0.5, 16: 1, 100: 1} {
		if got := p.below(load); math.Abs(got-want) > 1e-9 {
			t.Errorf("below %v: %v", load, got)
		}
	}
	if got := p.above(p); math.Abs(got-0.5) > 1e-9 {
		t.Errorf("above itself: %v", got)
	}
	if got, want := p.spread(), math.Sqrt(0.004*0.3); math.Abs(got-want) > 1e-9 {
		t.Errorf("a spread of %v, not %v", got, want)
	}
	low, high := believing(1, 16, 3), believing(1, 16, 5)
	if a, b, c := low.above(high), high.above(low), low.above(low); a != 0 || b != 1 || c != 0.5 {
		t.Errorf("above each other: %v, %v, %v", a, b, c)
	}
	if a, b := p.ends(); math.Abs(a-1) > 1e-9 || math.Abs(b-16) > 1e-9 {
		t.Errorf("from %v to %v", a, b)
	}
}

// It is doubled or halved again where the load is beyond twice what the doubling found, unless nothing beyond may be
// tried.
func TestEdgesOfFollowing(t *testing.T) {
	for _, test := range []struct {
		at, lowest, highest float64
		stays               bool
	}{
		{800, 2, 1e6, true}, {205, 2, 1e6, true}, {195, 2, 1e6, false}, {3100, 2, 1e6, true}, {3300, 2, 1e6, false},
		{195, 401, 1e6, true}, {195, 399, 1e6, false}, {3300, 2, 1599, true}, {3300, 2, 1601, false},
		{110, 401, 1e6, true}, {110, 2, 1e6, false}, {6000, 2, 1599, true}, {6000, 2, 1e6, false},
		{3300, 401, 1e6, false}, {195, 2, 1599, false}, // the other end says nothing of it
	} {
		l := Line{Lowest: test.lowest, Highest: test.highest, inside: true, behind: 1,
			probes: []probe{{400, true, false}, {1600, false, false}, {700, true, true}},
			belief: believing(100, 6400, test.at)}
		l.follow()
		climb, behind := 0, true
		if !test.stays {
			climb, behind = 2, false
		}
		if l.inside != test.stays || l.climb != climb || l.probes[2].behind != behind {
			t.Errorf("%+v: inside %v, climb %d, %+v", test, l.inside, l.climb, l.probes)
		}
	}
}

// Eight probes behind the doubling, three of each kind, are enough; what was forgotten is none of them.
func TestEdgesOfEnough(t *testing.T) {
	for _, test := range []struct {
		met, failed, before, forgotten int
		want                           bool
	}{
		{4, 4, 0, 0, true}, {3, 5, 0, 0, true}, {5, 3, 0, 0, true}, {2, 6, 0, 0, false}, {6, 2, 0, 0, false}, {4, 3, 0, 0, false},
		{3, 4, 5, 0, false}, {2, 20, 5, 0, false}, {20, 2, 5, 0, false}, {4, 4, 3, 3, true}, {4, 4, 3, 4, false},
	} {
		l := Line{from: test.forgotten}
		for range test.before {
			l.probes = append(l.probes, probe{1, true, false})
		}
		for range test.met {
			l.probes = append(l.probes, probe{1, true, true})
		}
		for range test.failed {
			l.probes = append(l.probes, probe{1, false, true})
		}
		if got := l.enough(); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
	// A doubling ends after 2,500 probes, which only a document can have.
	l := Line{Start: 100, Lowest: 1, Highest: 1e9}
	for n := 1; n <= 2500; n++ {
		if l.Took(100, true); (l.Found().Ending == setdoc.LineWide) != (n == 2500) {
			t.Fatalf("after %d: %+v", n, l.Found())
		}
	}
}
