package rundoc

import (
	"github.com/plimsoll/plimsoll/internal/units"
)

// offered finds an open model's load that the generator did not offer, by its own fault.
//
// Operations that came due and were not sent are the target's doing as long as it kept the
// clients busy: an operation is only given up while all are. So the unsent share of the
// operations, at the highest rate that was asked for, takes at least that share of the
// window with all clients busy. Half of that is allowed for, because random arrivals come
// in bursts; less means that clients were free, and the generator did not use them.
func (j *judgement) offered() {
	load := j.run.load()
	if !load.open() || j.total.Scheduled <= 0 {
		return
	}
	scheduled := float64(j.total.Scheduled)
	if late := j.run.Generator.ownLate(); float64(late) > MaxNotOffered*scheduled && !j.few(late) {
		j.say("The generator started %s of %s operations (%s) late by more than half of the "+
			"response time's p99, and more than 1 ms, "+
			"although a client was free: the load was not offered as asked. Lower the rate, "+
			"or give the generator more CPU.",
			units.Number(late), units.Number(j.total.Scheduled), units.Percent3(float64(late)/scheduled))
	}
	if busy, possible := j.run.Ledger.busyShare(); possible && j.unsentWhileIdle(load, busy) {
		j.say("%s of %s operations (%s) were not sent although the clients were busy for only %s of the window: "+
			"the generator did not offer the load. Lower the rate, or give the generator more CPU.",
			units.Number(j.total.Unsent), units.Number(j.total.Scheduled),
			units.Percent3(float64(j.total.Unsent)/scheduled), units.Percent3(busy))
	}
}

// few reports whether so many late operations may be chance: fewer than a percentile needs
// above it, in a run so short that they are more than MaxNotOffered all the same.
func (j *judgement) few(late int64) bool {
	return late < MinAbove && late*MinAbove < j.total.Scheduled
}

func (j *judgement) unsentWhileIdle(load planLoad, busy float64) bool {
	unsent := float64(j.total.Unsent) / float64(j.total.Scheduled)
	if unsent <= MaxNotOffered {
		return false
	}
	needed := unsent
	if peak := load.peak(); peak > 0 && j.window > 0 {
		mean := float64(j.total.Scheduled) / seconds(j.window)
		needed *= min(1, mean/peak)
	}
	return busy < needed/2
}

// ownLimits finds attempts that failed for want of files or ports on the generator's side.
func (j *judgement) ownLimits() {
	for _, c := range j.total.Causes {
		switch c.Cause {
		case "too-many-files":
			j.say("%s attempts failed because the generator may open no more files: that is "+
				"its limit, not the target's. Raise the limit (ulimit -n), or use fewer clients.",
				units.Number(c.Count))
		case "no-local-port":
			j.say("%s attempts failed because the generator had no local port left: that is "+
				"its limit, not the target's. Use fewer clients, or wait until closed "+
				"connections have given theirs back.", units.Number(c.Count))
		}
	}
}

func (j *judgement) nothingOK() {
	if j.total.OK == 0 {
		j.say("No operation ended ok, of %s scheduled: there is no performance to believe. "+
			"Look at the causes of the failures, and whether the target is the right one.",
			units.Number(j.total.Scheduled))
	}
}

func (j *judgement) shortWindow() {
	if j.window > 0 && j.window < MinWindowNS {
		j.say("The window lasted only %s: start and end effects weigh heavily. "+
			"Make the run longer to rely on the figures.", units.Duration(j.window))
	}
}

// commonDoubts are those of a kind whose operations are all of one sort, made by clients of this name.
func (j *judgement) commonDoubts(client string) {
	j.shortWindow()
	j.clientsLost(client)
	j.generator("Give it more memory or fewer " + client + "s.")
	j.ownDelay()
}

func (j *judgement) clientsLost(client string) {
	if share := j.run.Ledger.lostShare(); share > MaxClientsLost {
		j.say("The %[3]ss spent %[1]s of their time backing off or without a connection (more than %[2]s): "+
			"the figures are those of fewer %[3]ss than asked for. Look at the causes of the failures.",
			units.Percent3(share), units.Percent3(MaxClientsLost), client)
	}
}

// generator finds what the generator lacked. The advice is for one that garbage collection stopped.
func (j *judgement) generator(lessGarbage string) {
	j.ownCPU()
	j.paused(j.run.Generator.GCPauseNS, "Garbage collection stopped the generator", lessGarbage)
	j.throttled()
	j.sharedMachine()
	j.clockStep()
}

func (j *judgement) ownCPU() {
	if g := j.run.Generator; g.CPUShare > MaxCPUShare {
		j.say("The generator used %s of the %.3g CPUs that it may use (more than %s): the figures may be its limit, "+
			"not the target's. Give it more CPUs, or generate less load.",
			units.Percent3(g.CPUShare), g.CPUs, units.Percent3(MaxCPUShare))
	}
}

func (j *judgement) throttled() {
	if ns := j.run.Generator.ThrottledNS; ns != nil {
		j.paused(*ns, "The CPU quota throttled the generator", "Raise the quota of its cgroup.")
	}
}

func (j *judgement) paused(ns int64, what, advice string) {
	if share := float64(ns) / float64(j.window); j.window > 0 && share > MaxPauseShare {
		j.say("%s for %s, %s of the window (more than %s), and the response times contain that. %s",
			what, units.Duration(ns), units.Percent3(share), units.Percent3(MaxPauseShare), advice)
	}
}

func (j *judgement) clockStep() {
	if step := max(j.run.Generator.ClockStepNS, -j.run.Generator.ClockStepNS); step > MaxClockStepNS {
		j.say("The wall clock stepped by %s during the run (more than %s): times of day in the files are off by that. "+
			"The durations are not; they come from the monotonic clock.", units.Duration(step),
			units.Duration(MaxClockStepNS))
	}
}

// busyMachine is how busy a machine was that carried generator and target, and whether that is too much.
func (j *judgement) busyMachine() (share float64, much bool) {
	busy, known := j.run.MachineShare()
	return busy, known && j.run.Target.SameHost && busy > MaxMachineShare
}

func (j *judgement) sharedMachine() {
	busy, much := j.busyMachine()
	if !much {
		return
	}
	const advice = "Put the target on a machine of its own to know its limit."
	if others, known := j.run.OthersShare(); known && others/busy > MaxOthersShare {
		j.say("Target and generator share this machine, and its CPUs were %s busy (more than %s). "+
			"Other programs used %s of that: stop those first. %s",
			units.Percent3(busy), units.Percent3(MaxMachineShare), units.Percent3(others/busy), advice)
		return
	}
	j.say("Target and generator share this machine, and its CPUs were %s busy (more than %s): "+
		"the throughput is what both can do together on these CPUs. %s", units.Percent3(busy),
		units.Percent3(MaxMachineShare), advice)
}

// ownDelay compares the generator's own part of the send delay with what it measures. The
// part that comes from waiting for a busy client is the target's doing and no doubt at all.
func (j *judgement) ownDelay() {
	p50 := j.total.ResponseTime.P50NS
	if !j.ownTooLate(p50) {
		return
	}
	j.say("One operation in a hundred started %s or more too late although a client was free, "+
		"which is more than a tenth of the response time's p50 of %s: the response times "+
		"contain the generator's own delay. The service times are free of it. For the response times, give the "+
		"generator more CPU or lower the rate.",
		units.Duration(j.run.Generator.OwnDelayP99NS), units.Duration(*p50))
}

// ownTooLate reports whether the p99 of the generator's own delay is too large a part of a p50. It rests on
// one operation in a hundred. Where that is fewer than a percentile needs above it, a few late ones may
// be chance, and none of the percentiles that are shown has them: the document does not have the
// others' own delays, but no more of them can be late than have a send delay as long.
func (j *judgement) ownTooLate(p50 *int64) bool {
	if !j.run.OpenModel() || p50 == nil {
		return false
	}
	limit := MaxOwnDelay * float64(*p50)
	if float64(j.run.Generator.OwnDelayP99NS) <= limit {
		return false
	}
	h, err := j.total.SendDelay.Histogram()
	if err != nil || h == nil || supported(j.total.SendDelay.Count, 990) {
		return true
	}
	late := int64(0)
	for _, bar := range h.Distribution() {
		if float64(bar.From) > limit {
			late += bar.Count
		}
	}
	return !j.few(late)
}

// Judged reports whether the sample is large enough for its difference from the prediction to
// mean anything: LittleMinSamples and LittleMinSum say how large that is.
func (l Little) Judged() bool {
	return l.Samples >= LittleMinSamples && float64(l.Samples)*l.InFlightPredicted >= LittleMinSum
}

func (j *judgement) little() {
	l := j.run.Little
	if !l.Judged() {
		return
	}
	if off := l.InFlightSampled/l.InFlightPredicted - 1; off > LittleTolerance || off < -LittleTolerance {
		j.say("Little's law: %.4g operations were in flight by %s independent samples, but %.4g by throughput × time; "+
			"that differs by %+.2f %% (more than %s). The generator may have been too busy "+
			"to sample, or times are wrong: run it again with less load, and compare.",
			l.InFlightSampled, units.Number(l.Samples), l.InFlightPredicted, 100*off, units.Percent3(LittleTolerance))
	}
}
