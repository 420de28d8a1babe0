package run

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/junit"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestJUnitAgreesWithTheExitStatus goes through all that may be wrong with a run at once: the file of its tests has
// failures and errors as its exit status says.
func TestJUnitAgreesWithTheExitStatus(t *testing.T) {
	const ok, missed, untold, then = "p50<3ms", "p50<1ms", "p99<1s", "p50<4ms"
	goals := map[string]rundoc.Threshold{
		ok:     {Expr: ok, Unit: "ns", Limit: 3e6, Value: new(2e6), Met: true},
		missed: {Expr: missed, Unit: "ns", Limit: 1e6, Value: new(2e6)},
		untold: {Expr: untold, Unit: "ns", Limit: 1e9, Why: "too few times for a p99"},
		then:   {Expr: then, Unit: "ns", Limit: 4e6, Value: new(2e6), Met: true},
	}
	worse, failed := fault.New(fault.Missed, "it is worse"), fault.New(fault.RunFailed, "it failed")
	unknown := fault.New(fault.Untrusted, "whether it is worse is not known")
	seen := map[fault.Code]int{}
	for bits := range 1 << 9 {
		is := func(bit int) bool { return bits>>bit&1 == 1 }
		doc := &rundoc.Run{Verdict: rundoc.Verdict{Validity: rundoc.Valid}, Interrupted: is(0),
			Operations: []rundoc.Operation{{Scheduled: 3, OK: 3}}}
		if is(1) {
			doc.Operations[0] = rundoc.Operation{Scheduled: 3, Failed: 3}
		}
		if is(2) {
			doc.Verdict = rundoc.Verdict{Validity: rundoc.Invalid, Reasons: []string{"it was late"}}
		}
		for bit, expr := range []string{ok, missed, untold, then} {
			if is(3 + bit) {
				doc.Thresholds = append(doc.Thresholds, goals[expr])
			}
		}
		if is(6) {
			doc.Aborted = then
		}
		c := Conclusion{}
		switch bits >> 7 {
		case 1:
			c.Worse = worse
		case 2:
			c.Worse = unknown
		case 3:
			c.Failed = failed
		}
		err := Outcome(doc, "operations", c)
		code := fault.CodeOf(err)
		doc.Exit, doc.Error = said(err)
		var text strings.Builder
		if err := junit.Write(&text, junit.OfRun(doc, doc.Verdict, doc.Thresholds)); err != nil {
			t.Fatal(err)
		}
		failures, errs := strings.Contains(text.String(), "<failure "), strings.Contains(text.String(), "<error ")
		agrees := errs
		switch code {
		case fault.OK:
			agrees = !failures && !errs
		case fault.Missed:
			agrees = failures && errs == is(5) // an error is a goal that cannot be evaluated besides
		}
		if !agrees {
			t.Errorf("%09b: status %d (%v), and failures %v, errors %v\n%s", bits, code, err, failures, errs, text.String())
		}
		seen[code]++
	}
	for _, code := range []fault.Code{fault.OK, fault.RunFailed, fault.Missed, fault.Untrusted, fault.Interrupted} {
		if seen[code] == 0 {
			t.Errorf("no run ended with %d", code)
		}
	}
}

// A document of before it said how its command ended, or that was changed, gives tests all the same.
func TestJUnitOfOtherDocuments(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.xml")
	write := func(edit func(*rundoc.Run)) string {
		doc, err := rundoc.ReadFile("../../rundoc/testdata/earlier/chat.json")
		if err != nil {
			t.Fatal(err)
		}
		edit(doc)
		if err := WriteJUnit(new(Env), path, doc, figure.Known{}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if text := write(func(*rundoc.Run) {}); !strings.Contains(text, `failures="0" errors="0"`) {
		t.Error(text)
	}
	if text := write(func(r *rundoc.Run) { r.Interrupted = true }); !strings.Contains(text, "interrupted") ||
		strings.Contains(text, `errors="0"`) {
		t.Error(text)
	}
	edited := func(r *rundoc.Run) {
		r.Thresholds = []rundoc.Threshold{{Expr: "ok>=1000000000", Unit: "count", Limit: 1e9, Value: new(2e9), Met: true}}
	}
	if text := write(edited); strings.Contains(text, `failures="0"`) || strings.Contains(text, `errors="0"`) ||
		!strings.Contains(text, "contradict the values in the document") {
		t.Error(text)
	}
	err := new(Forms).Lost(new(Env), "chat", fault.New(fault.RunFailed, "x"))
	if fault.CodeOf(err) != fault.RunFailed {
		t.Error(err)
	}
	f := &Forms{JUnit: filepath.Join(t.TempDir(), "no", "x.xml")}
	if err := f.Lost(new(Env), "chat", fault.New(fault.Interrupted, "x")); fault.CodeOf(err) != fault.Interrupted {
		t.Error(err)
	}
	if _, err := json.Marshal(&rundoc.Run{Exit: 3}); err != nil {
		t.Error(err)
	}
}
