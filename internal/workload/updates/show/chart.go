package show

import (
	"math"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Drawing shows what the server applied, as far as it told of it; else what was published.
func (v *shown) Drawing() report.Drawing {
	d := v.View.Drawing()
	if v.detail.Proof == nil {
		return d
	}
	d.Line = v.line()
	if panels := v.panels(); len(panels) > 0 {
		d.Panels = panels
	}
	return d
}

// panels are the chart of what the server applied: how many updates, how soon after they
// were due, and how many so far; none when the server told no seconds.
func (v *shown) panels() []chart.Panel {
	series, window := v.series()
	c := chart.NewCourse(series, window)
	if c.Empty() {
		return nil
	}
	applied, response, total := c.Throughput("updates"), c.Response(), c.Cumulative("updates")
	applied.Title = strings.Replace(applied.Title, "Throughput", "Applied", 1)
	response.Title = strings.Replace(response.Title, "Response time", "End to end from the schedule", 1)
	if response.Empty != "" {
		response.Empty = "no second has enough batches, or none has times from the publisher on"
	}
	total.Title = "Updates applied so far"
	return []chart.Panel{applied, response, total}
}

// series is the server's course as the series of a run, and the length of its window.
func (v *shown) series() (series []rundoc.Point, windowNS int64) {
	seconds := windowSeconds(v.detail)
	windowNS = v.WindowNS
	whole := int64(math.Ceil(float64(v.WindowNS) / 1e9))
	var inside, after float64
	last := int64(-1)
	for _, s := range seconds {
		if s.Second < whole {
			inside += float64(s.Applied)
		} else {
			after += float64(s.Applied)
		}
		last = s.Second
		series = append(series, rundoc.Point{Second: s.Second, OK: s.Applied, P50NS: s.E2EP50NS, P99NS: s.E2EP99NS})
	}
	// The last batch of a window is often applied right after its end, and goes with its last second.
	// More than half a second's worth is a queue, and the chart goes on until it is worked off.
	if last >= whole && (whole <= 0 || after > 0.5*inside/float64(whole)) {
		windowNS = (last + 1) * 1e9
	}
	return series, windowNS
}

// line is the answer in a line.
func (v *shown) line() string {
	text, _, _ := strings.Cut(v.appliedAnswer(), " (")
	if s := v.detail.Stage(rundoc.StageE2EScheduled); s != nil {
		text += "  ·  " + stageAnswer(s)
	}
	proof := v.detail.Proof.Outcome()
	if !v.detail.Proof.Complete {
		proof = strings.ToUpper(proof)
	}
	return text + "  ·  proof " + proof + "  ·  " + string(v.Verdict.Validity)
}
