package run

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Conclusion is how a run went, as far as its document does not say.
type Conclusion struct {
	Interrupted error // behind the window, which the document does not count as interrupted
	Failed      error // the run itself
	Worse       error // than a baseline, or what was received than what was sent; or there is no telling

	Show report.Options
	// Kind is how this run is shown, where that is another way than that of its kind.
	Kind *report.Kind
	Say  string // what is said also when the report cannot be shown
}

// Outcome is nil for a run that went as it should. Of what may have gone wrong, the first is its
// error: it was interrupted; its figures are not to be trusted; it failed; it went worse than it had
// to. What comes behind is still told with figures that are not to be trusted.
func Outcome(doc *rundoc.Run, operations string, c Conclusion) error {
	failed := c.Failed
	if failed == nil {
		failed = nothing(doc, operations)
	}
	switch {
	case doc.Interrupted:
		return fault.New(fault.Interrupted, "interrupted: the report covers the %v of the window until then",
			time.Duration(doc.Ledger.WindowNS).Round(10*time.Millisecond))
	case c.Interrupted != nil:
		return c.Interrupted
	case doc.Verdict.Validity == rundoc.Invalid:
		return untrusted(doc.Verdict.Reasons, c.Failed, c.Worse)
	case failed != nil:
		return failed
	}
	return c.Worse
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

// nothing is the error of a run without an operation that was ok.
func nothing(doc *rundoc.Run, operations string) error {
	total, _ := doc.Totals() // its counts are right even with an error, which Judge has told
	switch {
	case total.OK > 0:
		return nil
	case len(total.Causes) > 0:
		return fault.New(fault.RunFailed, "not one of the %d %s was ok: the most frequent cause is %s",
			total.Scheduled, operations, total.Causes[0].Cause)
	}
	return fault.New(fault.RunFailed, "not one of the %d %s was ok", total.Scheduled, operations)
}

// untrusted is the error of an invalid run. The report has all reasons.
func untrusted(reasons []string, also ...error) error {
	text := "the measurement cannot be trusted"
	if len(reasons) > 0 {
		text += ": " + reasons[0]
	}
	for _, err := range also {
		if err != nil {
			text += "; and " + err.Error()
		}
	}
	e := fault.New(fault.Untrusted, "%s", text)
	if len(reasons) > 1 {
		return e.Hint("the report has %d reasons in all", len(reasons))
	}
	return e
}
