package sets

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// What became of a threshold is told with what the run's document says of it: why its figure, or the interval that a
// strict one needs, is not known; or what the figure would have been.
func TestOutcomesOfThresholds(t *testing.T) {
	at := func(ms float64) *float64 { return new(ms * 1e6) }
	const why = "too few operations for an interval\n"
	for i, tt := range []struct {
		of   rundoc.Threshold
		want string
	}{
		{rundoc.Threshold{Met: true, Value: at(40)}, "met"}, {rundoc.Threshold{Value: at(60)}, "missed"},
		{rundoc.Threshold{Value: at(60), Free: at(55)}, "missed"},
		{rundoc.Threshold{Value: at(60), Free: at(49)}, "cannot be evaluated: only 49.0 ms corrected for generator delay"},
		{rundoc.Threshold{Value: at(40), Strict: true, Why: why}, "cannot be evaluated: too few operations for an interval?"},
		{rundoc.Threshold{Value: at(40), Free: at(39), Strict: true, Why: why},
			"cannot be evaluated: too few operations for an interval?"},
		{rundoc.Threshold{Why: "interrupted"}, "cannot be evaluated: interrupted"}, {rundoc.Threshold{}, "cannot be evaluated"},
	} {
		tt.of.Expr, tt.of.Unit, tt.of.Limit = "p99<50ms", "ns", 50e6
		if got := outcome(&tt.of); got != tt.want {
			t.Errorf("%d: %q, want %q", i, got, tt.want)
		}
	}
}

// The lists of runs have a dash for what is not known of one, and no more of a text than there is room for.
func TestListsOfRuns(t *testing.T) {
	long := strings.Repeat("x", 49)
	for _, tt := range []struct {
		of           setdoc.Member
		rate, target string
	}{
		{setdoc.Member{}, "–", "–"}, {setdoc.Member{RatePerS: new(5.0), Target: "t"}, "5.00/s", "t"},
		{setdoc.Member{RatePerS: new(5.0), Result: "r", Target: long[:32]}, "r", long[:32]},
		{setdoc.Member{Result: long[:48], Target: long[:33]}, long[:48], long[:31] + "…"},
		{setdoc.Member{Result: long}, long[:47] + "…", "–"},
	} {
		v := NewView(Source{Set: &setdoc.Set{Members: []setdoc.Member{tt.of}}}, report.Options{})
		wantLines(t, tt.rate, linesOfTable(v.Lead(9)), "run | kind | rate | p99 | thresholds | verdict | exit | target",
			" |  | "+tt.rate+" | – | – | – | 0 | "+tt.target)
	}
	swept := sweepOf(setdoc.Sweep{Rows: []setdoc.Row{{Member: "i", Throughput: new(7.0)}}})
	swept.Set.Members = []setdoc.Member{{ID: "i", Name: "a"}, {ID: "j", Name: "b"}}
	wantLines(t, "runs of a sweep", linesOf(t, swept.runs()), " | run | requests/s | verdict | exit | id",
		"1 | a | 7.00 | – | 0 | i", "2 | b | – | – | 0 | j")
}

// A set says how a command names one of its runs where their documents were kept, and how many of them were.
func TestDocumentsThatWereKept(t *testing.T) {
	kept, lost := setdoc.Member{Path: "members/x/run.json"}, setdoc.Member{}
	const named = "'plimsoll report last/N' shows run N."
	for i, tt := range []struct {
		name        string
		members     []setdoc.Member
		runs, files string
	}{
		{"last", nil, "", ""}, {"last", []setdoc.Member{lost}, "", "The documents of the runs were not saved."},
		{"last", []setdoc.Member{lost, kept}, named, "Saved in the directory of the set: 1 of 2 runs, the first as members/x/run.json."},
		{"last", []setdoc.Member{kept, {Path: "y"}}, named, "Saved in the directory of the set: 2 of 2 runs, the first as members/x/run.json."},
		{"", []setdoc.Member{kept}, "", "Saved in the directory of the set: 1 of 1 run, the first as members/x/run.json."},
	} {
		v := NewView(Source{Set: &setdoc.Set{Members: tt.members}, Name: tt.name}, report.Options{})
		got := []string{strings.Join(v.runs().Notes, "\n"), strings.Join(v.files().Notes, "\n")}
		if diff := cmp.Diff([]string{tt.runs, tt.files}, got); diff != "" {
			t.Errorf("%d: %s", i, diff)
		}
	}
}

// What was asked for stands below a set of any kind, be it a sweep that has no level yet.
func TestPlansOfSets(t *testing.T) {
	plan := json.RawMessage(`{"depth":2}`)
	for i, tt := range []struct {
		set  setdoc.Set
		want []string
	}{
		{setdoc.Set{Plan: plan, Launches: &setdoc.Launches{}}, []string{" | ", " | depth 2"}},
		{setdoc.Set{Plan: json.RawMessage(`{"file":"a.yaml","runs":[{"name":"x","kind":"http","given":["depth 2","y"]},` +
			`{"name":"z","kind":"chat"}]}`)}, []string{" | ", "file | a.yaml", "x | http: depth 2, y",
			"z | chat: (defaults)"}},
		{setdoc.Set{Plan: json.RawMessage(`{"runs":2}`)}, []string{" | ", " | runs 2"}},
		{setdoc.Set{Plan: plan, Sweep: &setdoc.Sweep{}}, []string{" | ", " | depth 2"}},
	} {
		sections := Page(Source{Set: &tt.set}, report.Options{}).ShownSections()
		if len(sections) != 1 || sections[0].Title != "Plan" {
			t.Errorf("%d: %+v", i, sections)
			continue
		}
		wantLines(t, "plan", linesOf(t, sections[0]), tt.want...)
	}
}
