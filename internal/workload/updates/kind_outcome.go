package updates

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/internal/workload/updates/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Conclude says what became of the updates.
func (r *oneRun) Conclude(doc *rundoc.Run) run.Conclusion {
	proof, due := r.detail.Proof, r.detail.Due
	end := run.Conclusion{Show: report.Options{Bucket: r.plan.Output.Bucket}, Say: proofLine(proof)}
	if due != nil {
		end.Say = show.DueLine(due) + "; " + end.Say
	}
	total, _ := doc.Totals() // its counts are right even with an error, which Judge has told
	switch {
	case proof != nil && proof.Interrupted:
		end.Interrupted = interruptedWait(proof)
	case total.OK == 0: // the run failed, and that is told; here with what the broker said
		if said := r.mostFrequent(&total); said != "" {
			end.Failed = fault.New(fault.RunFailed, "none of the %s batches was published: %s",
				units.Number(total.Scheduled), said)
		}
	case proof != nil && !proof.Complete:
		end.Worse = incomplete(proof, due)
	case due != nil && due.NeverPublished > 0:
		text := neverPublished(due)
		if said := r.mostFrequent(&total); said != "" {
			text += ": " + said
		}
		end.Worse = fault.New(fault.Missed, "%s", text).Hint("%s", r.publishHint(&total))
	}
	return end
}

// publishHint says what to do about batches that were never published.
func (r *oneRun) publishHint(total *rundoc.Operation) string {
	if len(total.Causes) > 0 && total.Causes[0].Cause == topic.CauseThrottled {
		return "the message service limits the request rate: lower --rate or --batch, or raise the quota"
	}
	return "see Failures in the report; batches are unsent if no publisher was free"
}

// mostFrequent returns what the broker or its client library said about the most frequent cause of failures, or "".
func (r *oneRun) mostFrequent(total *rundoc.Operation) string {
	if len(total.Causes) == 0 {
		return ""
	}
	return show.Message(&r.detail, total.Causes[0].Cause)
}

// neverPublished says how much of what was due was never published.
func neverPublished(due *rundoc.DueBatches) string {
	return fmt.Sprintf("%s of %s scheduled batches were never published",
		units.Number(due.NeverPublished), units.Number(due.Batches))
}

// interrupted says whether somebody ended the run before it was over, in its window or after it.
func (r *oneRun) interrupted(doc *rundoc.Run) bool {
	return doc.Interrupted || r.detail.Proof != nil && r.detail.Proof.Interrupted
}

// interruptedWait is the error of a run whose server was still waited for.
func interruptedWait(p *rundoc.Proof) error {
	return fault.New(fault.Interrupted, "interrupted while waiting for the server: %s", proofLine(p))
}

// incomplete is the error of a run whose proof has a gap; due is nil where nothing was published.
func incomplete(p *rundoc.Proof, due *rundoc.DueBatches) error {
	text := strings.TrimSuffix(p.Problems[0], ".")
	if due != nil && due.NeverPublished > 0 {
		text += "; and " + neverPublished(due)
	}
	e := fault.New(fault.Missed, "proof %s: %s", p.Outcome(), text)
	if more := len(p.Problems) - 1; more > 0 {
		return e.Hint("see the report for %s", units.Count(int64(more), "more problem", "more problems"))
	}
	return e
}

// proofLine is the proof in one line.
func proofLine(p *rundoc.Proof) string {
	switch {
	case p == nil:
		return "no proof: the run only published"
	case p.Complete:
		return "no losses, no duplicates, final state matches"
	}
	return "proof " + p.Outcome() + ": " + strings.Join(p.Problems, " ")
}
