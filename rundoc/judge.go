package rundoc

import (
	"fmt"
	"slices"
	"strings"
)

// The thresholds of the verdict. Shares are of 1.
const (
	// LedgerTolerance is how far the ledger's states may be from clients × window: the
	// stamps of a client's last state and of the window's end are not the same instant.
	LedgerTolerance = 0.001
	// MinSpan and MinSpanNS are how far a percentile of the raw times may be above the free one, as a share of
	// the raw one and at least in ns, before the generator's own delay is more than an edge of the figure. The
	// larger of the two counts: below 5 ms a freeze is no worse than a system's usual scheduling.
	MinSpan   = 0.25
	MinSpanNS = 5_000_000
	// MinOwnShare is the part of all time that must be own delay besides, so that one unlucky answer of a small
	// sample does not make the doubt.
	MinOwnShare = 0.1
	// MaxOwnClosed is how much of the response times may be own delay in the closed model, where clients that wait
	// for the generator ask the target for less. MinOwnClosedNS is the least mean own delay for that: a target that
	// answers at once leaves nothing but the generator's few microseconds.
	MaxOwnClosed   = 0.6
	MinOwnClosedNS = 250_000
	// LongGapNS is how long the generator must not have run for that to be no matter of scheduling. MaxGapShare is
	// how much of the window such gaps may take: of 0.2% of operations that are due meanwhile, p99 knows nothing.
	LongGapNS   = 50_000_000
	MaxGapShare = 0.002
	// MaxThrottled is how much of the window a CPU quota may throttle the generator, on the mean of its CPUs.
	MaxThrottled = 0.01
	// MaxRunDelay is how much longer the generator's threads may have waited for a CPU than they ran, and
	// MaxRunDelayShare how long in each second. Many threads that are woken at once wait for each other on a quiet
	// machine, too: only both together were never seen on one.
	MaxRunDelay      = 2.0
	MaxRunDelayShare = 0.5
	// MaxSharedDelay is MaxRunDelay on a busy machine that carries the target, too: a third of the time that the
	// generator wanted to run, it did not.
	MaxSharedDelay = 0.5
	// MaxGCShare is the share of the CPU time available to the generator that garbage collection may use: above it, its
	// memory limit makes it collect over and over, and responses wait for that. The share of the CPU time that it used
	// says nothing: a generator that is nearly idle uses most of it for its few collections.
	MaxGCShare = 0.1
	// MaxSmallDelay is the share by which generator delay may increase the mean and the percentiles before a cause of it,
	// such as garbage collection, counts.
	MaxSmallDelay = 0.1
	// MaxCPUShare is how much of its CPUs the generator may use where nobody knows how long it waited for one, or how
	// long answers waited for it. Where both are known, a generator that uses more without waiting is not limited by it.
	MaxCPUShare = 0.85
	// MaxMachineShare is how busy a machine may be that carries target and generator. The
	// figure is a mean over the window: at nine tenths, both wait for each other most of the time.
	MaxMachineShare = 0.9
	// MinMachineWindowNS is the shortest window whose busy share says anything: the kernel counts in
	// ticks of 10 ms, and of each CPU it has 50 of them then.
	MinMachineWindowNS = 500_000_000
	// MaxClockStepNS is how far the wall clock may step against the monotonic one.
	MaxClockStepNS = 10_000_000
	// MaxNotOffered is the share of the scheduled operations of an open model that may be
	// missing, or late, for the generator's own reasons. Late is what starts later than it could by more than half
	// of the free response time's p99, by more than MinLateNS, and by at least half of the send delay:
	// Generator.OwnLate counts it.
	MaxNotOffered = 0.01
	MinLateNS     = 5_000_000
	// MaxMissing is the share of what was scheduled, or of what was tried in one row of a table, that may fail or not
	// be sent. Above it, the times are those of the rest: of a target that users do not have.
	MaxMissing = 0.01
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
// document's histograms are decoded, which takes a few milliseconds.
//
// A broken law makes the run Invalid: Plimsoll counted wrongly. So does an open-model run in
// which the generator, not the target, kept the load from being offered. What may have
// distorted the numbers makes it Suspect. An interrupt does neither: the window is shorter,
// and true. Where nothing is found, but not everything was watched, it is valid as far as that goes.
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
	j := judgementOf(run)
	j.total, j.totalErr = run.sum(j.samples, noText)

	j.laws()
	if len(j.reasons) > 0 {
		whose = j.whose
	}
	j.offered()
	invalid := len(j.reasons) > 0

	j.nothingOK()
	j.missing()
	j.ownLimits(false)
	run.kind().doubts(&j)
	j.little()

	unseen := run.Generator.Unseen
	v = Verdict{Validity: Valid, Reasons: j.reasons, Unseen: slices.Clone(unseen), Rules: Rules}
	switch {
	case invalid:
		v.Validity = Invalid
	case len(j.reasons) > 0:
		v.Validity = Suspect
	default:
		v.Reasons = []string{}
		if len(unseen) > 0 {
			v.Validity = Seen
		}
	}
	return v, whose
}

// judgement collects reasons.
type judgement struct {
	run      *Run
	window   int64 // ns; 0 when not known
	total    Operation
	totalErr error
	samples  *samples
	runDelay *int64 // of what was measured; nil when not known
	reasons  []string
	unsaid   int    // broken laws beyond maxBroken
	whose    string // who has to look for what broke a law
}

func judgementOf(run *Run) judgement {
	return judgement{run: run, window: run.window(), samples: newSamples(), runDelay: run.Generator.RunDelayNS}
}

func (j *judgement) say(format string, args ...any) {
	j.reasons = append(j.reasons, fmt.Sprintf(format, args...))
}

// laws adds a reason for every broken law, up to maxBroken.
func (j *judgement) laws() {
	j.conservation()
	j.flows()
	j.ledger()
	j.attribution()
	j.times()
	j.ownTimes()
	j.instrument()
	j.series()
	j.courses()
	j.offeredOverTime()
	j.slices()
	j.totals()
	j.twice()
	j.whose = "This is a bug in Plimsoll: please report it with the run document."
	j.run.kind().laws(j)
	if j.unsaid > 0 {
		j.say("%s%d more are not shown.", brokenLaw, j.unsaid)
	}
}

// brokenLaw is the prefix of the reason for a violated invariant, and oldBrokenLaw that in documents of older versions.
const (
	brokenLaw    = "invariant violated: "
	oldBrokenLaw = "broken law: "
)

// maxBroken limits the violated invariants that are listed. One is often violated for every operation.
const maxBroken = 10

func (j *judgement) broken(format string, args ...any) {
	if len(j.reasons) == maxBroken {
		j.unsaid++
		return
	}
	j.say(brokenLaw+format+".", args...)
}

// Validity says whether the numbers of a run can be trusted.
type Validity string

// The verdicts, from best to worst.
const (
	Valid   Validity = "valid"                // nothing found
	Seen    Validity = "valid as far as seen" // nothing found, by fewer watches than there are; Unseen names the others
	Suspect Validity = "suspect"              // believe it with care; exit 0
	Invalid Validity = "invalid"              // do not use it; exit 4
)

// Rules is the number of the rules of Judge: of its laws, its doubts and their thresholds. It is raised
// by a change after which a document may get another verdict.
const Rules = 4

// Verdict is the judgement of a run, with its reasons.
type Verdict struct {
	Validity Validity `json:"validity"`
	Reasons  []string `json:"reasons"`
	// Unseen names the watches that were not to be had on this system, each with the reason.
	Unseen []string `json:"unseen,omitempty"`
	// Rules is the number of the rules that it was found by. It is absent in documents of before the
	// rules had one.
	Rules int `json:"rules,omitempty"`
}

// Broken reports whether the verdict says that an invariant is violated.
func (v *Verdict) Broken() bool {
	return v.Validity == Invalid && len(v.Reasons) > 0 &&
		(strings.HasPrefix(v.Reasons[0], brokenLaw) || strings.HasPrefix(v.Reasons[0], oldBrokenLaw))
}

// Threshold is a goal of a run, and whether it was met. It is held against the raw figure, the generator's own delay
// included: that is what was measured.
type Threshold struct {
	Expr  string  `json:"threshold"` // in its plain form: "p99<50ms"
	Unit  string  `json:"unit"`      // of the figures: "ns", "per_s", "bytes_per_s", "share" (0 to 1), "count", "bytes"
	Limit float64 `json:"limit"`
	// Value is the raw figure, and Free the one without the generator's own delay, each nil where it is not known or
	// does not exist.
	Value *float64 `json:"value,omitempty"`
	Free  *float64 `json:"free,omitempty"`
	Met   bool     `json:"met"`
	// Strict says that the worse end of the figure's 95% confidence interval is held against the limit: Checked, or the
	// value itself where it is no estimate; and CheckedFree without the generator's own delay.
	Strict      bool     `json:"strict,omitempty"`
	Checked     *float64 `json:"checked,omitempty"`
	CheckedFree *float64 `json:"checked_free,omitempty"`
	// Why says why there is no value: such a threshold is not met, and the measurement could not tell.
	Why string `json:"why,omitempty"`
}
