package rundoc

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/units"
)

// offered finds an open model's load that the generator did not offer, by its own fault.
//
// Operations that came due and were not sent are the target's doing as long as it kept the
// clients busy: an operation is only given up while all are. So the unsent share of the
// operations, at the highest rate that was asked for, takes at least that share of the
// window with all clients busy. Half of that is allowed for, because random arrivals come
// in bursts; less means that clients were free, and the generator did not use them. A client that pauses in a flow is
// not free. Where the load has no highest rate, since it comes as it once did, nothing can be said.
func (j *judgement) offered() {
	j.ownLimits(true)
	load := j.run.load()
	if !load.open() || j.total.Scheduled <= 0 {
		return
	}
	if late := j.run.Generator.ownLate(); j.tooLate(late) {
		j.say("The generator started %s of %s operations late (%s, limit %s)%s: the load was not offered as planned. "+
			"Lower the rate, or give the generator more CPU.",
			units.Number(late), units.Number(j.started()), units.Percent3(float64(late)/float64(j.started())),
			units.Percent3(MaxNotOffered), j.run.Generator.lateBy())
	}
	if limit := j.run.clientLimit(&j.total); limit != nil {
		j.say("%s", limit.reason)
	} else if busy, possible := j.run.Ledger.busyShare(); possible && j.unsentWhileIdle(load, busy) {
		all := j.run.arrivals(&j.total)
		j.say("%s of %s operations (%s) were not sent although the clients were busy for only %s of the window: "+
			"the load was not offered as planned. Lower the rate, or give the generator more CPU.",
			units.Number(j.total.Unsent), units.Number(all), units.Percent3(float64(j.total.Unsent)/float64(all)),
			units.Percent3(busy))
	}
}

// StartedLate reports whether more operations started late for the generator's own reasons than a load may have
// that is the one that was asked for. OwnLate has their number.
func (r *Run) StartedLate() bool {
	j := judgementOf(r)
	for i := range r.Operations {
		j.total.Scheduled += r.Operations[i].Scheduled
		j.total.Unsent += r.Operations[i].Unsent
	}
	return j.tooLate(r.Generator.ownLate())
}

// tooLate reports whether so many operations that started late make another load of the one that was asked for.
func (j *judgement) tooLate(late int64) bool {
	return float64(late) > MaxNotOffered*float64(j.started()) && !j.few(late)
}

// started is how many operations can have started late: one that was not sent has no start.
func (j *judgement) started() int64 { return j.total.Scheduled - j.total.Unsent }

// few reports whether so many late operations may be chance: fewer than a percentile needs
// above it, in a run so short that they are more than MaxNotOffered all the same.
func (j *judgement) few(late int64) bool {
	return late < MinAbove && late*MinAbove < j.started()
}

// UnsentWhileIdle reports whether operations that were due were left unsent although clients were free to send them:
// then it was the generator that did not offer the load, and not the target that kept the clients busy.
func (r *Run) UnsentWhileIdle() bool {
	load := r.load()
	j := judgementOf(r)
	for i := range r.Operations {
		j.total.Scheduled += r.Operations[i].Scheduled
		j.total.Unsent += r.Operations[i].Unsent
	}
	busy, possible := r.Ledger.busyShare()
	return load.open() && j.total.Scheduled > 0 && possible && j.unsentWhileIdle(load, busy)
}

func (j *judgement) unsentWhileIdle(load planLoad, busy float64) bool {
	arrivals := float64(j.run.arrivals(&j.total))
	unsent := float64(j.total.Unsent) / arrivals
	if load.recorded() || !(unsent > MaxNotOffered) {
		return false
	}
	mean := arrivals / seconds(j.window)
	needed := unsent * min(1, mean/load.peak()) // all of it of a plan without a rate
	return busy < needed/2
}

// MaxOwnFailures is the share of all attempts that may fail because of a limit of the generator's machine before no
// percentile up to p99.9 can be relied on.
const MaxOwnFailures = 0.001

// ownLimits finds attempts that failed because the generator's machine had no more files or ports, if they are more
// than MaxOwnFailures, or if they are at most that.
func (j *judgement) ownLimits(many bool) {
	for _, c := range j.total.Causes {
		if (float64(c.Count) > MaxOwnFailures*float64(j.total.Attempts)) != many {
			continue
		}
		switch c.Cause {
		case "too-many-files":
			j.say("%s of %s attempts failed because the generator reached its limit of open files. Raise the limit and run "+
				"again: ulimit -n %d", units.Number(c.Count),
				units.Number(j.total.Attempts), filesFor(j.run.Ledger.Clients))
		case "no-local-port":
			j.say("%s of %s attempts failed because the generator's machine had no free local port. Use fewer --clients, or "+
				"keep connections open.", units.Number(c.Count), units.Number(j.total.Attempts))
		}
	}
}

func (j *judgement) nothingOK() {
	if j.total.OK == 0 {
		j.say("None of %s operations succeeded, so there is nothing to measure. Check the target and the causes of the "+
			"errors.",
			units.Number(j.total.Scheduled))
	}
}

// missing finds operations that are in no figure of the others, and were not few.
func (j *judgement) missing() {
	o := j.run.Missing(&j.total)
	if o == nil || j.total.OK == 0 {
		return
	}
	of := units.Number(o.Scheduled) + " operations"
	if o.Name != totalName {
		of += " (" + units.Clean(o.Name) + ")"
	}
	what := "failed or were not sent"
	switch {
	case o.Unsent <= 0:
		what = "failed"
	case o.Failed <= 0:
		what = "were not sent"
	}
	j.say("%s of %s %s (limit %s): %s. Fix the causes of the errors, or lower the load.",
		units.Percent3(o.Missing()), of, what, units.Percent3(MaxMissing), j.run.Rest(o))
}

// Missing is the operation of which more than MaxMissing failed or was not sent: all of them together, or of unlike
// ones the one of which most is missing, since many of another kind would hide it. It is nil if there is none.
func (r *Run) Missing(total *Operation) *Operation {
	most, unlike := total, total.Missing() <= MaxMissing && !r.kind().alike()
	for i := range r.Operations {
		if o := &r.Operations[i]; unlike && o.Missing() > most.Missing() {
			most = o
		}
	}
	if most.Missing() <= MaxMissing {
		return nil
	}
	return most
}

// Missing is the share of what was scheduled that failed or was not sent.
func (o *Operation) Missing() float64 {
	if o.Scheduled <= 0 {
		return 0
	}
	return (float64(max(0, o.Failed)) + float64(max(0, o.Unsent))) / float64(o.Scheduled)
}

// Rest returns a clause that says which operations the times cover where others are missing. Operations that timed out
// count with the time until then. A kind may name other times than the response times.
func (r *Run) Rest(o *Operation) string {
	text := "the times cover only the rest"
	if d, ok := r.kind().(interface{ responses() string }); ok {
		text = d.responses() + " cover only the rest"
	}
	if late := min(o.Failed, o.ResponseTime.Count-o.OK-o.Unfinished); late > 0 {
		text += " and " + units.Number(late) + " that timed out"
	}
	return text
}

func (j *judgement) shortWindow() {
	if j.window > 0 && j.window < MinWindowNS {
		j.say("The window was only %s (minimum %s), so start and end effects dominate. Run longer, for example with "+
			"--duration 10s.", units.Duration(j.window), units.Duration(MinWindowNS))
	}
}

// commonDoubts are those of a kind whose operations are all of one sort, made by clients of this name.
func (j *judgement) commonDoubts(client string) {
	j.shortWindow()
	j.clientsLost(client)
	j.generator(j.run.apart())
}

func (j *judgement) clientsLost(client string) {
	if share := j.run.Ledger.lostShare(); share > MaxClientsLost {
		j.say("The %[3]ss spent %[1]s of their time backing off or disconnected (limit %[2]s): the load was that of fewer "+
			"%[3]ss. Check the causes of the errors.",
			units.Percent3(share), units.Percent3(MaxClientsLost), client)
	}
}

func (j *judgement) clockStep() {
	if step := max(j.run.Generator.ClockStepNS, -j.run.Generator.ClockStepNS); step > MaxClockStepNS {
		j.say("The wall clock stepped by %s during the run (limit %s): timestamps in files are off by that much. Durations "+
			"are not affected.", units.Duration(step),
			units.Duration(MaxClockStepNS))
	}
}

// LittleTolerance is the share of the predicted number in flight by which the measured one may differ: both are times
// of the same operations, read from the clock within some tens of nanoseconds of each other.
const LittleTolerance = 0.02

// The bound of documents before the rules 4, whose number in flight is a mean of samples: |sampled − predicted| ≤
// LittleTolerance·L + littleDeviations·√(v/n) + littleEdge/n, where L is the predicted number in flight, n the number
// of samples, and v the larger of their variance and L·(1 − L/slots), which is that of slots that are each busy or not
// independently.
const (
	littleDeviations = 4.5
	littleEdge       = 3.0
	// The least sample of documents of the rules 1, which do not have its variance.
	littleMinSamples = 100
	littleMinSum     = 10_000
)

// Bound returns by how much the measured number in flight may differ from the predicted one, and whether that can be
// judged: not if the bound is more than all that is in flight.
func (l Little) Bound() (bound float64, judged bool) {
	predicted, n := l.InFlightPredicted, float64(l.Samples)
	switch {
	case !(predicted > 0) || l.Samples <= 0 && l.InFlightSampled == 0:
		return 0, false
	case l.Samples <= 0:
		return LittleTolerance * predicted, true
	case l.Slots == 0: // a document that does not have the variance
		return LittleTolerance * predicted, l.Samples >= littleMinSamples && n*predicted >= littleMinSum
	}
	v := max(l.Variance, predicted*(1-predicted/float64(l.Slots)))
	bound = LittleTolerance*predicted + littleDeviations*math.Sqrt(v/n) + littleEdge/n
	return bound, bound <= predicted
}

// Judged reports whether the two numbers can be compared.
func (l Little) Judged() bool {
	_, judged := l.Bound()
	return judged
}

func (j *judgement) little() {
	l := j.run.Little
	bound, judged := l.Bound()
	off := l.InFlightSampled - l.InFlightPredicted
	if !judged || math.Abs(off) <= bound {
		return
	}
	if l.Samples > 0 {
		j.say("Little's law: %.4g operations were in flight by %s samples, but %.4g by throughput × service time, a "+
			"difference of %+.2f%% (limit %s). The generator may have been too busy to sample: give it more CPU.",
			l.InFlightSampled, units.Number(l.Samples), l.InFlightPredicted, 100*off/l.InFlightPredicted,
			units.Percent3(bound/l.InFlightPredicted))
		return
	}
	j.say("Little's law: the clients had %.4g operations in flight, but %.4g by the recorded times, a difference of "+
		"%+.2f%% (limit %s). This is a bug in Plimsoll: please report it with the run document.",
		l.InFlightSampled, l.InFlightPredicted, 100*off/l.InFlightPredicted, units.Percent3(LittleTolerance))
}
