package sets

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/setdoc"
)

// How a comparison was judged: each figure's numbers, and after how many launches it was looked at, where the two lists
// of that belong to each other.
func TestHowAComparisonWasJudged(t *testing.T) {
	const about = "Smallest detectable: the smallest change"
	few := setdoc.Contrast{Launches: 10, Outcome: setdoc.Unknown, Absent: "too few", P: new(0.25)}
	neither := setdoc.Contrast{Outcome: setdoc.Unknown, Absent: setdoc.NoneOnEither}
	head := "metric | launches | p (trimmed t) | p (Holm) | p (sign flip) | outcome | "
	for _, tt := range []struct {
		launches int
		why      string
		looks    []int
		alphas   []float64
		looked   string
	}{
		{10, "too few", nil, nil, ""}, {9, "", nil, []float64{0.5}, ""}, {10, "too few", []int{10, 20}, []float64{0.5}, ""},
		{9, "", []int{1000}, []float64{0.01234}, "Interim analyses after 1,000 launches (0.0123); in parentheses the significance level for all metrics together."},
		{11, "too few", []int{10, 20}, []float64{0.5, 0.25},
			"Interim analyses after 10 launches (0.5), 20 launches (0.25); in parentheses the significance level for all metrics together."},
	} {
		c := rowsOfFigures(few, neither)
		c.Looks, c.Alphas = tt.looks, tt.alphas
		s := comparisonOf(c, tt.launches).tests()
		wantLines(t, "tests", linesOf(t, s), head, "a | 10 | 0.250 | – | – | no result | "+tt.why,
			"b | 0 | – | – | – | zero on both sides | ")
		looked := ""
		if len(s.Notes) == 3 {
			looked = s.Notes[0]
		}
		if looked != tt.looked || !strings.HasPrefix(s.Notes[len(s.Notes)-1], about) {
			t.Errorf("%q, want %q first", s.Notes, tt.looked)
		}
	}
}

// The list of launches has columns for what is known of any of them, and says why one is lost.
func TestTableOfLaunches(t *testing.T) {
	value := func(x float64) []setdoc.Known { return []setdoc.Known{{Value: &x}, {Why: "too few"}, {Value: &x}} }
	long := strings.Repeat("x", 61)
	c := rowsOfFigures(make([]setdoc.Contrast, 3)...)
	c.Launches = []setdoc.Launch{
		{Values: [2][]setdoc.Known{value(1e6), value(2e6)}}, {First: 1, Lost: long[:60]}, {Lost: long}, {Dropped: true},
	}
	rows := []string{"1 | A | 1.00 ms | 2.00 ms | – | – | ", "2 | B | – | – | – | – | discarded: " + long[:60],
		"3 | A | – | – | – | – | discarded: " + long[:59] + "…", "4 | A | – | – | – | – | dropped"}
	wantLines(t, "whole runs", linesOf(t, comparisonOf(c, 0).launchTable()),
		append([]string{" | first | a A | a B | b A | b B | "}, rows...)...)

	one := rowsOfFigures(setdoc.Contrast{})
	one.Launches = []setdoc.Launch{{}, {SliceNS: 1, Others: new(0.25)}}
	wantLines(t, "slices", linesOf(t, comparisonOf(one, 0).launchTable()), " | first | a A | a B | slice | other CPU | ",
		"1 | A | – | – | 0 ns | – | ", "2 | A | – | – | 1.00 ns | 25.0% | ")

	const note = "'plimsoll report last/N' shows run N; each launch has two runs."
	for _, tt := range []struct {
		name, path string
		want       string
	}{{"last", "members/x/run.json", note}, {"", "members/x/run.json", ""}, {"last", "", ""}} {
		v := comparisonOf(one, 0)
		v.Name, v.Set.Members = tt.name, []setdoc.Member{{}, {Path: tt.path}}
		if got := strings.Join(v.launchTable().Notes, "\n"); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

// The commands of the two sides stand above the plan, as far as they are known.
func TestCommandsOfSides(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want []string
	}{
		{"x", "y", []string{" | ", "A | x", "B | y"}}, {"", "y", []string{" | ", "B | y"}}, {"x", "", []string{" | ", "A | x"}},
		{"", "", nil},
	} {
		s := comparisonOf(setdoc.Comparison{Sides: [2]setdoc.Side{{Command: tt.a, Plan: json.RawMessage("null")},
			{Command: tt.b}}}, 0).sides()
		wantLines(t, tt.a+" and "+tt.b, linesOf(t, s), tt.want...)
	}
}

// Only slices of an open model cut the queues of what waits, and that is said where the first side has one.
func TestQueuesThatAreCut(t *testing.T) {
	open, closed := setdoc.Side{Plan: json.RawMessage(`{"load":{"rate_per_s":5}}`)}, setdoc.Side{Plan: json.RawMessage("{}")}
	for _, tt := range []struct {
		way   string
		sides [2]setdoc.Side
		want  bool
	}{
		{setdoc.BySlices, [2]setdoc.Side{open, closed}, true}, {setdoc.BySlices, [2]setdoc.Side{closed, open}, false},
		{setdoc.ByRuns, [2]setdoc.Side{open, open}, false},
	} {
		v := comparisonOf(setdoc.Comparison{Way: tt.way, Sides: tt.sides}, 0)
		if said := len(v.doubts().Points) == 1; v.queuesAreCut() != tt.want || said != tt.want {
			t.Errorf("%s of %s: %v, want %v", tt.way, tt.sides[0].Plan, v.queuesAreCut(), tt.want)
		}
	}
}

// The list of probes has a dash for what is not known of one, and says on which side of the line each is where the line
// has an interval.
func TestTableOfProbes(t *testing.T) {
	p99, rate := setdoc.Known{Value: new(5e6)}, new(500.0)
	l := setdoc.Loadline{SLO: []setdoc.Goal{{Figure: "p99", Unit: "ns"}}, Probes: []setdoc.Probe{
		{Load: 500, Result: setdoc.ProbeMet, LengthNS: 1e9, Values: []setdoc.Known{p99}, Rate: rate},
		{Load: 800, Result: setdoc.ProbeFailed, LengthNS: 2e9, Values: []setdoc.Known{{Why: "too few"}}},
		{Load: 600, Result: setdoc.ProbeTellsNothing},
	}}
	found := l
	found.Load, found.Range = new(600.0), []float64{600, 700}
	head := " | req/s | length | SLO | p99 | completed, /s"
	rows := []string{"1 | 500 | 1.00 s | met | 5.00 ms | 500", "2 | 800 | 2.00 s | failed | – | –",
		"3 | 600 | 0 ns | inconclusive | – | –"}
	wantLines(t, "no line", linesOf(t, searched(l).probeTable()), append([]string{head}, rows...)...)
	wantLines(t, "a line", linesOf(t, searched(found).probeTable()), head+" | ", rows[0]+" | below the interval",
		rows[1]+" | above it", rows[2]+" | ")
	found.Range = nil
	wantLines(t, "no interval", linesOf(t, searched(found).probeTable()), append([]string{head}, rows...)...)

	file := linesOfTable(report.TableOf(searched(l).probes(), probesCSV(searched(l))...))
	wantLines(t, "a file", file, "probe | load | length_ns | result | missed | p99 | rate_per_s | response_p99_ns | id | why",
		"1 | 500 | 1000000000 | met |  | 5000000 | 500 |  |  | ", "2 | 800 | 2000000000 | failed |  |  |  |  |  | ",
		"3 | 600 | 0 | "+setdoc.ProbeTellsNothing+" |  |  |  |  |  | ")
}

// What a search is called, how long its probes were, and how its runs are named.
func TestSearchesInWords(t *testing.T) {
	targets := []setdoc.Member{{Target: "a"}, {Target: "b"}, {Target: "c"}}
	for want, v := range map[string]lineView{
		"Plimsoll loadline":                          searched(setdoc.Loadline{}),
		"Plimsoll loadline · a":                      searched(setdoc.Loadline{}, targets[:1]...),
		"Plimsoll loadline · a, b":                   searched(setdoc.Loadline{}, targets[:2]...),
		"Plimsoll loadline · http · a, b and 1 more": searched(setdoc.Loadline{Workload: "http"}, targets...),
	} {
		if got := v.title(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	short := searched(setdoc.Loadline{Load: new(5.0), Probes: []setdoc.Probe{{Load: 1}, {Load: 5, LengthNS: 1}}})
	if got := short.lasts(); got != "1.00 ns" || short.nearest() != &short.line.Probes[1] {
		t.Errorf("%q, the nearest is %+v", got, short.nearest())
	}
	for name, want := range map[string]int{"": 0, "last": 1} {
		v := searched(setdoc.Loadline{}, targets...)
		v.Name = name
		if notes := v.runs().Notes; len(notes) != want {
			t.Errorf("%q: %q", name, notes)
		}
	}
}
