package contrast

import (
	"fmt"
	"math"

	"github.com/plimsoll/plimsoll/setdoc"
)

// Rules is the number of the rules by which the rows follow from the launches. The second have other levels, and know
// launches that are alike; the third know figures that are not judged.
const Rules = 3

// Analyze works out all that follows from the launches of a comparison: which were dropped, the rows of the last look
// that they reach (of fewer than the first look: without outcomes), and whether all is decided. Its Looks and Alphas
// are given. Launches after the look by which all was decided are not looked at: a comparison does not go on until its
// answer is another one.
func Analyze(c *setdoc.Comparison) {
	a := &analysis{Comparison: c, matters: math.Log1p(max(0, c.MinEffect))}
	c.Rules, c.Dropped, c.Decided, c.Rounds, c.Doubts = Rules, 0, "", nil, nil
	var counted []*setdoc.Launch
	for i := range c.Launches {
		l := &c.Launches[i]
		switch l.Dropped = l.Lost == "" && c.BusyLimit > 0 && l.Others != nil && *l.Others > c.BusyLimit; {
		case l.Dropped:
			c.Dropped++
		case l.Lost == "":
			counted = append(counted, l)
		}
	}
	a.judge(counted, 0)
	last := 0
	for k, look := range c.Looks {
		if look <= last || look > len(counted) {
			break
		}
		last = look
		a.judge(counted[:look], k)
		switch {
		case k == len(c.Looks)-1:
			c.Decided = fmt.Sprintf("Stopped after all %s.", launches(look))
		case a.allDecided():
			c.Decided = fmt.Sprintf("Stopped after %s: every metric is decided.", launches(look))
		default:
			continue
		}
		break
	}
	a.flip()
	a.doubts()
}

// Over reports whether no more launches are needed: every row is decided, or the last look was reached. Launches that
// were dropped or lost do not count. Whoever needs less may stop at any look: the levels are those of all looks
// together.
func Over(c *setdoc.Comparison) bool { return c.Decided != "" }

// Inconclusive are the rows of a comparison that could have missed a change as large as the smallest that matters:
// those without an outcome, but for one whose interval has no such change in it, one that would have shown it, and one
// of which there is nothing on either side. Where any change matters, that is each row without a difference.
func Inconclusive(c *setdoc.Comparison) (rows []int) {
	a := &analysis{Comparison: c, matters: math.Log1p(max(0, c.MinEffect))}
	for i := range c.Rows {
		r := &c.Rows[i]
		switch {
		case r.Outcome == setdoc.Better || r.Outcome == setdoc.Worse || r.Outcome == setdoc.NotJudged || a.within(r):
		case r.Outcome == setdoc.NoneShown && r.Absent != "": // none on either side
		case r.Outcome == setdoc.NoneShown && r.Smallest != nil && *r.Smallest <= c.MinEffect:
		default:
			rows = append(rows, i)
		}
	}
	return rows
}

// Judged returns how many of the figures are judged, and share the level of a look.
func Judged(figures []setdoc.Compared) (n int) {
	for i := range figures {
		if !figures[i].Info {
			n++
		}
	}
	return n
}

// analysis is a comparison while it is judged.
type analysis struct {
	*setdoc.Comparison
	samples []sample // of the look, by figure
	weights []weight
	matters float64 // the smallest change that matters, a logarithm
}

// alpha is the level of a look; 0: it has none.
func (a *analysis) alpha(look int) float64 {
	if look < len(a.Alphas) && a.Alphas[look] > 0 && a.Alphas[look] < 1 {
		return a.Alphas[look]
	}
	return 0
}

// judge makes the rows of the launches of a look.
func (a *analysis) judge(counted []*setdoc.Launch, look int) {
	a.Judged, a.Rows = len(counted), make([]setdoc.Contrast, len(a.Figures))
	a.samples = make([]sample, len(a.Figures))
	logs := make([][]float64, len(a.Figures))
	for i := range a.Figures {
		a.samples[i] = sampleOf(counted, i, a.Figures[i].Unit)
		if a.samples[i].absent == "" && !a.Figures[i].Info {
			logs[i] = a.samples[i].logs
		}
	}
	a.weights = weigh(logs, levelOf(a.Looks, look, Judged(a.Figures), a.alpha(look)), a.Seed)
	for i := range a.Rows {
		a.Rows[i] = a.row(i)
	}
	a.Comparison.Rounds = roundsOf(counted, a.RoundNS)
}

// allDecided reports whether more launches would change nothing that is asked for. A row that no launch has tells
// nothing of those to come.
func (a *analysis) allDecided() bool {
	decided := Judged(a.Figures) > 0
	for i := range a.Rows {
		r := &a.Rows[i]
		if r.Outcome == setdoc.NotJudged {
			continue
		}
		if a.samples[i].absent == "" && r.Outcome != setdoc.Better && r.Outcome != setdoc.Worse && !a.within(r) ||
			a.willBeKnown(i) {
			decided = false
		}
	}
	return decided
}

// willBeKnown reports whether a row with merged launches has too few values to be judged now, and will have enough at
// the last interim analysis.
func (a *analysis) willBeKnown(i int) bool {
	s := &a.samples[i]
	if !s.merged || len(s.pairs) >= Least || a.Judged == 0 || len(a.Looks) == 0 {
		return false
	}
	return len(s.pairs)*a.Looks[len(a.Looks)-1]/a.Judged >= Least
}

// within reports whether the interval of a row has no change in it that matters.
func (a *analysis) within(r *setdoc.Contrast) bool {
	return a.MinEffect > 0 && r.Outcome == setdoc.NoneShown && r.Low != nil && r.High != nil &&
		math.Log(*r.Low) >= -a.matters && math.Log(*r.High) <= a.matters
}

func launches(n int) string {
	if n == 1 {
		return "1 launch"
	}
	return fmt.Sprintf("%d launches", n)
}

func were(n int) string {
	if n == 1 {
		return launches(n) + " was"
	}
	return launches(n) + " were"
}
