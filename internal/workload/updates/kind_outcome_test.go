package updates

import (
	"strings"
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
	whole := rundoc.Proof{Complete: true}
	all := &rundoc.DueBatches{Batches: 3, InTime: 1, Late: 2}
	some := &rundoc.DueBatches{Batches: 3, InTime: 2, NeverPublished: 1}
	for _, test := range []struct {
		name     string
		proof    *rundoc.Proof
		due      *rundoc.DueBatches
		ok       int64
		validity rundoc.Validity
		want     fault.Code
		says     string
	}{
		{"all arrived", &whole, all, 3, rundoc.Valid, fault.OK, ""},
		{"a third was never published", &whole, some, 2, rundoc.Valid, fault.Missed, "1 of 3 scheduled batches were never published"},
		{"and nobody was asked", nil, some, 2, rundoc.Suspect, fault.Missed, "never published"},
		{"and there is a gap besides", &gap, some, 2, rundoc.Valid, fault.Missed, "3 batches were lost; and 1 of 3 scheduled batches"},
		{"nothing was published", &whole, some, 0, rundoc.Valid, fault.RunFailed, ""},
		{"a third was never published in a run that is invalid", &whole, some, 2, rundoc.Invalid, fault.Untrusted, "never published"},
		{"a gap", &gap, nil, 1, rundoc.Valid, fault.Missed, ""},
		{"a gap, and nothing was published", &gap, nil, 0, rundoc.Valid, fault.RunFailed, ""},
		{"a gap in a run that is invalid", &gap, nil, 1, rundoc.Invalid, fault.Untrusted, ""},
		{"interrupted in the wait", &waited, nil, 1, rundoc.Valid, fault.Interrupted, ""},
		{"interrupted in the wait of a run that is invalid", &waited, nil, 1, rundoc.Invalid, fault.Interrupted, ""},
	} {
		r := &oneRun{c: &Command{}, detail: rundoc.UpdatesDetail{Proof: test.proof, Due: test.due}}
		doc := &rundoc.Run{Operations: []rundoc.Operation{{OK: test.ok}},
			Verdict: rundoc.Verdict{Validity: test.validity}}
		got := run.Outcome(doc, "batches", r.Conclude(doc))
		if fault.CodeOf(got) != test.want || test.says != "" && !strings.Contains(got.Error(), test.says) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// The error of a run whose batches were refused has what the broker said.
func TestOutcomeNamesTheMostFrequentFailure(t *testing.T) {
	for ok, want := range map[int64]string{
		0: "none of the 3 batches was published: the stream is full",
		2: "1 of 3 scheduled batches were never published: the stream is full",
	} {
		r := &oneRun{c: &Command{}, detail: rundoc.UpdatesDetail{
			Proof: &rundoc.Proof{Complete: true}, Due: &rundoc.DueBatches{Batches: 3, InTime: ok, NeverPublished: 3 - ok},
			Failures: []rundoc.FailureMessage{{Cause: "closed", Message: "gone"}, {Cause: "full", Message: "the stream is full"}},
		}}
		doc := &rundoc.Run{
			Operations: []rundoc.Operation{{Scheduled: 3, OK: ok, Failed: 3 - ok,
				Causes: []rundoc.Cause{{Cause: "full", Count: 5}, {Cause: "closed", Count: 1}}}},
			Verdict: rundoc.Verdict{Validity: rundoc.Valid},
		}
		if got := run.Outcome(doc, "batches", r.Conclude(doc)); got == nil || got.Error() != want {
			t.Errorf("%v, want %q", got, want)
		}
	}
}

// A quota of the message service has a hint of its own.
func TestOutcomeOfThrottledBatchesHasAHint(t *testing.T) {
	due := &rundoc.DueBatches{Batches: 3, InTime: 2, NeverPublished: 1}
	r := &oneRun{c: &Command{}, detail: rundoc.UpdatesDetail{Due: due}}
	doc := &rundoc.Run{Operations: []rundoc.Operation{{Scheduled: 3, OK: 2, Failed: 1,
		Causes: []rundoc.Cause{{Cause: "throttled", Count: 6}}}}}
	if hint := fault.HintOf(run.Outcome(doc, "batches", r.Conclude(doc))); !strings.Contains(hint, "raise the quota") {
		t.Errorf("the hint is %q", hint)
	}
}
