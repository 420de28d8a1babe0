package until

import (
	"fmt"
	"math"
	"time"

	"github.com/plimsoll/plimsoll/internal/stats"
)

// Rule says what is to be known.
type Rule struct {
	Measure  Measure
	Quantile float64       // of a Percentile, above 0
	Needs    int64         // times that it takes, at least one
	Within   float64       // half the width of the interval that is asked for, as a share of the value
	Most     time.Duration // of the window
}

// Answer is what came of a look.
type Answer struct {
	Known    bool
	Why      string // it is not
	Interval Interval
	Steady   bool
	// Takes is about how long the window would have to be; 0: nobody knows.
	Takes time.Duration
}

// Stretch is how long the stretches are that a window is told in.
const Stretch = 250 * time.Millisecond

const (
	// first is when the first look is, or at this part of the most, if that is earlier: a window that is short beside how
	// long slow spells last hardly shows them, and looking early at that finds them known when it was lucky.
	first     = 30 * time.Second
	firstPart = 3
	// growth is how many times as long the window is at the next look.
	growth = 1.5
	// looks is how many in a row have to find the interval narrow.
	looks = 2
	// early is the share of the most from which on a run may be given up, when the looks say that it would take so many
	// times the most.
	early, hopeless = 0.25, 3
)

// Window decides for one window. It belongs to one goroutine.
type Window struct {
	Rule
	batches Batches
	length  time.Duration
	next    time.Duration
	narrow  int // looks in a row
	beyond  int // looks in a row that say that it would take too long
	last    Answer
}

// NewWindow begins one.
func NewWindow(r Rule) *Window { return &Window{Rule: r, next: min(first, r.Most/firstPart)} }

// Add takes a stretch, and reports whether the window is to end, which End then says the reason for.
func (w *Window) Add(b Batch) bool {
	w.batches.Add(b)
	if w.length += b.Length; w.length < w.next {
		return false
	}
	w.next = time.Duration(growth * float64(w.length))
	w.last = w.look(false)
	if w.last.Known {
		w.narrow++
	} else {
		w.narrow = 0
	}
	if (w.last.Takes > hopeless*w.Most || w.last.Interval.never) && w.length >= time.Duration(early*float64(w.Most)) {
		w.beyond++
	} else {
		w.beyond = 0
	}
	return w.narrow >= looks || w.beyond >= looks
}

// End is what came of the window, when it has ended.
func (w *Window) End() Answer {
	a := w.last
	switch {
	case w.narrow >= looks:
		return a
	case w.beyond >= looks:
		if !a.Interval.never {
			a.Why += ", and the required window would be far longer than the maximum"
		}
		return a
	}
	a = w.look(true)
	if a.Known = a.Known && w.narrow+1 >= looks; !a.Known && a.Why == "" {
		a.Why = "the interval was narrow enough only once, at the end of the window, which may be chance"
	}
	if !a.Known && w.length > w.Most-w.Most/20 {
		a.Why += ", and the window reached its maximum"
	}
	return a
}

// look is what the window says now.
func (w *Window) look(final bool) Answer {
	list := w.batches.All()
	a := Answer{Interval: w.interval(list)}
	half := a.Interval.Half()
	trend := ""
	if half <= w.Within || final {
		trend = w.trend(list, apart)
	}
	a.Steady = trend == ""
	switch {
	case trend != "":
		a.Why = trend
	case a.Interval.Absent != "":
		a.Why = a.Interval.Absent
		if all := sum(list); w.Measure == Percentile && all.Count > 0 && all.Count < w.Needs {
			a.Takes = scaled(w.length, float64(w.Needs)/float64(all.Count))
		}
	case half > w.Within:
		a.Takes = scaled(w.length, half*half/(w.Within*w.Within))
		a.Why = fmt.Sprintf("after %v it is known to within %.3g%%", w.length.Round(time.Second), 100*half)
	default:
		a.Known = true
	}
	return a
}

func scaled(d time.Duration, by float64) time.Duration {
	return time.Duration(min(float64(d)*by, math.MaxInt64/2))
}

const (
	pieces   = 10
	unlikely = 0.01
	// apart is how far the ends of a window have to be from each other, those of a warm-up less: it costs little there.
	apart       = 1.5
	apartWarmup = 1.2
)

// trend says that the figure is not steady yet, or "": over ten slices of the window it rises or falls by more than
// chance has it, and by half of what it is.
func (w *Window) trend(list []Batch, apart float64) string {
	values, means := w.slices(list)
	if len(values) < pieces {
		return ""
	}
	if stats.MannKendall(values) >= unlikely {
		return ""
	}
	word, ratio := "rises", means[1]/means[0]
	if means[1] < means[0] {
		word = "falls"
	}
	switch {
	case means[0] == 0:
		return "not steady: there are no values in the first 30% of the window"
	case means[1] == 0:
		return "not steady: there are no values in the last 30% of the window"
	case ratio < apart && ratio > 1/apart:
		return ""
	}
	return fmt.Sprintf("not steady: it %s, and the last 30%% of the window have %.2g times the value of the first",
		word, ratio)
}

// slices are the figure in ten slices of the window, and what it is in the first three and the last three; none where a
// slice has no figure.
func (w *Window) slices(list []Batch) (values []float64, ends [2]float64) {
	if len(list) < pieces {
		return nil, ends
	}
	of := func(from, to int) (float64, bool) {
		all := sum(list[from*len(list)/pieces : to*len(list)/pieces])
		return w.figure(&all)
	}
	for i := range pieces {
		v, has := of(i, i+1)
		if !has {
			return nil, ends
		}
		values = append(values, v)
	}
	ends[0], _ = of(0, 3)
	ends[1], _ = of(7, 10)
	return values, ends
}

// figure is the one of a stretch, however little that supports it; false where it has none.
func (r *Rule) figure(b *Batch) (v float64, has bool) {
	switch {
	case r.Measure == Percentile && b.Count > 0:
		return b.at(int64(math.Ceil(r.Quantile * float64(b.Count)))), true
	case r.Measure == Mean && b.Count > 0:
		return b.Sum / float64(b.Count), true
	case r.Measure == Rate && b.Length > 0:
		return float64(b.OK) / b.Length.Seconds(), true
	case r.Measure == Failed && b.OK+b.Failed > 0:
		return float64(b.Failed) / float64(b.OK+b.Failed), true
	}
	return 0, false
}

func tooFew(n, needs int64) string {
	return fmt.Sprintf("too few values for this percentile: %d; it requires %d", n, needs)
}
