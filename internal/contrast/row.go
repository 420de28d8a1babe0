package contrast

import (
	"cmp"
	"fmt"
	"math"

	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/setdoc"
)

// What a change must be for nine of ten comparisons to show it: more than the sum of the two quantiles by which it is
// beyond the level and its own error, since the error of this comparison is an estimate itself.
const (
	power  = 0.9
	margin = 1.15
)

// row is what the launches of the look say of a figure.
func (a *analysis) row(i int) setdoc.Contrast {
	s, w := &a.samples[i], &a.weights[i]
	r := setdoc.Contrast{Figure: i, Launches: len(s.pairs), Outcome: setdoc.Unknown, Absent: s.absent}
	if a.Figures[i].Info {
		r.Outcome = setdoc.NotJudged
	}
	if len(s.pairs) == 0 {
		r.Absent = cmp.Or(s.why, "no launch has a result")
		return r
	}
	r.A, r.B = finite(s.middle(0)), finite(s.middle(1))
	if a.Figures[i].Info {
		if s.absent == "" {
			r.Ratio = finite(math.Exp(stats.TrimmedMean(s.logs).Mean))
		}
		return r
	}
	if (s.none || s.alike) && len(s.pairs) >= Least {
		r.Outcome = setdoc.NoneShown
	}
	if s.alike {
		r.Ratio = finite(1)
	}
	if s.absent != "" {
		return r
	}
	r.Ratio = finite(math.Exp(w.Mean))
	low, high := w.Interval(w.level)
	low, high = min(low, w.Mean-w.step), max(high, w.Mean+w.step)
	if w.vetoed { // an interval says no more than the test
		low, high = min(low, 0), max(high, 0)
	}
	r.Low, r.High = finite(math.Exp(low)), finite(math.Exp(high))
	if !w.tested {
		r.Absent = tooFew(s, a.Judged)
		return r
	}
	r.P, r.Adjusted = finite(w.p), finite(w.adjusted)
	if r.Outcome = a.outcome(i); r.Outcome == setdoc.NoneShown {
		r.Smallest = finite(smallest(w))
	}
	return r
}

// flip puts the p of the sign-flip test beside that of the t test.
func (a *analysis) flip() {
	for i := range a.Rows {
		if a.weights[i].tested {
			a.Rows[i].SignFlip = finite(stats.SignFlip(a.samples[i].logs, a.Seed+uint64(i)))
		}
	}
}

// outcome is that of a row that was tested: a difference that both tests show, and that is as large as what matters.
func (a *analysis) outcome(i int) string {
	w := &a.weights[i]
	switch {
	case !w.differs || math.Abs(w.Mean) < a.matters:
		return setdoc.NoneShown
	case w.Mean > 0 == a.Figures[i].Less:
		return setdoc.Worse
	}
	return setdoc.Better
}

// smallest is the change, a share, that the launches would have shown nine times in ten. It is no smaller than the step
// by which a figure changes, nor than what there was and was not shown by the sign-flip test.
func smallest(w *weight) float64 {
	reach := stats.StudentQuantile(1-w.level/2, w.Freedom) + stats.StudentQuantile(power, w.Freedom)
	least := max(margin*reach*w.Err, w.step)
	if w.vetoed {
		least = max(least, math.Abs(w.Mean))
	}
	return math.Expm1(least)
}

// tooFew says why a row that some launches have was not tested.
func tooFew(s *sample, judged int) string {
	if len(s.pairs) == judged {
		return fmt.Sprintf("%s too few for a test: at least %d are needed", are(judged), Least)
	}
	if s.merged {
		return fmt.Sprintf("%s give %d values after merging their times, and at least %d are needed: %s", launches(judged),
			len(s.pairs), Least, s.why)
	}
	return fmt.Sprintf("only %d of %s have a value, and at least %d are needed: %s", len(s.pairs), launches(judged),
		Least, s.why)
}

func are(n int) string {
	if n == 1 {
		return launches(n) + " is"
	}
	return launches(n) + " are"
}

// finite is a number that a document can hold; nil: it is none.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
