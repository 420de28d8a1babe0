package loadline

import (
	"fmt"
	"math"
	"strings"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// ProbeOf is what a run at a load found: whether it met the goals, and all that was due was sent and answered without a
// queue that grew. Where the generator's own delays may explain a miss, or the generator did not offer the load, it is
// neither.
func ProbeOf(run *rundoc.Run, goals []threshold.Threshold, load float64) setdoc.Probe {
	p := setdoc.Probe{Member: run.ID, Load: load, LengthNS: run.Ledger.WindowNS, Result: setdoc.ProbeMet}
	total, _ := run.Totals() // the counts are right even where a time cannot be merged
	if s := float64(p.LengthNS) / 1e9; s > 0 && total.OK > 0 {
		p.Rate = new(float64(total.OK) / s)
		if run.OpenModel() { // what waited at the end of the window and ended in the drain came through later
			p.Rate = &total.RatePerS
		}
	}
	p.P99NS = total.ResponseTime.P99NS
	if slots := run.Little.Slots; slots > 0 && run.Little.InFlightSampled > 0 && run.OpenModel() {
		used := run.Little.InFlightSampled / float64(slots)
		if l := &run.Ledger; l.MaxClients > l.Clients { // clients are added as they are needed
			used *= float64(l.Clients) / float64(l.MaxClients)
		}
		p.SlotsUsed = &used
	}
	j := judging{run: run, total: &total, probe: &p, doubts: run.OwnReasons(), late: run.OpenModel() && run.StartedLate()}
	clients, _ := run.ClientsNeeded()
	j.few = clients > 0
	j.goals(goals)
	j.offered()
	switch {
	case len(p.Missed) > 0:
		p.Result, p.Why = setdoc.ProbeFailed, strings.Join(j.missed, "; ")
	case len(j.own) > 0:
		p.Result, p.Own, p.Why = setdoc.ProbeTellsNothing, true, strings.Join(j.own, "; ")
	case len(j.untold) > 0:
		p.Result, p.Why = setdoc.ProbeTellsNothing, strings.Join(j.untold, "; ")
	}
	return p
}

// judging is a probe that is being judged.
type judging struct {
	run    *rundoc.Run
	total  *rundoc.Operation
	probe  *setdoc.Probe
	missed []string // why it fails
	doubts []string // why the generator may be what was measured
	late   bool     // the generator did not offer the load
	few    bool     // the load needs more clients than there may be
	own    []string // why it tells nothing: the generator
	untold []string // likewise: too few operations
}

func (j *judging) miss(by, format string, args ...any) {
	j.probe.Missed = append(j.probe.Missed, by)
	j.missed = append(j.missed, fmt.Sprintf(format, args...))
}

// goals holds the run against the goals. One without a value because what was sent did not end ok, or never arrived, is
// missed: a server that answers nothing has no percentile.
func (j *judging) goals(goals []threshold.Threshold) {
	lost, doubted := j.total.Scheduled-j.total.OK, false
	for _, g := range goals {
		t := g.Judge(j.run)
		j.probe.Values = append(j.probe.Values, setdoc.Known{Value: t.Value, Why: t.Why})
		noneOK := t.Value == nil && 2*lost > j.total.Scheduled
		switch result := threshold.Of(&t); {
		case result == threshold.Met && j.barely(g, &t):
			j.own = append(j.own, threshold.Sentence(&t)+", which is close to the limit, and the load generator may have "+
				"affected it: "+j.doubt())
		case result == threshold.Met:
		case result == threshold.Missed && j.clear(g, &t):
			j.miss(t.Expr, "%s", threshold.Sentence(&t))
		case result == threshold.Missed, noneOK && j.ownFailures():
			j.own, doubted = append(j.own, threshold.Sentence(&t)), true
		case t.Value != nil:
			j.own = append(j.own, threshold.Sentence(&t))
		case g.Figure().Of(j.run).Never:
			j.miss(t.Expr, "%s was missed: %s", t.Expr, t.Why)
		case noneOK:
			j.miss(t.Expr, "%s cannot be evaluated: %s of %s failed%s", t.Expr, units.Number(lost),
				units.Count(j.total.Scheduled, "operation", "operations"), mostly(j.total.Causes))
		default:
			j.untold = append(j.untold, threshold.Sentence(&t))
		}
	}
	if doubted {
		j.own = append(j.own, "the load generator may be the cause: "+j.doubt())
	}
}

// doubt returns why the generator may have limited the probe, or "". The run's own report says what to do about it.
func (j *judging) doubt() string {
	switch {
	case j.ownFailures():
		return "operations failed" + mostly(j.total.Causes) + ", caused by the load generator"
	case len(j.doubts) == 0:
		return "the load generator started operations late"
	}
	for _, reason := range j.doubts {
		if j.few && strings.Contains(reason, " were busy") { // and says how many clients the load needs
			return strings.TrimSuffix(reason, ".")
		}
	}
	text, _, _ := strings.Cut(j.doubts[0], ". ")
	return strings.TrimSuffix(text, ".")
}

// clear reports whether a goal was missed by the target, whatever the generator did. Times without the generator's own
// delay still contain what it did to the target, such as a burst after a gap: a run with doubts about the generator
// must have missed the goal by more than that delay once more.
func (j *judging) clear(g threshold.Threshold, t *rundoc.Threshold) bool {
	switch {
	case g.Figure().Outcome():
		return !j.ownFailures()
	case j.late || j.few: // the load was another one, or the clients were the limit
		return false
	case len(j.doubts) == 0:
		return true
	case t.Free == nil:
		return false
	}
	return !g.Holds(*t.Free - (*t.Value - *t.Free))
}

// barely reports whether a goal was met, but is not to be believed: a miss would not be clear, since nobody knows the
// value without the generator's own delay, and the value is so near to the limit that it might as well have been one.
// To count what was met, and not what was missed, would find a line that is too high.
func (j *judging) barely(g threshold.Threshold, t *rundoc.Threshold) bool {
	if len(j.doubts) == 0 || t.Free != nil || t.Value == nil || g.Figure().Outcome() {
		return false
	}
	value, limit := *t.Value, g.Limit()
	if g.Op()[0] == '>' {
		if g.Figure().Unit() != figure.Share {
			return false
		}
		value, limit = 1-value, 1-limit
	}
	return nearLimit*value > limit
}

// nearLimit is how many times a value must fit into the limit to be far from it.
const nearLimit = 2

// maxOwnFailures is the share of the failed attempts that may be the generator's without a doubt about the rest.
const maxOwnFailures = 0.1

// ownFailures reports whether attempts failed for the generator's own reasons: it was too late to see the response, or
// had no file or port left.
func (j *judging) ownFailures() bool {
	own, all := int64(0), int64(0)
	for _, c := range j.total.Causes {
		all += c.Count
		switch c.Cause {
		case "own-timeout", "too-many-files", "no-local-port":
			own += c.Count
		}
	}
	return float64(own) > maxOwnFailures*float64(all)
}

// mostly names the most frequent of causes, if there is any.
func mostly(causes []rundoc.Cause) string {
	var most rundoc.Cause
	for _, c := range causes {
		if c.Count > most.Count {
			most = c
		}
	}
	if most.Count == 0 {
		return ""
	}
	return ", mostly with " + units.Clean(most.Cause)
}

// offered holds an open model's load against what became of it. What is due and never sent while all clients are busy
// is the target's doing, and so is a queue that grows while the generator keeps time.
func (j *judging) offered() {
	if !j.run.OpenModel() || j.total.Scheduled <= 0 {
		return
	}
	unsent := units.Number(j.total.Unsent) + " of " + units.Count(j.total.Scheduled, "operation", "operations")
	growth := Growth(j.run, j.total)
	switch {
	case j.few && (j.total.Unsent > 0 || growth > 0):
		if len(j.own) == 0 { // else it is told already
			j.own = append(j.own, j.doubt())
		}
	case j.total.Unsent > 0 && (j.late || j.run.UnsentWhileIdle()):
		j.own = append(j.own, unsent+" were scheduled but not sent, because of the load generator")
	case j.total.Unsent > 0:
		j.miss(setdoc.MissedSending, "%s were scheduled but not sent, because all clients were busy", unsent)
	case growth <= 0 && j.late && len(j.own) == 0:
		j.own = append(j.own, j.doubt())
	case growth <= 0:
	case j.late:
		j.own = append(j.own, "the load generator started operations late, and a queue grew")
	case len(j.doubts) > 0 && growth*float64(j.run.Ledger.WindowNS)/2e9 <= j.stalled():
		j.own = append(j.own, "a queue grew, and the load generator may be the cause: "+j.doubt())
	default:
		j.miss(setdoc.MissedQueue, "the queue grew by %s/s at an offered load of %s/s", units.PerSecond(growth),
			units.PerSecond(float64(j.total.Scheduled)/(float64(j.run.Ledger.WindowNS)/1e9)))
	}
}

// stalled returns the number of operations that were due while the generator did not run.
func (j *judging) stalled() float64 {
	h := j.run.Generator.Hiccups
	if h == nil || j.run.Ledger.WindowNS <= 0 {
		return 0
	}
	return float64(j.total.Scheduled) / float64(j.run.Ledger.WindowNS) * float64(h.GapsNS)
}

// What a queue must reach at the end of the window to be one that grew.
const (
	leastGrown = 0.005 // of what was due: a queue that grows by 1% of the load has this much more than its mean
	leastTime  = 0.025 // seconds of the load: what piles up in a pause at the very end of the window
	noise      = 3     // times the root of what is under way: what comes and goes by chance
)

// Growth is by how many operations a second the queue grew, of what was due and not answered; 0 where it did not. By
// Little's law load × mean response time are under way in a steady state, and of a queue that grows from nothing to the
// end of the window there is twice as much at that end.
func Growth(run *rundoc.Run, total *rundoc.Operation) float64 {
	seconds := float64(run.Ledger.WindowNS) / 1e9
	if seconds <= 0 || total.ResponseTime.Count <= 0 || len(run.Series) == 0 {
		return 0
	}
	ended := int64(0)
	for i := range run.Series {
		ended += run.Series[i].OK + run.Series[i].Failed
	}
	left := float64(total.Scheduled-total.Unsent+total.Carried) - float64(ended)
	steady := float64(total.Scheduled) / seconds * float64(total.ResponseTime.MeanNS) / 1e9
	more := left - steady
	least := max(float64(total.Scheduled)*max(leastGrown, leastTime/seconds), noise*math.Sqrt(max(steady, 1)))
	if more <= least {
		return 0
	}
	return 2 * more / seconds
}
