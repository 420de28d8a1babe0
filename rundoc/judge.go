package rundoc

import (
	"fmt"
	"strings"
)

// The thresholds of the verdict. Shares are of 1.
const (
	// LedgerTolerance is how far the ledger's states may be from clients × window: the
	// stamps of a client's last state and of the window's end are not the same instant.
	LedgerTolerance = 0.001
	// LittleTolerance is how far the sampled number in flight may be from the predicted one.
	LittleTolerance = 0.02
	// LittleMinSamples is the least number of samples for Little's law to be judged.
	LittleMinSamples = 100
	// LittleMinSum is the least samples × predicted number in flight. The sampled mean of a
	// number that comes and goes at random has the relative error 1/√(samples × mean) at
	// most, so that below this sum chance alone would come near to LittleTolerance.
	LittleMinSum = 10_000
	// MaxCPUShare is how much of its CPUs the generator may use. Above it, operations wait
	// for a processor, and that shows as the target's time.
	MaxCPUShare = 0.85
	// MaxPauseShare is how much of the window garbage collection may stop the generator, or
	// a CPU quota throttle it.
	MaxPauseShare = 0.01
	// MaxOwnDelay is how much of the response time's p50 the p99 of the generator's own send
	// delay may be.
	MaxOwnDelay = 0.1
	// MaxMachineShare is how busy a machine may be that carries target and generator. The
	// figure is a mean over the window: at nine tenths, both wait for each other most of the time.
	MaxMachineShare = 0.9
	// MinMachineWindowNS is the shortest window whose busy share says anything: the kernel counts in
	// ticks of 10 ms, and of each CPU it has 50 of them then.
	MinMachineWindowNS = 500_000_000
	// MaxClockStepNS is how far the wall clock may step against the monotonic one.
	MaxClockStepNS = 10_000_000
	// MaxNotOffered is the share of the scheduled operations of an open model that may be
	// missing, or late, for the generator's own reasons.
	MaxNotOffered = 0.01
	// MaxClientsLost is how much of their time the clients may spend backing off or without a
	// connection. Above it, the load was that of noticeably fewer clients.
	MaxClientsLost = 0.2
	// MinWindowNS is the shortest window that shows more than start and end effects.
	MinWindowNS = 1_000_000_000
	// MaxOthersShare is the part of a busy machine's time that may be other programs' without
	// being told.
	MaxOthersShare = 0.1
)

// Judge checks the laws that hold in every run and says whether its numbers can be trusted.
// It is a function of the document alone, and does not read its Verdict and Warnings. A
// document's histograms are decoded, which takes some milliseconds.
//
// A broken law makes the run Invalid: Plimsoll counted wrongly. So does an open-model run in
// which the generator, not the target, kept the load from being offered. What may have
// distorted the numbers makes it Suspect. An interrupt does neither: the window is shorter,
// and true.
func Judge(run *Run) Verdict {
	j := judgement{run: run, window: run.window()}
	j.total, j.totalErr = run.Totals()

	j.laws()
	j.offered()
	invalid := len(j.reasons) > 0

	j.nothingOK()
	j.ownLimits()
	switch run.Workload {
	case WorkloadBandwidth:
		j.bandwidth(run.Bandwidth())
	case WorkloadOverhead:
		j.overhead(run.Overhead())
		j.overheadMissing(run.Overhead())
	case WorkloadUpdates:
		j.updates(run.Updates())
	default:
		j.shortWindow()
	}
	j.clientsLost()
	j.generator()
	j.ownDelay()
	j.little()

	v := Verdict{Validity: Valid, Reasons: j.reasons}
	switch {
	case invalid:
		v.Validity = Invalid
	case len(j.reasons) > 0:
		v.Validity = Suspect
	default:
		v.Reasons = []string{}
	}
	return v
}

// judgement collects reasons.
type judgement struct {
	run      *Run
	window   int64 // ns; 0 when not known
	total    Operation
	totalErr error
	reasons  []string
	unsaid   int // broken laws beyond maxBroken
}

func (j *judgement) say(format string, args ...any) {
	j.reasons = append(j.reasons, fmt.Sprintf(format, args...))
}

// laws adds a reason for every broken law, up to maxBroken.
func (j *judgement) laws() {
	j.conservation()
	j.ledger()
	j.attribution()
	j.times()
	j.series()
	if d := j.run.Bandwidth(); d != nil {
		j.bandwidthLaws(d)
	}
	if d := j.run.Overhead(); d != nil {
		j.overheadLaws(d)
	}
	if d := j.run.Updates(); d != nil {
		j.updatesLaws(d)
	}
	if len(j.reasons) > 0 {
		j.reasons[0] += j.whose()
	}
	if j.unsaid > 0 {
		j.say("broken law: %d more are not shown.", j.unsaid)
	}
}

// whose says who has to look for what broke a law. Of an updates run many figures are those of a
// server that may be anybody's.
func (j *judgement) whose() string {
	const bug = " This is a bug in Plimsoll: please report it, with this run's document."
	d := j.run.Updates()
	if d == nil || d.Proof == nil || j.run.Target.Embedded || !strings.HasPrefix(strings.TrimPrefix(j.reasons[0], "broken law: "), "updates: ") {
		return bug
	}
	return " Many of these figures are the key/value server's: if it, its broker and all between them are as they should be, this is a bug in Plimsoll, and please report it, with this run's document."
}

// maxBroken is how many broken laws are told one by one. What breaks one often breaks it for
// every operation.
const maxBroken = 10

func (j *judgement) broken(format string, args ...any) {
	if len(j.reasons) == maxBroken {
		j.unsaid++
		return
	}
	j.say("broken law: "+format+".", args...)
}

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
	if late := j.run.Generator.OwnLate; float64(late) > MaxNotOffered*scheduled && !j.few(late) {
		j.say("The generator started %s of %s operations (%s) late by more than half of the response time's p99, and more than 1 ms, "+
			"although a client was free: the load was not offered as asked. Lower the rate, or give the generator more CPU.",
			number(late), number(j.total.Scheduled), percent(float64(late)/scheduled))
	}
	if busy, possible := j.run.Ledger.busyShare(); possible && j.unsentWhileIdle(load, busy) {
		j.say("%s of %s operations (%s) were not sent although the clients were busy for only %s of the window: "+
			"the generator did not offer the load. Lower the rate, or give the generator more CPU.",
			number(j.total.Unsent), number(j.total.Scheduled), percent(float64(j.total.Unsent)/scheduled), percent(busy))
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
			j.say("%s attempts failed because the generator may open no more files: that is its limit, not the target's. "+
				"Raise the limit (ulimit -n), or use fewer clients.", number(c.Count))
		case "no-local-port":
			j.say("%s attempts failed because the generator had no local port left: that is its limit, not the target's. "+
				"Use fewer clients, or wait until closed connections have given theirs back.", number(c.Count))
		}
	}
}

func (j *judgement) nothingOK() {
	if j.total.OK == 0 {
		j.say("No operation ended ok, of %s scheduled: there is no performance to believe. "+
			"Look at the causes of the failures, and whether the target is the right one.", number(j.total.Scheduled))
	}
}

func (j *judgement) shortWindow() {
	if j.window > 0 && j.window < MinWindowNS {
		j.say("The window lasted only %s: start and end effects weigh heavily. "+
			"Make the run longer to rely on the figures.", duration(j.window))
	}
}

func (j *judgement) clientsLost() {
	if share := j.run.Ledger.lostShare(); share > MaxClientsLost {
		j.say("The %[3]ss spent %[1]s of their time backing off or without a connection (more than %[2]s): "+
			"the figures are those of fewer %[3]ss than asked for. Look at the causes of the failures.",
			percent(share), percent(MaxClientsLost), j.run.client())
	}
}

func (j *judgement) generator() {
	g := j.run.Generator
	switch {
	case g.CPUShare <= MaxCPUShare:
	case j.run.Workload == WorkloadOverhead:
		j.say("The client used %s of the %.3g CPUs that it may use (more than %s): calls waited for a processor, "+
			"and the figures contain that. Give it more CPUs%s.",
			percent(g.CPUShare), g.CPUs, percent(MaxCPUShare), j.ifSeveral(", or fewer clients at the same time"))
	default:
		j.say("The generator used %s of the %.3g CPUs that it may use (more than %s): the figures may be its limit, "+
			"not the target's. Give it more CPUs, or generate less load.",
			percent(g.CPUShare), g.CPUs, percent(MaxCPUShare))
	}
	collecting := g.GCPauseNS
	if j.run.Workload == WorkloadOverhead {
		collecting = 0 // the garbage is the SDK's, and collecting it is part of what a call costs
	}
	for _, p := range []struct {
		ns           int64
		what, advice string
	}{
		{collecting, "Garbage collection stopped the generator", j.lessGarbage()},
		{g.ThrottledNS, "The CPU quota throttled the generator", "Raise the quota of its cgroup."},
	} {
		if share := float64(p.ns) / float64(j.window); j.window > 0 && share > MaxPauseShare {
			j.say("%s for %s, %s of the window (more than %s), and the response times contain that. %s",
				p.what, duration(p.ns), percent(share), percent(MaxPauseShare), p.advice)
		}
	}
	j.sharedMachine()
	if step := max(g.ClockStepNS, -g.ClockStepNS); step > MaxClockStepNS {
		j.say("The wall clock stepped by %s during the run (more than %s): times of day in the files are off by that. "+
			"The durations are not; they come from the monotonic clock.", duration(step), duration(MaxClockStepNS))
	}
}

func (j *judgement) lessGarbage() string {
	if j.run.Workload == WorkloadBandwidth {
		return "Move more data, or use fewer streams."
	}
	return "Give it more memory or fewer " + j.run.client() + "s."
}

// ifSeveral is advice that has a meaning when there are several clients.
func (j *judgement) ifSeveral(advice string) string {
	if j.run.Ledger.Clients > 1 {
		return advice
	}
	return ""
}

func (j *judgement) sharedMachine() {
	busy, known := j.run.MachineShare()
	if !known || !j.run.Target.SameHost || busy <= MaxMachineShare {
		return
	}
	if j.run.Workload == WorkloadOverhead {
		j.say("This machine's CPUs were %s busy (more than %s): calls waited for a processor, and the figures contain that. "+
			"Stop other programs%s.", percent(busy), percent(MaxMachineShare), j.ifSeveral(", or use fewer clients at the same time"))
		return
	}
	if scheme, _, _ := strings.Cut(j.run.Target.URL, ":"); scheme == "file" || scheme == "mem" {
		j.say("This machine's CPUs were %s busy (more than %s): writing and reading here takes processors too, and may have waited for one. "+
			"Stop other programs, or use fewer streams.", percent(busy), percent(MaxMachineShare))
		return
	}
	const advice = "Put the target on a machine of its own to know its limit."
	if others, known := j.run.OthersShare(); known && others/busy > MaxOthersShare {
		j.say("Target and generator share this machine, and its CPUs were %s busy (more than %s). "+
			"Other programs used %s of that: stop those first. %s",
			percent(busy), percent(MaxMachineShare), percent(others/busy), advice)
		return
	}
	j.say("Target and generator share this machine, and its CPUs were %s busy (more than %s): "+
		"the throughput is what both can do together on these CPUs. %s", percent(busy), percent(MaxMachineShare), advice)
}

// ownDelay compares the generator's own part of the send delay with what it measures. The
// part that comes from waiting for a busy client is the target's doing and no doubt at all.
func (j *judgement) ownDelay() {
	if d := j.run.Updates(); d != nil {
		j.ownUpdateDelay(d)
		return
	}
	p50 := j.total.ResponseTime.P50NS
	if !j.ownTooLate(p50) {
		return
	}
	j.say("One operation in a hundred started %s or more too late although a client was free, "+
		"which is more than a tenth of the response time's p50 of %s: the response times contain the generator's own delay. "+
		"The service times are free of it. For the response times, give the generator more CPU or lower the rate.",
		duration(j.run.Generator.OwnDelayP99NS), duration(*p50))
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
			"that differs by %+.2f %% (more than %s). The generator may have been too busy to sample, or times are wrong: "+
			"run it again with less load, and compare.",
			l.InFlightSampled, number(l.Samples), l.InFlightPredicted, 100*off, percent(LittleTolerance))
	}
}
