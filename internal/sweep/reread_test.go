package sweep

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// eachNumber calls do with each number of a document. Its argument edit changes the number; edit(nil) restores it.
func eachNumber(v any, path string, do func(path string, edit func(func(float64) float64))) {
	visit := func(name string, v any, put func(any)) {
		if x, number := v.(float64); number {
			do(strings.TrimPrefix(name, "."), func(change func(float64) float64) {
				if change == nil {
					put(x)
					return
				}
				put(change(x))
			})
			return
		}
		eachNumber(v, name, do)
	}
	switch of := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(of)) {
			visit(path+"."+name, of[name], func(x any) { of[name] = x })
		}
	case []any:
		for i := range of {
			if i > 1 && i < len(of)-1 {
				continue // it is as its neighbours
			}
			visit(path, of[i], func(x any) { of[i] = x })
		}
	}
}

// Reread notices each number of a set that was edited, except those that nothing else in the set depends on.
func TestRereadNoticesEveryEditedNumber(t *testing.T) {
	unnoticed := map[string]bool{}
	for _, name := range []string{"failing", "grid"} {
		text, err := os.ReadFile("../report/sets/testdata/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if set, err := setdoc.Read(bytes.NewReader(text)); err != nil || Reread(set) != nil {
			t.Fatalf("%s as it is: %v, %q", name, err, Reread(set))
		}
		var document any
		if err := json.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}
		eachNumber(document, "", func(path string, edit func(func(float64) float64)) {
			edit(func(x float64) float64 {
				if x == 0 {
					return 1000
				}
				return 1000 * x
			})
			text, err := json.Marshal(document)
			if err != nil {
				t.Fatal(err)
			}
			set, err := setdoc.Read(bytes.NewReader(text))
			if err == nil && Reread(set) == nil {
				unnoticed[path] = true
			}
			edit(nil)
		})
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(unrelated())), slices.Sorted(maps.Keys(unnoticed))); diff != "" {
		t.Error(diff)
	}
}

// unrelated lists the numbers of a set document that nothing else in it depends on. Edits of those of rows and members
// are still noticed if the documents of the runs are next to the set.
func unrelated() []string {
	return []string{
		"host.cpus", "plan.load.duration_ns", "plan.load.warmup_ns", "plan.repeat", "sweep.seed", // say how it was made
		"planned", "sweep.repeats", // runs may be missing
		"sweep.rules",                                                          // the report says so, and holds no level against its runs
		"members.exit", "members.thresholds.limit", "members.thresholds.value", // of the run alone
		// A level has the median of these, and one of three runs is mostly not in it.
		"sweep.rows.response_p50_ns", "sweep.rows.response_p99_ns", "sweep.rows.service_p50_ns", "sweep.rows.service_p99_ns",
		// A level has no mean of these two: what it says of time is the ledger's.
		"sweep.rows.response_mean_ns", "sweep.rows.window_ns",
	}
}

// What a set has of a run is what the document of that run says.
func TestRereadMember(t *testing.T) {
	run := &rundoc.Run{
		ID: "r1", Workload: "chat", Verdict: rundoc.Verdict{Validity: rundoc.Valid},
		Total: &rundoc.Totals{Scheduled: 20, OK: 14, Failed: 6, ServiceTime: &rundoc.Summary{Count: 20, MeanNS: 5},
			Causes: []rundoc.Cause{{Cause: "reset", Count: 6}}},
		Ledger:     rundoc.Ledger{Clients: 2, WindowNS: 2e9, States: map[string]int64{rundoc.StateIdle: 5}},
		Thresholds: []rundoc.Threshold{{Expr: "ok>9", Unit: "", Limit: 9, Value: new(14.0), Met: true}},
	}
	rate := func(*rundoc.Run) figure.Value { return figure.Value{Raw: 7} }
	fresh := func() *setdoc.Set {
		figure := setdoc.Figure{Name: "rate", Unit: "per_s"}
		row := RowOf(run, figure, rate(run), []string{"2"}, 1)
		return &setdoc.Set{Members: []setdoc.Member{{ID: "r1", Workload: "chat", Verdict: run.Verdict, Path: "members/r1",
			Thresholds: slices.Clone(run.Thresholds)}}, Sweep: &setdoc.Sweep{Rules: Rules, Figure: figure, Rows: []setdoc.Row{row}}}
	}
	row := func(s *setdoc.Set) *setdoc.Row { return &s.Sweep.Rows[0] }
	for name, tt := range map[string]struct {
		edit func(*setdoc.Set)
		want string
	}{
		"nothing":     {func(*setdoc.Set) {}, ""},
		"cut short":   {func(s *setdoc.Set) { s.Sweep.Rows = nil }, ""},
		"no sweep":    {func(s *setdoc.Set) { s.Sweep = nil }, ""},
		"another run": {func(s *setdoc.Set) { s.Members[0].ID = "r2" }, "is the document of another run"},
		"the verdict": {func(s *setdoc.Set) { s.Members[0].Verdict.Validity = "invalid" }, "is valid in its own document"},
		"a threshold": {func(s *setdoc.Set) { s.Members[0].Thresholds[0].Limit = 3 }, "the thresholds of r1"},
		"throughput":  {func(s *setdoc.Set) { *row(s).Throughput = 8 }, "row 1 does not match the document of its run, r1: throughput"},
		"none":        {func(s *setdoc.Set) { row(s).Throughput = nil }, "its run, r1: throughput"},
		"failed":      {func(s *setdoc.Set) { row(s).Failed = 0 }, "its run, r1: failed"},
		"causes":      {func(s *setdoc.Set) { row(s).Causes = nil }, "its run, r1: causes"},
		"reasons":     {func(s *setdoc.Set) { row(s).Reasons = []string{"It was slow."} }, "its run, r1: reasons"},
		"window":      {func(s *setdoc.Set) { row(s).WindowNS *= 2 }, "its run, r1: window_ns"},
		"states":      {func(s *setdoc.Set) { row(s).States[rundoc.StateIdle] = 6 }, "its run, r1: states"},
	} {
		set := fresh()
		tt.edit(set)
		got := strings.Join(RereadMember(set, &set.Members[0], run, rate), "\n")
		if !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
