package http

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
)

// recorded reads what --recorded-times is about, since the rate and the length of the run follow from it, and the rest
// of the plan from them.
func (c *Command) recorded(given func(flag string) bool) error {
	r := &c.Plan.Request
	switch {
	case !r.Recorded || r.File == "" || r.Speed <= 0: // a rule refuses it
		return nil
	case given("arrivals"):
		return usage("--recorded-times and --arrivals cannot be combined: both set when requests start").
			Hint("use one of them")
	}
	_, err := c.Plan.script(unnamed)
	return err
}

// shortest is how long a log is played at least.
const shortest = time.Millisecond

// keepTimes has the requests of a log begin at their recorded times, for as long as the log is, or as the user says if
// that is shorter. Those of a recording have their pauses.
func (p *Plan) keepTimes(s *script.Script) error {
	if s.Times == nil {
		if s.Left == nil {
			return usage("--recorded-times: %s contains no times", p.Request.File).
				Hint("use an access log or a HAR file; in a requests file, write pause: instead")
		}
		p.quicken(s)
		return nil
	}
	l := &p.Load
	if l.Rate > 0 || len(l.Stages) > 0 {
		return nil // which the rule about both has refused, or this was called before
	}
	length := max(p.sooner(s.Length), p.sooner(s.Times[len(s.Times)-1])+1, shortest) // the last of them, too
	if l.Duration == 0 && l.Operations == 0 && length > plan.MaxTime {
		return usage("--recorded-times: replaying %s would take %v; a run can take at most %v", p.Request.File,
			length.Truncate(time.Second), plan.MaxTime).Hint("raise --speed, or set --duration")
	}
	l.Arrivals, l.Recorded = plan.AsRecorded, true
	l.Rate = float64(len(s.Times)) / length.Seconds()
	if l.Duration == 0 && l.Operations >= int64(len(s.Times)) {
		l.Operations = 0 // all of them: as long as the log
	}
	switch {
	case l.Operations > 0 && l.Duration == 0: // they end the run
	case l.Duration == 0 || l.Duration > length:
		l.Duration = length
	}
	return nil
}

// quicken makes the pauses of a recording shorter.
func (p *Plan) quicken(s *script.Script) {
	for i := range s.Flows {
		for j := range s.Flows[i].Steps {
			step := &s.Flows[i].Steps[j]
			step.Pause = p.sooner(step.Pause)
		}
	}
}

// sooner is how long d lasts at the speed of the plan.
func (p *Plan) sooner(d time.Duration) time.Duration {
	return time.Duration(float64(d) / p.Request.Speed)
}
