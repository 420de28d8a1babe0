package run

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Of what has gone wrong, the first in the order is what the exit status says.
func TestOutcome(t *testing.T) {
	ok := []rundoc.Operation{{Scheduled: 3, OK: 2, Failed: 1, Causes: []rundoc.Cause{{Cause: "refused", Count: 1}}}}
	none := []rundoc.Operation{{Scheduled: 3, Failed: 3, Causes: []rundoc.Cause{{Cause: "refused", Count: 3}}}}
	failed, worse := fault.New(fault.RunFailed, "it failed"), fault.New(fault.Missed, "it is worse")
	interrupted := fault.New(fault.Interrupted, "interrupted in the wait")
	for _, test := range []struct {
		name     string
		doc      rundoc.Run
		validity rundoc.Validity
		c        Conclusion
		want     fault.Code
		says     string
	}{
		{"valid", rundoc.Run{Operations: ok}, rundoc.Valid, Conclusion{}, fault.OK, ""},
		{"suspect", rundoc.Run{Operations: ok}, rundoc.Suspect, Conclusion{}, fault.OK, ""},
		{"invalid", rundoc.Run{Operations: ok}, rundoc.Invalid, Conclusion{}, fault.Untrusted,
			"cannot be trusted: it was late"},
		{"interrupted", rundoc.Run{Operations: ok, Interrupted: true}, rundoc.Valid, Conclusion{}, fault.Interrupted,
			"of the window"},
		{"interrupted behind the window", rundoc.Run{Operations: ok}, rundoc.Valid,
			Conclusion{Interrupted: interrupted}, fault.Interrupted, "in the wait"},
		{"nothing ok", rundoc.Run{Operations: none}, rundoc.Valid, Conclusion{}, fault.RunFailed,
			"none of 3 calls succeeded: the most frequent cause is refused"},
		{"nothing at all", rundoc.Run{}, rundoc.Valid, Conclusion{}, fault.RunFailed, "none of 0 calls succeeded"},
		{"failed", rundoc.Run{Operations: ok}, rundoc.Valid, Conclusion{Failed: failed}, fault.RunFailed, "it failed"},
		{"worse", rundoc.Run{Operations: ok}, rundoc.Valid, Conclusion{Worse: worse}, fault.Missed, "it is worse"},

		{"the kind knows why nothing was ok", rundoc.Run{Operations: none}, rundoc.Valid, Conclusion{Failed: failed},
			fault.RunFailed, "it failed"},
		{"failed before worse", rundoc.Run{Operations: ok}, rundoc.Valid, Conclusion{Failed: failed, Worse: worse},
			fault.RunFailed, "it failed"},
		{"nothing ok before worse", rundoc.Run{Operations: none}, rundoc.Valid, Conclusion{Worse: worse},
			fault.RunFailed, "none of"},
		{"invalid before failed, which is told", rundoc.Run{Operations: ok}, rundoc.Invalid, Conclusion{Failed: failed},
			fault.Untrusted, "late; and it failed"},
		{"invalid before worse, which is told", rundoc.Run{Operations: ok}, rundoc.Invalid, Conclusion{Worse: worse},
			fault.Untrusted, "late; and it is worse"},
		{"invalid before nothing ok", rundoc.Run{Operations: none}, rundoc.Invalid, Conclusion{},
			fault.Untrusted, "late"},
		{"interrupted before invalid", rundoc.Run{Operations: ok, Interrupted: true}, rundoc.Invalid,
			Conclusion{Failed: failed, Worse: worse}, fault.Interrupted, "of the window"},
		{"interrupted in the wait before invalid", rundoc.Run{Operations: ok}, rundoc.Invalid,
			Conclusion{Interrupted: interrupted, Failed: failed}, fault.Interrupted, "in the wait"},
	} {
		doc := test.doc
		doc.Verdict.Validity = test.validity
		if test.validity == rundoc.Invalid {
			doc.Verdict.Reasons = []string{"it was late"}
		}
		err := Outcome(&doc, "calls", test.c)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if fault.CodeOf(err) != test.want || !strings.Contains(said, test.says) ||
			(err == nil) != (test.want == fault.OK) {
			t.Errorf("%s: %v, %q; want %v and %q", test.name, fault.CodeOf(err), said, test.want, test.says)
		}
	}
}

// A run of flows of which none was completed failed, although their first requests were ok. Flows that the end cut off
// may only have been long.
func TestOutcomeOfFlows(t *testing.T) {
	at := func(operation string, count int64) rundoc.FlowFailure {
		return rundoc.FlowFailure{Operation: operation, Count: count}
	}
	for _, test := range []struct {
		name  string
		flows []rundoc.FlowFigures
		says  string // "" where nothing is wrong
	}{
		{"none completed", []rundoc.FlowFigures{
			{Started: 4, Failed: 4, FailedAt: []rundoc.FlowFailure{at("login", 3), at("pay", 1)}},
			{Started: 5, Failed: 4, Cut: 1, FailedAt: []rundoc.FlowFailure{at("pay", 4)}},
		}, "none of 9 flows was completed: 8 failed, most often at pay (5)"},
		{"one completed", []rundoc.FlowFigures{
			{Started: 4, Failed: 4, FailedAt: []rundoc.FlowFailure{at("login", 4)}}, {Started: 1, Completed: 1},
		}, ""},
		{"all cut off", []rundoc.FlowFigures{{Started: 4, Cut: 4}}, ""},
		{"as many cut off as failed", []rundoc.FlowFigures{
			{Started: 2, Failed: 1, Cut: 1, FailedAt: []rundoc.FlowFailure{at("pay", 1)}},
		}, "none of 2 flows was completed: 1 failed, most often at pay (1)"},
		{"nearly all cut off", []rundoc.FlowFigures{
			{Started: 3, Failed: 1, Cut: 2, FailedAt: []rundoc.FlowFailure{at("pay", 1)}},
		}, ""},
		{"none begun", []rundoc.FlowFigures{{}}, ""},
		{"failed nobody knows where", []rundoc.FlowFigures{{Started: 1, Failed: 1}}, ""},
	} {
		doc := rundoc.Run{Operations: []rundoc.Operation{{Scheduled: 9, OK: 9}}, Flows: test.flows}
		err := Outcome(&doc, "requests", Conclusion{})
		switch {
		case test.says == "" && err == nil:
		case err == nil || err.Error() != test.says || fault.CodeOf(err) != fault.RunFailed:
			t.Errorf("%s: %v, want %q", test.name, err, test.says)
		}
	}
}

// unwritable is an output that takes nothing.
type unwritable struct{}

func (unwritable) Write([]byte) (int, error) { return 0, errors.New("it is full") }

// ended is a kind's word on a run that has been measured.
type ended struct {
	Work
	Conclusion
}

func (e ended) Conclude(*rundoc.Run) Conclusion { return e.Conclusion }

// runEnding is a run that is about to be shown, and that no file is made of.
func runEnding(stdout io.Writer, c Conclusion) *Run {
	env := &Env{
		Stdout: stdout, Stderr: io.Discard, IsTerminal: func(io.Writer) bool { return false },
		LookupEnv: func(string) (string, bool) { return "", false },
	}
	return New(env, Job{Operations: "calls", Forms: Forms{JSON: true}, Work: ended{Conclusion: c}})
}

// However a run is shown, how it went is what its end says, and that a file of it is missing comes behind.
func TestFinishAndSaveSayHowItWent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ok := []rundoc.Operation{{Scheduled: 3, OK: 3}}
	for _, test := range []struct {
		doc  rundoc.Run
		c    Conclusion
		want fault.Code
	}{
		{rundoc.Run{Operations: ok}, Conclusion{}, fault.OK},
		{rundoc.Run{Operations: ok, Verdict: rundoc.Verdict{Validity: rundoc.Invalid}}, Conclusion{}, fault.Untrusted},
		{rundoc.Run{Operations: ok}, Conclusion{Worse: fault.New(fault.Missed, "it is worse")}, fault.Missed},
		{rundoc.Run{Operations: ok, Interrupted: true}, Conclusion{}, fault.Interrupted},
		{rundoc.Run{}, Conclusion{}, fault.RunFailed},
	} {
		for name, end := range map[string]func(*Run, *Found) error{"Finish": (*Run).Finish, "Save": (*Run).Save} {
			r := runEnding(io.Discard, test.c)
			if err := end(r, &Found{Doc: &test.doc}); fault.CodeOf(err) != test.want {
				t.Errorf("%s: %v, want %v", name, err, test.want)
			}
			r.path = filepath.Join(file, "run.json") // where no directory can be
			want := test.want
			if want == fault.OK {
				want = fault.RunFailed
			}
			err := end(r, &Found{Doc: &test.doc})
			if fault.CodeOf(err) != want || !strings.Contains(err.Error(), "cannot write the run document") {
				t.Errorf("%s without its file: %v, want %v", name, err, want)
			}
		}
	}
}

// A report that cannot be written is a run that failed, and no more than that: who interrupted the run,
// or must not trust it, is told so.
func TestOutcomeWithoutItsReport(t *testing.T) {
	ok := []rundoc.Operation{{Scheduled: 3, OK: 3}}
	for _, test := range []struct {
		name string
		doc  rundoc.Run
		c    Conclusion
		want fault.Code
		says string
	}{
		{"ok", rundoc.Run{Operations: ok}, Conclusion{}, fault.RunFailed, "cannot write the report"},
		{"worse", rundoc.Run{Operations: ok}, Conclusion{Worse: fault.New(fault.Missed, "it is worse")}, fault.RunFailed, "cannot"},
		{"invalid", rundoc.Run{Operations: ok, Verdict: rundoc.Verdict{Validity: rundoc.Invalid}}, Conclusion{}, fault.Untrusted, "be trusted\ncannot"},
		{"interrupted", rundoc.Run{Operations: ok, Interrupted: true}, Conclusion{}, fault.Interrupted, "of the window\ncannot"},
	} {
		err := runEnding(unwritable{}, test.c).Finish(&Found{Doc: &test.doc})
		if fault.CodeOf(err) != test.want || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, %v; want %v and %q", test.name, fault.CodeOf(err), err, test.want, test.says)
		}
	}
}

// The error of an invalid run has the first reason without its advice, and the command that shows them all.
func TestOutcomeNamesTheReasons(t *testing.T) {
	err := untrusted([]string{"It was late (limit 0.5): bad. Try again.", "It was hot."},
		&Conclusion{reasons: AnswerOf("20260101T000000.000Z-1")})
	if got := err.Error(); got != "the measurement cannot be trusted: It was late (limit 0.5): bad" {
		t.Error(got)
	}
	if got := fault.HintOf(err); !strings.Contains(got, "'plimsoll report 20260101T000000.000Z-1 --section answer'") {
		t.Error(got)
	}
}

// Below the answer on a terminal there is one line of an invalid run, and its reasons where nobody has seen them.
func TestOutcomeBelowTheAnswer(t *testing.T) {
	doc := rundoc.Run{
		Operations: []rundoc.Operation{{Scheduled: 3, OK: 3}},
		Verdict:    rundoc.Verdict{Validity: rundoc.Invalid, Reasons: []string{"it was late", "it was hot"}},
	}
	const told = "the measurement cannot be trusted: "
	for _, test := range []struct {
		stdout, stderr bool // is a terminal
		form           Forms
		want, hint     string
	}{
		{true, true, Forms{NoSave: true}, told + "see Verdict", ""},
		{true, false, Forms{NoSave: true}, told + "it was late", "the verdict has 2 reasons"},
		{false, true, Forms{NoSave: true}, told + "it was late", "the verdict has 2 reasons"},
		{true, true, Forms{NoSave: true, JSON: true}, told + "it was late", "the verdict has 2 reasons"},
	} {
		stdout, stderr := new(strings.Builder), new(strings.Builder)
		env := &Env{
			Stdout: stdout, Stderr: stderr, LookupEnv: func(string) (string, bool) { return "", false },
			IsTerminal: func(w io.Writer) bool { return test.stdout && w == stdout || test.stderr && w == stderr },
		}
		err := New(env, Job{Operations: "calls", Forms: test.form, Work: ended{}}).Finish(&Found{Doc: &doc})
		if fault.CodeOf(err) != fault.Untrusted || err.Error() != test.want || fault.HintOf(err) != test.hint {
			t.Errorf("%+v: %v, hint %q", test, err, fault.HintOf(err))
		}
		if test.want == told+"see Verdict" && !strings.Contains(stdout.String(), "Verdict ") {
			t.Errorf("the answer has no verdict:\n%s", stdout)
		}
	}
}
