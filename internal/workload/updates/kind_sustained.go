package updates

import (
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// What a rate must keep to be sustained.
const (
	// minApplied is how much of what was offered has to be applied, in the time from the window's
	// start to the last batch of it: 1 % less is what a queue that grows shows in a trial.
	minApplied = 0.99
	// maxBehind bounds the time from the window's end to the last batch applied, and the p99 of the
	// time from the schedule to applied. A second of which a quarter is a queue is not real time.
	maxBehind = 250 * time.Millisecond
)

// sustained says why a run's rate was not sustained, or "".
func (r *oneRun) sustained(doc *rundoc.Run) string {
	total, _ := doc.Totals()
	proof := r.detail.Proof
	switch {
	case total.Failed > 0:
		return fmt.Sprintf("%d of %d batches failed", total.Failed, total.Scheduled)
	case total.Unsent+total.Unfinished > 0:
		return fmt.Sprintf("%d of %d batches were not published in time",
			total.Unsent+total.Unfinished, total.Scheduled)
	case doc.StartedLate():
		return fmt.Sprintf("the publisher started %s of %s batches too late for its own reasons",
			units.Number(*doc.Generator.OwnLate), units.Number(total.Scheduled))
	case !proof.Unknown && proof.Lost > 0: // and those that had not arrived, which are among them
		return fmt.Sprintf("%d batches were lost", proof.Lost)
	case !proof.Complete:
		return "the proof is " + proof.Outcome() + ": " + proof.Problems[0]
	}
	window := time.Duration(r.to - r.from)
	offered := float64(total.Scheduled) * float64(r.plan.Batch) / window.Seconds()
	// What was stale was taken as well.
	applied := r.detail.AppliedPerS
	if proof.Applied > 0 {
		applied *= float64(proof.Applied+proof.Stale) / float64(proof.Applied)
	}
	behind := slowest(&r.detail)
	switch {
	case r.backlog > maxBehind:
		return fmt.Sprintf("the last batch was applied %s after the end of the window",
			units.Duration(int64(r.backlog)))
	case applied < minApplied*offered:
		return fmt.Sprintf("%s of %s updates a second were applied",
			units.Number(int64(applied)), units.Number(int64(offered)))
	case behind > maxBehind:
		return fmt.Sprintf("one batch in a hundred was applied %s or more after it was due",
			units.Duration(int64(behind)))
	case doc.Verdict.Validity != rundoc.Invalid:
		return ""
	}
	reason, _, _ := strings.Cut(doc.Verdict.Reasons[0], ". ")
	return "its figures are invalid: " + reason
}

// slowest is the p99 from the schedule to applied, or what comes nearest to it.
func slowest(d *rundoc.UpdatesDetail) time.Duration {
	s := stageOf(d, rundoc.StageE2EScheduled)
	if s.P99NS != nil {
		return time.Duration(*s.P99NS)
	}
	return time.Duration(s.MaxNS)
}

// limit says what kept a rate from being sustained: what the publisher measured of itself, and from the use of the
// processors.
func limit(doc *rundoc.Run, r *oneRun, why string) string {
	window := float64(doc.Ledger.WindowNS) * float64(doc.Host.CPUs)
	publisher := doc.Generator.CPUShare
	text := fmt.Sprintf("At %.4g batches a second, the lowest rate that was not sustained, %s. The "+
		"publisher used %.0f %% of %.3g CPUs",
		r.plan.Load.Rate, why, 100*publisher, doc.Generator.CPUs)
	server, known := 0.0, doc.Target.CPUUserNS+doc.Target.CPUSystemNS > 0 && window > 0
	if known {
		server = float64(doc.Target.CPUUserNS+doc.Target.CPUSystemNS) / window
		text += fmt.Sprintf(", the server with its broker %.0f %% of %d", 100*server, doc.Host.CPUs)
	}
	others, told := doc.OthersShare()
	own := doc.OwnReasons()
	switch busy := doc.Generator.MachineShare; {
	case !told && busy > rundoc.MaxMachineShare:
		return text +
			fmt.Sprintf(". This machine was %.0f %% busy, and how much of that the server used is not "+
				"known: nor is what the limit is.", 100*busy)
	case doc.SharedMachine() && others/busy > rundoc.MaxOthersShare:
		return text +
			fmt.Sprintf(": this machine was %.0f %% busy, and other programs used %.0f %% of that. "+
				"Stop those, and search again.",
				100*busy, 100*others/busy)
	case doc.SharedMachine():
		return text +
			fmt.Sprintf(": this machine was %.0f %% busy, and that is the limit. Server and publisher on machines of "+
				"their own would each do more.", 100*busy)
	case known && server > rundoc.MaxCPUShare:
		return text + ": the server is the limit."
	case len(own) > 0: // doubts of the publisher: one gap makes some, and proves no limit
		return text + ": the publisher may be the limit. " + own[0]
	}
	if !known {
		return text + ", and what the server used is not known: listeners, publishers, what they may have in flight, " +
			"the broker or the server are the limit."
	}
	return text + ": neither had used up its processors, so that listeners, publishers, what they may have in " +
		"flight, or the broker are the limit."
}

// unsustained is the error of a search that found nothing.
func unsustained(rate float64, why string) error {
	return fault.New(fault.RunFailed, "not even %.4g batches a second were sustained: %s", rate, why).
		Hint("make the batches smaller, or measure a fixed --rate and look at its stages")
}
