package report

import (
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/rundoc"
)

// updatesPanels are the chart of what the server applied: how many updates, how soon after they
// were due, and how many so far. It is false when the server told no seconds.
func (v *view) updatesPanels() ([]panel, bool) {
	c := newCourse(v.asSeries())
	if len(c.bins) == 0 {
		return nil, false
	}
	w := *v
	w.words = words{"update", "updates", "updates"}
	applied, response, total := c.throughput(&w), c.response(), c.cumulative(&w)
	applied.title = strings.Replace(applied.title, "Throughput", "Applied", 1)
	response.title = strings.Replace(response.title, "Response time", "End to end from the schedule", 1)
	if response.empty != "" {
		response.empty = "no second has enough batches, or none has times from the publisher on"
	}
	if !slices.ContainsFunc(c.bins, func(b bin) bool { return b.p99 > 0 }) && len(response.legend) > 1 {
		response.legend, response.alone = response.legend[:1], true // few seconds have enough batches
	}
	total.title = "Updates applied so far"
	return []panel{applied, response, total}, true
}

// asSeries is the server's course as the series of a run.
func (v *view) asSeries() *rundoc.Run {
	seconds := windowSeconds(v.updates)
	run := &rundoc.Run{Ledger: rundoc.Ledger{WindowNS: v.windowNS}}
	whole := int64(math.Ceil(float64(v.windowNS) / 1e9))
	var inside, after float64
	last := int64(-1)
	for _, s := range seconds {
		if s.Second < whole {
			inside += float64(s.Applied)
		} else {
			after += float64(s.Applied)
		}
		last = s.Second
		run.Series = append(run.Series, rundoc.Point{Second: s.Second, OK: s.Applied, P50NS: s.E2EP50NS, P99NS: s.E2EP99NS})
	}
	// The last batch of a window is often applied right after its end, and goes with its last second.
	// More than half a second's worth is a queue, and the chart goes on until it is worked off.
	if last >= whole && (whole <= 0 || after > 0.5*inside/float64(whole)) {
		run.Ledger.WindowNS = (last + 1) * 1e9
	}
	return run
}

// updatesLine is the answer in a line.
func (v *view) updatesLine() string {
	text, _, _ := strings.Cut(v.appliedAnswer(), " (")
	if s := v.updates.Stage(rundoc.StageE2EScheduled); s != nil {
		text += "  ·  " + stageAnswer(s)
	}
	proof := v.updates.Proof.Outcome()
	if !v.updates.Proof.Complete {
		proof = strings.ToUpper(proof)
	}
	return text + "  ·  proof " + proof + "  ·  " + string(v.verdict.Validity)
}
