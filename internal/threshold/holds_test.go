package threshold_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/rundoc"
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

// What became of a goal, by what its document says of it.
func TestWhatBecameOfAGoal(t *testing.T) {
	ns := func(v float64) *float64 { return &v }
	for _, tt := range []struct {
		of      rundoc.Threshold
		aborted string
		want    threshold.Result
		short   string
	}{
		{rundoc.Threshold{Value: ns(60e6)}, "", threshold.Missed, "missed: p99<50ms (60.0 ms)"},
		{rundoc.Threshold{Value: ns(60e6), Why: "x"}, "", threshold.Missed, "missed: p99<50ms (60.0 ms)"},
		{rundoc.Threshold{Value: ns(60e6)}, "p99<50ms", threshold.Missed, "missed: p99<50ms (60.0 ms)"},
		{rundoc.Threshold{Value: ns(60e6)}, "failed<1%", threshold.Missed, "missed: p99<50ms (60.0 ms)"},
		{rundoc.Threshold{Value: ns(40e6), Met: true}, "p99<50ms", threshold.Then, "missed then: p99<50ms (40.0 ms)"},
		{rundoc.Threshold{Value: ns(40e6), Met: true}, "failed<1%", threshold.Met, ""},
		{rundoc.Threshold{}, "", threshold.Untold, "cannot be told: p99<50ms"},
		{rundoc.Threshold{Value: ns(60e6), Free: ns(40e6)}, "", threshold.Untold, "cannot be told: p99<50ms (60.0 ms, free 40.0 ms)"},
		{rundoc.Threshold{Value: ns(40e6), Strict: true, Why: "x"}, "", threshold.Untold, "cannot be told: p99<50ms (40.0 ms, without an interval)"},
		{rundoc.Threshold{Value: ns(60e6), Strict: true}, "", threshold.Missed, "missed: p99<50ms (60.0 ms)"},
		{rundoc.Threshold{Value: ns(40e6), Strict: true, Checked: ns(60e6), Why: "x"}, "", threshold.Missed, "missed: p99<50ms (40.0 ms, at worst 60.0 ms)"},
		{rundoc.Threshold{Value: ns(40e6), Strict: true, Checked: ns(60e6), Free: ns(30e6), CheckedFree: ns(45e6)}, "", threshold.Untold,
			"cannot be told: p99<50ms (40.0 ms, at worst 60.0 ms, free 30.0 ms, at worst 45.0 ms)"},
	} {
		tt.of.Expr, tt.of.Unit, tt.of.Limit = "p99<50ms", "ns", 50e6
		if got := threshold.In(&tt.of, tt.aborted); got != tt.want {
			t.Errorf("%+v in a run that ended by %q: %v, want %v", tt.of, tt.aborted, got, tt.want)
		}
		if got := strings.TrimPrefix(threshold.Answer([]rundoc.Threshold{tt.of}, tt.aborted), "0 of 1 met · "); tt.short != "" && got != tt.short {
			t.Errorf("%s\nwant %s", got, tt.short)
		}
	}
	open := rundoc.Threshold{Expr: "p99{x<50ms", Unit: "ns", Limit: 50e6, Value: ns(60e6), Free: ns(60e6)}
	if got := threshold.Of(&open); got != threshold.Missed {
		t.Errorf("a goal that nobody can read: %v", got)
	}
	why := rundoc.Threshold{Expr: "p99<50ms", Unit: "ns", Limit: 50e6, Value: ns(60e6), Why: "x"}
	if got := threshold.Sentence(&why); got != "p99<50ms was missed: p99 was 60.0 ms" {
		t.Error(got)
	}
	nameless := rundoc.Threshold{Value: ns(1), Met: true}
	if got := threshold.In(&nameless, ""); got != threshold.Met {
		t.Errorf("no goal ended the run: %v", got)
	}
	value, limit, free := threshold.Values(&rundoc.Threshold{Expr: "p99<50ms", Unit: "ns", Limit: 50e6, Value: ns(50.04e6), Free: ns(50.03e6)})
	if value != "50.04 ms" || limit != "50.0 ms" || free != "50.03 ms" {
		t.Errorf("%q, %q, %q", value, limit, free)
	}
}

// A document is edited where a goal does not follow from its figures, the first five of which are named.
func TestRereadOfMany(t *testing.T) {
	run := of(61, 61, 0)
	for i := range 7 {
		run.Thresholds = append(run.Thresholds, rundoc.Threshold{Expr: fmt.Sprintf("p99<%dms", 30+i), Met: true})
	}
	if again := threshold.Reread(run, chat()); !strings.Contains(again.Edited, "p99<34ms") || strings.Contains(again.Edited, "p99<35ms") {
		t.Error(again.Edited)
	}
	goal, err := threshold.Parse("p99<50ms", chat())
	if err != nil {
		t.Fatal(err)
	}
	run.Thresholds, run.Aborted = threshold.Judge(run, []threshold.Threshold{goal}), "p99<50ms"
	if again := threshold.Reread(run, chat()); again.Edited != "" {
		t.Error(again.Edited)
	}
}

// What is wrong with a text is said, also at the ends of what may be written.
func TestMoreMessages(t *testing.T) {
	for text, want := range map[string]string{
		"p99{type=TEXT": "the braces of the labels are not closed: a } is missing", "p99≥50ms": `"≥" is not a comparison: write >=`,
		"p99=<50ms": `"=<" is not a comparison: write <=`, "p99\r<50ms": "it has a character that cannot be seen, U+000D: write it again",
		"p99\x0e<50ms": "it has a character that cannot be seen, U+000E: write it again", "p99<9223372036854775807ns": `"9223372036854775807ns" is too long`,
		"failed<>": `"<>" is not a comparison: write <, <=, > or >=`, "rate>1:0/s": `rate is a number of operations per second, and "1:0/s" is none: write it as 1000/s`,
		"rate>_1/s":        `rate is a number of operations per second, and "_1/s" is none: write it as 1000/s`,
		"rate>1_/s":        `rate is a number of operations per second, and "1_/s" is none: write it as 1000/s`,
		"rate>1__0":        `rate is a number of operations per second, and "1__0" is none: write it as 1000/s`,
		"rate>1.2.3/s":     `rate is a number of operations per second, and "1.2.3/s" is none: write it as 1000/s`,
		"bytes_rate>5iB/s": `bytes_rate is a bandwidth, and "5iB/s" is none: write it as 200MB/s, 190MiB/s or 1600Mbit/s`,
	} {
		if _, err := threshold.Parse(text, chat()); err == nil || err.Error() != want {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
	long := "p99{type=" + strings.Repeat("x", 500-len("p99{type=}<50ms")) + "}<50ms"
	if _, err := threshold.Parse(long, chat()); len(long) != 500 || err != nil {
		t.Errorf("%d characters: %v", len(long), err)
	}
	for text, want := range map[string]float64{"p95{type='a<b'}<20ms": 20e6, "p95{type='a}<b'}<20ms": 20e6, "rate>2K/s": 2000, "rate>2M/s": 2e6, "rate>1_9/s": 19, "rate>9_0/s": 90,
		"p99<2562047h": 2562047 * 3600e9} {
		if goal, err := threshold.Parse(text, chat()); err != nil || goal.Limit() != want {
			t.Errorf("%s: %v, %v", text, goal.Limit(), err)
		}
	}
}

// A value is shown with as many digits as it takes to tell it from its limit.
func TestTextsOfValues(t *testing.T) {
	for _, tt := range []struct {
		unit        figure.Unit
		v, other    float64
		text, apart string
	}{
		{figure.Time, 50.04e6, 50e6, "50.0 ms", "50.04 ms"}, {figure.PerSecond, 1000.2, 1000, "1,000/s", "1,000.2/s"},
		{figure.BytesPerSec, 200_010_000, 200e6, "200 MB/s", "200.01 MB/s"}, {figure.Share, 0.010001, 0.01, "1.0 %", "1.0001 %"},
		{figure.Bytes, 1 << 20, 1<<20 + 1, "1.00 MiB", "1,048,576 B"}, {figure.Count, 5, 5, "5", "5"}, {figure.Time, 50e6, 60e6, "50.0 ms", "50.0 ms"},
	} {
		if text, apart := tt.unit.Text(tt.v), tt.unit.TextBeside(tt.v, tt.other); text != tt.text || apart != tt.apart {
			t.Errorf("%v %s beside %v: %q, %q", tt.v, tt.unit, tt.other, text, apart)
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
		threshold.Missed: "p99<40ms was missed: p99 was 61.2 ms, and 48.1 ms without the generator's own delay",
		threshold.Untold: "p99<50ms cannot be told: p99 was 61.2 ms, and 48.1 ms without the generator's own delay",
		threshold.Met:    "failed<1% was met: failed was 0.5 %",
		threshold.Then:   "p99<70ms was missed then, and the run was ended early",
	} {
		if got := strings.Join(threshold.Sentences(run, result), "; "); got != want {
			t.Errorf("%v: %s\nwant %s", result, got, want)
		}
	}
	if got := threshold.Named(run); got != "missed: p99<40ms; missed then: p99<70ms; cannot be told: p99<50ms" {
		t.Error(got)
	}
}
