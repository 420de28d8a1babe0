package comparisons

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/contrast"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/pair"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// progress is how far a comparison is, for the line of a terminal: two sides that go on together have none of their
// own.
type progress struct {
	at   atomic.Int64 // the launch that goes on, from 0 on
	each atomic.Int64 // how long one takes, about; 0: nobody knows
	most atomic.Int64 // launches
	note func(string) // beside the line
	end  func()
}

// show begins to show how far it is. Elsewhere than on a terminal each launch has a line of its own when it is over,
// and whole runs in turn show themselves.
func (c *Comparison) show(view *run.View) *progress {
	p := &progress{end: func() {}}
	p.each.Store(int64(c.each))
	p.most.Store(int64(c.request.Launches))
	if !c.env.IsTerminal(c.env.Stderr) {
		return p
	}
	p.note = view.Note
	if c.of.Way == setdoc.ByRuns {
		return p
	}
	begun := time.Now()
	p.end = view.Begin("comparing", func() run.Live { return p.live(int(p.most.Load()), time.Since(begun)) })
	return p
}

// live is how far a comparison of so many launches at most is after a time. It may end sooner, and launches that are
// dropped are made once more.
func (p *progress) live(most int, elapsed time.Duration) run.Live {
	at := int(p.at.Load())
	l := run.Live{
		Phase: "comparing", What: fmt.Sprintf("launch %d of up to %d", at+1, max(most, at+1)),
		Elapsed: elapsed, Done: min(float64(at)/float64(most), 1), Left: -1, About: true,
	}
	if each := time.Duration(p.each.Load()); each > 0 {
		l.Left = max(0, time.Duration(most)*each-elapsed)
	}
	return l
}

// tell says in a line how a launch went, where no bar shows it.
func (c *Comparison) tell(at int) {
	if c.request.Forms.Quiet {
		return
	}
	l := &c.of.Launches[at]
	what := fmt.Sprintf("launch %d: ", at+1)
	switch {
	case l.Lost != "":
		c.say(what + "discarded: " + l.Lost)
	case l.Dropped:
		c.say(what + fmt.Sprintf("dropped: other programs used %s of the CPUs", units.Percent(*l.Others)))
	case !c.env.IsTerminal(c.env.Stderr):
		c.say(what + c.firstOf(l))
	}
}

// foretell says after the first launch which figures may not be known, since its window has too few times for them.
func (c *Comparison) foretell(made *pair.Made) {
	if c.request.Forms.Quiet {
		return
	}
	for _, one := range c.rows {
		for _, doc := range made.Docs {
			why := several.TooFew(one.spec, doc, c.longer)
			if why == "" || one.Info || enough(one.spec, doc, c.request.Launches) {
				continue
			}
			c.say(one.Name + " may have no result: " + why)
			break
		}
	}
}

// enough reports whether so many launches, merged until they have a percentile, have as many values of it as it takes
// to judge it.
func enough(spec figure.Spec, doc *rundoc.Run, launches int) bool {
	each := math.Ceil(float64(spec.Needs()) / max(float64(spec.Count(doc)), 1))
	return float64(launches)/each >= contrast.Least
}

// say tells something beside the line that shows how far it is.
func (c *Comparison) say(text string) {
	if c.shown != nil && c.shown.note != nil {
		c.shown.note(text)
		return
	}
	fmt.Fprintln(c.env.Stderr, units.Clean(text))
}

// firstOf is the first figure that both sides have in a launch.
func (c *Comparison) firstOf(l *setdoc.Launch) string {
	for i, f := range c.of.Figures {
		if a, b := l.Values[0][i], l.Values[1][i]; a.Value != nil && b.Value != nil {
			unit := figure.Unit(f.Unit)
			return fmt.Sprintf("%s %s and %s", f.Name, unit.Text(*a.Value), unit.Text(*b.Value))
		}
	}
	return "nothing to compare"
}
