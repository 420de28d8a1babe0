package updates

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/internal/run"
)

// What a rate must keep to be sustained, in a probe of --duration.
const (
	// maxBehind bounds how long after it was due a batch is applied, but for one in a hundred. A second of which a quarter
	// is a queue is not real time.
	maxBehind = 250 * time.Millisecond
	// maxBacklog bounds the time from the window's end to the last batch applied, as a share of the window: 1% less than
	// what is offered is what a queue that grows shows in a probe.
	maxBacklog = 0.01

	probeTime   = 5 * time.Second  // long enough for a queue that grows to show
	probeSettle = 10 * time.Second // what has not come by then is not real time either
	// No rate below this is tried, unless the search begins there.
	lowestRate = 2
)

// Search is that for the largest rate that is sustained, which --max asks for; nil: a run.
func (c *Command) Search() *run.Search {
	if !c.Plan.Max {
		return nil
	}
	s := &run.Search{
		Start: c.Plan.Load.Rate, Lowest: min(lowestRate, c.Plan.Load.Rate), Length: probeTime,
		Within: c.Plan.SearchWithin, MaxTime: c.Plan.MaxTime,
		Own: []string{"max", "max-time", "within", "rate", "duration", "threshold"},
		Presets: []run.Preset{
			{Setting: DeadlineFlag, Value: maxBehind.String()}, {Setting: "settle", Value: probeSettle.String()},
		},
		Forms: c.Forms,
	}
	if c.length > 0 {
		s.Length = c.length
	}
	s.SLO = sustained(s.Length)
	for _, goal := range c.Goals.Thresholds {
		s.SLO = append(s.SLO, goal.Expr())
	}
	return s
}

// sustained are the goals of a probe of a rate that is sustained. That batches were due and not published, and that a
// queue grew before the publishers, fails a probe of every search.
func sustained(length time.Duration) []string {
	backlog := min(maxBehind, time.Duration(maxBacklog*float64(length))).Round(time.Microsecond)
	return []string{
		"failed<=0",     // and none was left over at the end of the window
		"incomplete<=0", // the proof
		"in_time>=99%",  // --deadline maxBehind
		fmt.Sprintf("backlog<=%v", backlog),
	}
}
