package updates

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/runtest"
	"github.com/plimsoll/plimsoll/rundoc"
)

func TestOutcomes(t *testing.T) {
	for _, proof := range []*rundoc.Proof{nil, {Complete: true}} {
		r := &oneRun{c: &Command{}, detail: rundoc.UpdatesDetail{Proof: proof}}
		runtest.Outcomes(t, &r.detail, fault.OK, r.Conclude)
	}
}

// What the proof says has its own exit status, behind those that all kinds have.
func TestOutcomesOfTheProof(t *testing.T) {
	gap := rundoc.Proof{Problems: []string{"3 batches were lost."}}
	waited := rundoc.Proof{Complete: true, Interrupted: true}
	for _, test := range []struct {
		name     string
		proof    rundoc.Proof
		ok       int64
		validity rundoc.Validity
		want     fault.Code
	}{
		{"a gap", gap, 1, rundoc.Valid, fault.Missed},
		{"a gap, and nothing was published", gap, 0, rundoc.Valid, fault.RunFailed},
		{"a gap in a run that is invalid", gap, 1, rundoc.Invalid, fault.Untrusted},
		{"interrupted in the wait", waited, 1, rundoc.Valid, fault.Interrupted},
		{"interrupted in the wait of a run that is invalid", waited, 1, rundoc.Invalid, fault.Interrupted},
	} {
		r := &oneRun{c: &Command{}, detail: rundoc.UpdatesDetail{Proof: &test.proof}}
		doc := &rundoc.Run{Operations: []rundoc.Operation{{OK: test.ok}},
			Verdict: rundoc.Verdict{Validity: test.validity}}
		if got := run.Outcome(doc, "batches", r.Conclude(doc)); fault.CodeOf(got) != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
