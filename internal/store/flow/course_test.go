package flow

import (
	"slices"
	"testing"
	"time"
)

// sum is all that is in the bins.
func sum(bins []Moved) (all Moved) {
	for _, b := range bins {
		all = all.plus(b)
	}
	return all
}

// Samples taken on time put bytes into the bin in which they moved.
func TestCourse(t *testing.T) {
	c := newCourse(Moved{100, 100}) // of the checks before the run
	all := Moved{100, 100}
	for i, m := range []Moved{{10, 1}, {20, 0}, {}, {}, {}, {}, {}, {}, {30, 5}} {
		all = all.plus(m)
		c.saw(time.Duration(i+1)*Every, all)
	}
	got := c.end()
	want := []Moved{{10, 1}, {20, 0}, {}, {}, {}, {}, {}, {}, {30, 5}}
	if !slices.Equal(got.Bins, want) || got.Width != Every || got.LongestLook != Every {
		t.Errorf("bins %v of %v, looks %v apart", got.Bins, got.Width, got.LongestLook)
	}
	if want := []Stretch{{2 * Every, 8 * Every}}; !slices.Equal(got.Unsent, want) {
		t.Errorf("nothing was sent in %v, want %v", got.Unsent, want)
	}
	if want := []Stretch{{1 * Every, 8 * Every}}; !slices.Equal(got.Unheard, want) {
		t.Errorf("nothing was received in %v, want %v", got.Unheard, want)
	}
}

// A long run uses no more memory than a short one, and loses no byte.
func TestLongCourseIsBounded(t *testing.T) {
	c := newCourse(Moved{})
	const looks = 10 * mostBins
	for i := range looks {
		c.saw(time.Duration(i+1)*Every, Moved{Sent: int64(i+1) * 3, Received: int64(i + 1)})
	}
	got := c.end()
	if len(got.Bins) > mostBins || got.Width != 16*Every {
		t.Errorf("%d bins of %v", len(got.Bins), got.Width)
	}
	if all := sum(got.Bins); all != (Moved{3 * looks, looks}) {
		t.Errorf("the bins have %v together", all)
	}
	for i, b := range got.Bins {
		if b != (Moved{48, 16}) {
			t.Fatalf("bin %d of %d has %v", i, len(got.Bins), b)
		}
	}
}

// Only the longest standstills are kept, in order.
func TestStandstillsAreBounded(t *testing.T) {
	var s still
	at := time.Duration(0)
	for i := range 5000 {
		length := leastStill + time.Duration(i%977)*time.Millisecond
		s.saw(at+length, at+length+Every, 1)
		at += length + Every
		if len(s.list) > 2*mostStill {
			t.Fatalf("%d are kept", len(s.list))
		}
	}
	list := s.end(at + leastStill - 1)
	if len(list) != mostStill {
		t.Fatalf("%d are kept", len(list))
	}
	for i, stretch := range list {
		if stretch.Length() < leastStill+950*time.Millisecond || i > 0 && stretch.From < list[i-1].To {
			t.Errorf("%v is kept, in place %d", stretch, i)
		}
	}
}
