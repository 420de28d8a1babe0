package rundoc

import "fmt"

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
	v, whose := judge(run)
	if whose != "" {
		v.Reasons[0] += " " + whose
	}
	return v
}

// judge is Judge without saying who has to look for what broke a law: that is returned, and "" where none
// is broken.
func judge(run *Run) (v Verdict, whose string) {
	j := judgement{run: run, window: run.window()}
	j.total, j.totalErr = run.Totals()

	j.laws()
	if len(j.reasons) > 0 {
		whose = j.whose
	}
	j.offered()
	invalid := len(j.reasons) > 0

	j.nothingOK()
	j.ownLimits()
	run.kind().doubts(&j)
	j.little()

	v = Verdict{Validity: Valid, Reasons: j.reasons, Rules: Rules}
	switch {
	case invalid:
		v.Validity = Invalid
	case len(j.reasons) > 0:
		v.Validity = Suspect
	default:
		v.Reasons = []string{}
	}
	return v, whose
}

// judgement collects reasons.
type judgement struct {
	run      *Run
	window   int64 // ns; 0 when not known
	total    Operation
	totalErr error
	reasons  []string
	unsaid   int    // broken laws beyond maxBroken
	whose    string // who has to look for what broke a law
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
	j.courses()
	j.offeredOverTime()
	j.slices()
	j.totals()
	j.twice()
	j.whose = "This is a bug in Plimsoll: please report it, with this run's document."
	j.run.kind().laws(j)
	if j.unsaid > 0 {
		j.say("broken law: %d more are not shown.", j.unsaid)
	}
}

// brokenLaw begins the reason for a broken law.
const brokenLaw = "broken law: "

// maxBroken is how many broken laws are told one by one. What breaks one often breaks it for
// every operation.
const maxBroken = 10

func (j *judgement) broken(format string, args ...any) {
	if len(j.reasons) == maxBroken {
		j.unsaid++
		return
	}
	j.say(brokenLaw+format+".", args...)
}
