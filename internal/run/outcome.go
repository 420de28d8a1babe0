package run

import (
	"io"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Conclusion is how a run went, as far as its document does not say.
type Conclusion struct {
	Interrupted error // behind the window, which the document does not count as interrupted
	Failed      error // the run itself
	Worse       error // than a baseline, or what was received than what was sent; or there is no telling

	Show report.Options
	// Beside, if not nil, writes what the user asked to see above the short answer.
	Beside func(w io.Writer, opt report.Options) error
	Say    string // what is said also when the report cannot be shown

	reasons  string // the command that shows all reasons of the verdict; "": the run was not saved
	answered bool   // the answer is on the terminal, and what is said of the run comes just below it
}

// Outcome is nil for a run that went as it should. Of what may have gone wrong, the first is its
// error: it was interrupted; its figures are not to be trusted; it failed; it went worse than it had
// to, or missed a threshold. What comes behind is still told with figures that are not to be trusted, and thresholds
// that were missed are told in any case.
func Outcome(doc *rundoc.Run, operations string, c Conclusion) error {
	failed := c.Failed
	if failed == nil {
		failed = nothing(doc, operations)
	}
	switch {
	case doc.Interrupted:
		return besides(fault.New(fault.Interrupted, "interrupted: the report covers %v of the window",
			time.Duration(doc.Ledger.WindowNS).Round(10*time.Millisecond)), doc)
	case c.Interrupted != nil:
		return besides(c.Interrupted, doc)
	case doc.Verdict.Validity == rundoc.Invalid:
		return besides(untrusted(doc.Verdict.Reasons, &c), doc)
	case failed != nil:
		return besides(failed, doc)
	}
	return gravest(gravest(c.Worse, missed(doc, &c)), unknown(doc))
}

// Graver reports whether an error comes before another in the order of exit statuses: of several runs, or
// of a run and its report, the gravest says how it went.
func Graver(one, other error) bool { return gravity(one) > gravity(other) }

// gravity is the place of an error in the order, from the end.
func gravity(err error) int {
	switch fault.CodeOf(err) {
	case fault.OK:
		return 0
	case fault.Missed:
		return 1
	case fault.Untrusted:
		return 3
	case fault.Interrupted:
		return 4
	}
	return 2 // it failed
}

// nothing is the error of a run without an operation that was ok, or without a flow that was completed.
func nothing(doc *rundoc.Run, operations string) error {
	total, _ := doc.Totals() // its counts are right even with an error, which Judge has told
	switch {
	case total.OK > 0:
		return noFlow(doc)
	case len(total.Causes) > 0:
		return fault.New(fault.RunFailed, "none of %d %s succeeded: the most frequent cause is %s",
			total.Scheduled, operations, total.Causes[0].Cause)
	}
	return fault.New(fault.RunFailed, "none of %d %s succeeded", total.Scheduled, operations)
}

// noFlow is the error of a run none of whose flows was completed, as a single request that fails each time is. Those
// that the end of the window cut off may only have been long: they are no failures, and at most as many as failed.
func noFlow(doc *rundoc.Run) error {
	f := report.FlowTotals(doc)
	if f.Completed > 0 || f.Failed < f.Cut || len(f.FailedAt) == 0 {
		return nil
	}
	return fault.New(fault.RunFailed, "none of %d flows was completed: %d failed, most often at %s (%d)",
		f.Started, f.Failed, units.Clean(f.FailedAt[0].Operation), f.FailedAt[0].Count)
}

// untrusted is the error of an invalid run. The report has all reasons; what stands just above on a terminal is not
// told once more, since that would push the answer off the screen.
func untrusted(reasons []string, c *Conclusion) error {
	text := "the measurement cannot be trusted"
	switch {
	case c.answered:
		text += ": see Verdict"
	case len(reasons) > 0:
		first, _, _ := strings.Cut(reasons[0], ". ") // what to do about it is in the report
		text += ": " + strings.TrimSuffix(first, ".")
	}
	for _, err := range []error{c.Failed, c.Worse} {
		if err != nil {
			text += "; and " + err.Error()
		}
	}
	e := fault.New(fault.Untrusted, "%s", text)
	if len(reasons) > 1 && !c.answered {
		if c.reasons != "" {
			return e.Hint("for all %d reasons, use '%s'", len(reasons), c.reasons)
		}
		return e.Hint("the verdict has %d reasons", len(reasons))
	}
	return e
}
