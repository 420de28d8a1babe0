package threshold_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/threshold"
)

// Each comparison holds on its side of the limit, and at the limit where it says so.
func TestHolds(t *testing.T) {
	for op, want := range map[string][3]bool{"<": {true, false, false}, "<=": {true, true, false}, ">": {false, false, true}, ">=": {false, true, true}} {
		goal, err := threshold.Parse("p99"+op+"50ms", chat())
		if err != nil {
			t.Fatal(err)
		}
		for i, ns := range []float64{50e6 - 1, 50e6, 50e6 + 1} {
			if got := goal.Holds(ns); got != want[i] {
				t.Errorf("%v%s50ms: %t", ns, op, got)
			}
		}
		if goal.Op() != op || threshold.FigureOf(goal.Expr()) != "p99" {
			t.Errorf("%s: %s of %s", op, goal.Op(), threshold.FigureOf(goal.Expr()))
		}
	}
}

// A run says of its goals which were missed, which were missed then, and which cannot be told.
func TestSentencesOfARun(t *testing.T) {
	run := of(61.2, 48.1, 5)
	for _, text := range []string{"p99<40ms", "p99<50ms", "failed<1%", "p99<70ms"} {
		goal, err := threshold.Parse(text, chat())
		if err != nil {
			t.Fatal(err)
		}
		run.Thresholds = append(run.Thresholds, goal.Judge(run))
	}
	run.Aborted = "p99<70ms"
	for result, want := range map[threshold.Result]string{
		threshold.Missed: "p99<40ms was missed: p99 was 61.2 ms (48.1 ms corrected)",
		threshold.Untold: "p99<50ms cannot be evaluated: p99 was 61.2 ms, but 48.1 ms corrected",
		threshold.Met:    "failed<1% was met: failed was 0.5%",
		threshold.Then:   "p99<70ms was missed, which ended the run",
	} {
		if got := strings.Join(threshold.Sentences(run, result), "; "); got != want {
			t.Errorf("%v: %s\nwant %s", result, got, want)
		}
	}
	if got := threshold.Named(run); got != "missed: p99<40ms; missed, ended the run: p99<70ms; cannot be evaluated: p99<50ms" {
		t.Error(got)
	}
}
