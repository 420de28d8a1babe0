package runtest

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Outcomes holds the exit statuses of a kind's runs to the one order of precedence. partFailed is
// that of a run some of whose operations failed.
func Outcomes(t *testing.T, detail rundoc.Detail, partFailed fault.Code, conclude func(*rundoc.Run) run.Conclusion) {
	t.Helper()
	const ok, some, none = 3, 2, 0
	for _, test := range []struct {
		name        string
		ok          int64 // of three operations
		validity    rundoc.Validity
		interrupted bool
		want        fault.Code
	}{
		{"valid", ok, rundoc.Valid, false, fault.OK},
		{"suspect", ok, rundoc.Suspect, false, fault.OK},
		{"invalid", ok, rundoc.Invalid, false, fault.Untrusted},
		{"interrupted", ok, rundoc.Valid, true, fault.Interrupted},
		{"part failed", some, rundoc.Valid, false, partFailed},
		{"nothing ok", none, rundoc.Valid, false, fault.RunFailed},
		{"interrupted and invalid", ok, rundoc.Invalid, true, fault.Interrupted},
		{"interrupted, and nothing ok", none, rundoc.Valid, true, fault.Interrupted},
		{"invalid, and part failed", some, rundoc.Invalid, false, fault.Untrusted},
		{"invalid, and nothing ok", none, rundoc.Invalid, false, fault.Untrusted},
	} {
		doc := &rundoc.Run{
			Interrupted: test.interrupted, Detail: detail, Verdict: rundoc.Verdict{Validity: test.validity},
			Operations: []rundoc.Operation{{Scheduled: ok, OK: test.ok, Failed: ok - test.ok}},
		}
		err := run.Outcome(doc, "operations", conclude(doc))
		if got := fault.CodeOf(err); got != test.want {
			t.Errorf("%s: exit status %d, want %d: %v", test.name, got, test.want, err)
		}
	}
}
