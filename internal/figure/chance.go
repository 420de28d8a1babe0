package figure

import (
	"math"

	"github.com/plimsoll/plimsoll/rundoc"
)

// chances is how many standard deviations chance is given. A window that is still open is looked at again and again,
// and each look may be the one that ends the run.
const chances = 3

// Times are those that the figure is of, "response" or another family; "" where it is none of times.
func (s Spec) Times() string {
	if s.source.Times == nil {
		return ""
	}
	return s.source.Name
}

// Extreme is "max" or "min" of a figure that is the longest or the shortest of times; else "".
func (s Spec) Extreme() string {
	if s.source.Times == nil || s.stat.name == mean {
		return ""
	}
	return s.stat.name
}

// AtBest is what a common figure of a window that is still open may come to at the end, if what was seen so far was bad
// luck and no more: the lowest where low is wanted, else the highest. What was counted is taken to scatter as Poisson
// has it. A mean, an extreme and a plain count are what they are.
func (s Spec) AtBest(run *rundoc.Run, low bool) Value {
	if s.source.Times != nil {
		if s.stat.name == "" && low {
			s.stat = s.stat.luckless(s.Count(run))
		}
		return s.Of(run)
	}
	v := s.Of(run)
	if v.Why != "" {
		return v
	}
	ok, scheduled := sums(run, s.labels, func(o *rundoc.Operation) int64 { return o.OK })
	n := float64(scheduled)
	switch {
	case (s.unit == PerSecond || s.unit == BytesPerSec) && !low:
		v.Raw *= 1 + chances/math.Sqrt(max(float64(ok), 1))
	case s.unit == Share && low:
		v.Raw = max(0, v.Raw-chances*math.Sqrt(v.Raw/n))
	case s.unit == Share:
		v.Raw = min(1, v.Raw+chances*math.Sqrt((1-v.Raw)/n))
	}
	return v
}

// Count is how many times the figure is of; 0 where it is of none.
func (s Spec) Count(run *rundoc.Run) (n int64) {
	if s.source.Times == nil {
		return 0
	}
	for _, t := range s.source.Times(run, s.labels) {
		n += t.Count
	}
	return n
}

// luckless is the percentile that is surely not above this one: as many times more may lie above it as chance has put
// there, and never fewer than a percentile takes. So few times can tell that a high percentile is above a limit, since
// a lower one is.
func (s stat) luckless(n int64) stat {
	if n < 2*rundoc.MinAbove { // which cannot even tell the half
		return s
	}
	share := float64(whole-s.millis) / whole
	above := max(share+chances*math.Sqrt(share/float64(n)), float64(rundoc.MinAbove)/float64(n))
	if lower := whole - int64(math.Ceil(above*whole)); lower > 0 {
		s.millis = lower
	}
	return s
}
