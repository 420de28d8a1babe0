package comparisons

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/contrast"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/pair"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/setdoc"
)

// mostTime bounds what a comparison takes that decides itself how long a side is measured, in fewest launches at least.
// A figure that would take longer is shown and not judged, unless it was asked for.
const mostTime = 5 * time.Minute

// fewest is as many launches as it takes to judge by, and two that may turn out to be too short for a percentile.
const fewest = contrast.Least + 2

// lengthSetting is the setting by which a side is measured for longer.
const lengthSetting = "duration"

// fitsItself reports whether the comparison decides how long a side is measured: the user did not, and it matters to a
// figure.
func (r *Request) fitsItself(rows []row) bool {
	if !slices.ContainsFunc(rows, func(one row) bool { return one.spec.Needs() > 0 }) {
		return false
	}
	for side := range r.Sides {
		call := &r.Sides[side].Call
		at := slices.IndexFunc(call.Kind.InTurn, func(p run.Preset) bool { return p.Setting == lengthSetting })
		if at < 0 {
			return false
		}
		decides := append([]string{lengthSetting}, call.Kind.InTurn[at].Unless...)
		for _, given := range slices.Concat(call.Given, r.Both) {
			if slices.Contains(decides, given.Name) {
				return false
			}
		}
	}
	return true
}

// pilot makes a launch that counts for nothing, and decides by its rates how long a side is measured in each that does.
func (c *Comparison) pilot(soft, hard context.Context) error {
	if !c.fits {
		return nil
	}
	jobs, err := c.jobs(0)
	if err != nil {
		return err
	}
	o := c.options(0)
	o.Member.Set, o.Member.Of, o.Member.What = "", 0, "pilot launch"
	begun := time.Now()
	made := c.launch(soft, hard, c.env, jobs, o)
	took := time.Since(begun)
	if err := c.hopeless(0, made); err != nil {
		return err
	}
	if soft.Err() != nil || made.Docs[0] == nil || made.Docs[1] == nil {
		return nil
	}
	return c.fit(made, took)
}

// fit decides how long a side is measured in a launch, how many launches there are, and which figures are not judged,
// by a launch that took so long.
func (c *Comparison) fit(made *pair.Made, took time.Duration) error {
	length := min(time.Duration(made.Docs[0].Ledger.WindowNS), time.Duration(made.Docs[1].Ledger.WindowNS))
	between := max(took-c.sides(length), 0)
	all := func(launches int, length time.Duration) time.Duration {
		return time.Duration(launches) * (c.sides(length) + between)
	}
	longest := ""
	for i := range c.rows {
		one := &c.rows[i]
		switch needs, known := one.length(made, c.request.Launches); {
		case known && !one.wanted && all(fewest, needs) > mostTime:
			one.Info = true
			c.of.LeftOut = append(c.of.LeftOut, fmt.Sprintf("%s is not tested: it would need %v per side and launch, "+
				"%v in total; --metric +%s includes it", one.Name, needs, all(fewest, needs).Round(time.Minute),
				one.Name))
		case known && needs > length:
			length, longest = needs, one.Name
		}
	}
	launches := c.request.Launches
	for _, fewer := range []int{2 * contrast.Least, fewest} {
		if c.request.Fewer && all(launches, length) > mostTime {
			launches = min(launches, fewer)
		}
	}
	if err := c.replan(launches, length); err != nil {
		return err
	}
	c.each = c.sides(length) + between
	c.shown.each.Store(int64(c.each))
	c.shown.most.Store(int64(launches))
	if !c.request.Forms.Quiet {
		c.say(c.fitted(longest, length))
	}
	return nil
}

// sides is how long both sides of a launch are measured, if each is for so long.
func (c *Comparison) sides(length time.Duration) time.Duration {
	if c.of.Way == setdoc.AtOnce {
		return length
	}
	return 2 * length
}

// length is how long a side has to be measured to have a row in each of so many launches, by the rates of both sides in
// one; false where any length will do, or nobody knows.
func (r *row) length(made *pair.Made, launches int) (length time.Duration, known bool) {
	needs := float64(r.spec.Needs())
	if needs == 0 {
		return 0, false
	}
	// No two windows have as many: the number in a given time has the standard deviation √n where arrivals are random, and
	// a rate that falls by a fifth is nothing unusual. Where each launch is needed, none may be too short.
	room := 1.25
	if launches < fewest {
		room = 1.5
	}
	takes := room * (needs + 4*math.Sqrt(needs))
	for _, doc := range made.Docs {
		count, window := float64(r.spec.Count(doc)), float64(doc.Ledger.WindowNS)
		if count <= 0 || window <= 0 {
			return 0, false
		}
		length = max(length, time.Duration(min(takes*window/count, float64(math.MaxInt64/1000))))
	}
	const step = 100 * time.Millisecond
	return (length + step - 1).Truncate(step), true
}

// replan has the launches to come be of another length, and so many.
func (c *Comparison) replan(launches int, length time.Duration) error {
	c.request.length = length
	both, err := c.request.resolve(c.env)
	if err != nil {
		return err
	}
	for side := range both {
		c.of.Sides[side].Plan = both[side].plan
	}
	c.request.Launches = launches
	c.of.Figures, c.of.Looks = compared(c.rows), contrast.Looks(launches)
	c.of.Alphas = contrast.Alphas(c.of.Looks, contrast.Judged(c.of.Figures))
	c.Doc.Planned = 2 * launches
	c.analyze(c.of)
	return nil
}

// fitted says what was decided by the pilot launch.
func (c *Comparison) fitted(longest string, length time.Duration) string {
	text := fmt.Sprintf("each side is measured for %v per launch", length)
	if longest != "" {
		text += ", as long as its " + longest + " needs"
	}
	for _, left := range c.of.LeftOut {
		text += "; " + left
	}
	n := c.request.Launches
	return text + fmt.Sprintf("; up to %s, about %v", units.Count(int64(n), "launch", "launches"),
		(time.Duration(n)*c.each).Round(time.Second))
}
