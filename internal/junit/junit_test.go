package junit

import (
	"encoding/xml"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

var update = flag.Bool("update", false, "write the golden files")

// file is a file as a reader has it.
type file struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Suites   []struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Cases    []struct {
			Class   string    `xml:"classname,attr"`
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
			Skipped *struct{} `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

// read reads a file, and holds its counts against what is there.
func read(t testing.TB, text string) file {
	t.Helper()
	var f file
	if err := xml.Unmarshal([]byte(text), &f); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var all, failures, errs int
	seen := map[string]bool{}
	for _, s := range f.Suites {
		var n [3]int
		for _, c := range s.Cases {
			for i, there := range []bool{c.Failure != nil, c.Error != nil, c.Skipped != nil} {
				if there {
					n[i]++
				}
			}
			if key := c.Class + "\x00" + c.Name; seen[key] {
				t.Errorf("two cases are %q: pages take them for one", key)
			} else {
				seen[key] = true
			}
		}
		if s.Tests != len(s.Cases) || n != [3]int{s.Failures, s.Errors, s.Skipped} {
			t.Errorf("%s: %d tests, %d failures, %d errors, %d skipped, and there are %d, %v", s.Name, s.Tests, s.Failures,
				s.Errors, s.Skipped, len(s.Cases), n)
		}
		all, failures, errs = all+s.Tests, failures+s.Failures, errs+s.Errors
	}
	if f.Tests != all || f.Failures != failures || f.Errors != errs {
		t.Errorf("the file says %d, %d, %d, and its suites %d, %d, %d", f.Tests, f.Failures, f.Errors, all, failures, errs)
	}
	return f
}

func written(t testing.TB, r *Report) string {
	t.Helper()
	var text strings.Builder
	if err := Write(&text, r); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// goals are thresholds of each result.
func goals() []rundoc.Threshold {
	return []rundoc.Threshold{
		{Expr: "p99<80ms", Unit: "ns", Limit: 80e6, Value: new(61.2e6), Met: true},
		{Expr: "p99<50ms", Unit: "ns", Limit: 50e6, Value: new(61.2e6), Free: new(60e6)},
		{Expr: "p50<1ms", Unit: "ns", Limit: 1e6, Value: new(2e6), Free: new(0.5e6)},
		{Expr: "p99.9<1s", Unit: "ns", Limit: 1e9, Why: "too few times"},
		{Expr: "failed<1%", Unit: "share", Limit: 0.01, Value: new(0.0), Met: true},
	}
}

func aRun() *rundoc.Run {
	began := time.Date(2026, 5, 4, 9, 30, 0, 0, time.UTC)
	return &rundoc.Run{
		ID: "20260504T093000.000Z-7f3a", Workload: "chat", Started: began, Ended: began.Add(12500 * time.Millisecond),
		Tool: rundoc.Tool{Version: "v1.2.3"}, Plan: []byte(`{"load":{"rate_per_s":500,"clients":8}}`),
		Target: rundoc.Target{URL: "wss://user:secret@chat.example.org/ws?token=hidden"},
	}
}

func aComparison(asked string) *setdoc.Set {
	f := func(name, unit string) setdoc.Compared {
		return setdoc.Compared{Figure: setdoc.Figure{Name: name, Unit: unit}}
	}
	row := func(at int, outcome string, a, b float64) setdoc.Contrast {
		return setdoc.Contrast{Figure: at, Launches: 10, A: &a, B: &b, Ratio: new(b / a), Low: new(b / a * 0.95),
			High: new(b / a * 1.05), Outcome: outcome}
	}
	return &setdoc.Set{
		ID: "20260504T100000.000Z-11ab", Kind: setdoc.KindCompare, Plan: []byte(asked), Tool: rundoc.Tool{Version: "v1.2.3"},
		Started: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC), Ended: time.Date(2026, 5, 4, 10, 2, 0, 0, time.UTC),
		Verdict: rundoc.Verdict{Validity: rundoc.Suspect, Reasons: []string{"1 of 40 runs is invalid."}},
		Members: []setdoc.Member{
			{ID: "a", Name: "launch 1, A", Workload: "http", Verdict: rundoc.Verdict{Validity: rundoc.Valid}},
			{ID: "b", Name: "launch 1, B", Workload: "http", Exit: 4, Error: "the measurement cannot be trusted",
				Verdict: rundoc.Verdict{Validity: rundoc.Invalid, Reasons: []string{"It was late."}}},
		},
		Comparison: &setdoc.Comparison{
			Workload: "http", MinEffect: 0.05, Figures: []setdoc.Compared{f("p50", "ns"), f("p99", "ns"), f("failed", "share")},
			Rows: []setdoc.Contrast{
				row(0, setdoc.NoneShown, 1e6, 1e6), row(1, setdoc.Worse, 5e6, 6e6),
				{Figure: 2, Outcome: setdoc.Unknown, Absent: "too few"},
			},
		},
	}
}

func aLine(exit int, ending, said string) *setdoc.Set {
	set := &setdoc.Set{
		Kind: setdoc.KindLoadline, Exit: exit, Error: said, Verdict: rundoc.Verdict{Validity: rundoc.Valid},
		Members: []setdoc.Member{{ID: "p", Name: "100 requests/s", Workload: "http", Thresholds: goals()[1:2]},
			{ID: "q", Name: "100 requests/s", Workload: "http", Verdict: rundoc.Verdict{Validity: rundoc.Invalid}}},
		Loadline: &setdoc.Loadline{
			Workload: "http", Unit: "requests/s", Ending: ending, SLO: []setdoc.Goal{{Expr: "p99<50ms"}, {Expr: "failed<1%"}},
			Probes: []setdoc.Probe{{Member: "p", LengthNS: 1e9}}, Limits: []setdoc.Limit{{By: "p99<50ms", Probes: 1}},
		},
	}
	if exit == 0 {
		set.Loadline.Load, set.Loadline.Range = new(95.0), []float64{90, 100}
	}
	return set
}

// reports are those of the golden files, each with the exit status that its command ends with.
func reports() map[string]*Report {
	valid := rundoc.Verdict{Validity: rundoc.Valid}
	run := func(exit int, said string, v rundoc.Verdict, goals []rundoc.Threshold) *Report {
		r := aRun()
		r.Exit, r.Error = exit, said
		return OfRun(r, v, goals)
	}
	set := func(exit int, said, asked string) *Report {
		s := aComparison(asked)
		s.Exit, s.Error = exit, said
		return OfSet(s, nil)
	}
	aborted := aRun()
	aborted.Aborted, aborted.Exit, aborted.Error = "p99<80ms", 3, "p99<80ms was missed, so the run was stopped early"
	launches := &setdoc.Set{Kind: setdoc.KindLaunches, Exit: 4, Error: "p99 is not known to ±5%", Launches: &setdoc.Launches{
		Workload: "http", Within: 0.05, Figure: setdoc.Figure{Name: "p99", Unit: "ns"}, Why: "too few launches",
		Median: new(5e6), Range: []float64{4e6, 6e6}}}
	suspect := rundoc.Verdict{Validity: rundoc.Suspect, Reasons: []string{"Its CPUs were busy."}}
	return map[string]*Report{
		"well-0":            run(0, "", suspect, goals()[:1]),
		"missed-3":          run(3, "p99<50ms was missed", valid, goals()),
		"untold-4":          run(4, "p50<1ms cannot be told", valid, goals()[2:]),
		"invalid-4":         run(4, "it cannot be trusted", rundoc.Verdict{Validity: rundoc.Invalid, Reasons: []string{"Late."}}, goals()[:2]),
		"aborted-3":         OfRun(aborted, valid, goals()[:1]),
		"worse-3":           run(3, "S3 PutObject got slower than the baseline", valid, nil),
		"unknown-4":         run(4, "whether it is worse is not known", valid, goals()[:1]),
		"failed-1":          run(1, "not one of 5 was ok", valid, goals()[:1]),
		"interrupted-130":   run(130, "interrupted; and p99<50ms was missed", valid, goals()[1:2]),
		"nothing-1":         OfFailure("http", 1, "cannot connect: refused"),
		"usage-2":           OfFailure("http", 2, "no such file"),
		"compare-worse-3":   set(3, "B is worse: p99", `{"fail_if":"worse","require_conclusive":true}`),
		"compare-unasked-0": set(0, "", `{}`),
		"compare-unseen-4":  set(4, "a change of 5% could not have been seen", `{"require_conclusive":true}`),
		"line-0":            OfSet(aLine(0, setdoc.LineFound, ""), nil),
		"line-below-3":      OfSet(aLine(3, setdoc.LineBelow, "the lowest load fails"), nil),
		"line-generator-4":  OfSet(aLine(4, setdoc.LineGenerator, "the generator was the limit"), nil),
		"launches-4":        OfSet(launches, nil),
		"edited-4":          OfSet(&setdoc.Set{Kind: setdoc.KindPlan, Exit: 4}, []string{"It was changed."}),
	}
}

// TestGolden writes each report, reads it back, and holds it to the rule by which it agrees with the exit status.
func TestGolden(t *testing.T) {
	for name, r := range reports() {
		t.Run(name, func(t *testing.T) {
			text := written(t, r)
			f := read(t, text)
			_, exit, _ := strings.Cut(name[strings.LastIndex(name, "-"):], "-")
			bad := [2]bool{f.Failures > 0, f.Errors > 0}
			switch exit {
			case "0":
				if bad != [2]bool{} {
					t.Error("it went well, and has ", f.Failures, f.Errors)
				}
			case "3":
				if !bad[0] {
					t.Error("something was missed, and nothing failed")
				}
			default:
				if !bad[1] {
					t.Error("it is an error, and there is none")
				}
			}
			if strings.Contains(text, "secret") || strings.Contains(text, "hidden") {
				t.Error("a secret")
			}
			path := filepath.Join("testdata", name+".xml")
			if *update {
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), text); diff != "" {
				t.Errorf("-update writes it:\n%s", diff)
			}
		})
	}
}

// A text is XML whatever stands in it, and hides nothing of what follows.
func FuzzText(f *testing.F) {
	for _, text := range []string{"", "p99<50ms", "]]>", "<![CDATA[", "\x00\x1b[31m\x7f", "\xff\xfe", "\ufffe", "&amp;\"'", "a\nb\tc"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := &Report{Name: text, Suites: []Suite{
			{Name: text, Properties: []Property{{text, text}}, Cases: []Case{
				{Name: text + "1", Result: Failed, Message: text, Lines: []string{text}},
				{Name: text + "2", Result: Errored, Message: text}, {Name: text + "3", Lines: []string{text, text}},
				{Name: text + "4", Result: Skipped, Message: text},
			}},
		}}
		if got := read(t, written(t, r)); got.Tests != 4 || got.Failures != 1 || got.Errors != 1 || got.Suites[0].Skipped != 1 {
			t.Errorf("%+v", got)
		}
	})
}

// Runs of one name, and those of hostile documents, are told apart and counted right.
func TestHostileDocuments(t *testing.T) {
	run := aRun()
	run.Workload, run.Error, run.Exit, run.Plan = "\x1b]0;x\a<a>]]>\xff", "\x00<b>", -7, []byte(`[]`)
	hostile := []rundoc.Threshold{{Expr: "\xff<\x00"}, {Expr: ""}}
	if f := read(t, written(t, OfRun(run, rundoc.Verdict{Validity: "\x01"}, hostile))); f.Errors != 3 {
		t.Errorf("%+v", f)
	}
	set := aComparison("[]")
	set.Comparison.Rows = append(set.Comparison.Rows, setdoc.Contrast{Figure: 3}, setdoc.Contrast{Figure: -1})
	set.Members = append(set.Members, set.Members[0], set.Members[0])
	if f := read(t, written(t, OfSet(set, nil))); f.Failures != 0 {
		t.Errorf("%+v", f)
	}
}
