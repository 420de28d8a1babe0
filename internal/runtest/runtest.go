package runtest

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Patience bounds the wait for something that must happen. It only ends tests that hang.
const Patience = 2 * time.Minute

// untrusted is the exit status of a run whose measurement cannot be trusted.
const untrusted = 4

// Engine carries out c on the real clock and returns what was recorded. The test fails if the engine does.
func Engine(t testing.TB, c engine.Config) *record.Run {
	t.Helper()
	r, err := engine.Run(t.Context(), nil, c)
	if err != nil {
		t.Fatalf("engine.Run: %v", err)
	}
	return r
}

// Document returns the run document of r, without a verdict, and its totals. Detail, if not nil, returns what the
// workload adds. The test fails if the document breaks an invariant.
func Document(t testing.TB, r *record.Run, workload string, detail func(*rundoc.Run) (rundoc.Detail, error)) (
	*rundoc.Run, rundoc.Operation,
) {
	t.Helper()
	doc, err := r.Document()
	if err != nil {
		t.Fatalf("record.Run.Document: %v", err)
	}
	doc.Workload = workload
	if detail != nil {
		if doc.Detail, err = detail(doc); err != nil {
			t.Fatalf("detail of %s: %v", workload, err)
		}
	}
	CheckInvariants(t, doc)
	total, err := doc.Totals()
	if err != nil {
		t.Fatalf("rundoc.Run.Totals: %v", err)
	}
	return doc, total
}

// CheckInvariants fails the test if doc breaks an invariant. It ignores the rest of the verdict.
func CheckInvariants(t testing.TB, doc *rundoc.Run) {
	t.Helper()
	for _, reason := range rundoc.Judge(doc).Reasons {
		if strings.HasPrefix(reason, "invariant violated") {
			t.Error(reason)
		}
	}
}

// Completed reports whether err, which exec.Cmd.Run or Wait returned, is that of a run that ended as it should: with
// exit status 0, or with 4 because the machine was too busy for the measurement to be trusted.
func Completed(err error) bool {
	var exit *exec.ExitError
	return err == nil || errors.As(err, &exit) && CompletedStatus(exit.ExitCode())
}

// CompletedStatus reports whether code is the exit status of a run that ended as it should: 0 or 4.
func CompletedStatus(code int) bool { return code == 0 || code == untrusted }
