package sets_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/internal/sweep"
	"github.com/plimsoll/plimsoll/setdoc"
)

// text is the whole report of a set, without its line ends.
func text(t *testing.T, set *setdoc.Set) string {
	t.Helper()
	var b bytes.Buffer
	if err := sets.Page(sets.Source{Set: set}, report.Options{}).Text(&b, report.Options{}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Where the highest level is not the best because it fails, the report does not say that the two are alike.
func TestTheHighestMayFail(t *testing.T) {
	set := document(t, "plateau")
	for i := range set.Sweep.Rows {
		if r := &set.Sweep.Rows[i]; r.Values[0] == "64" {
			*r.Throughput *= 2
			r.Failed = r.OK / 4
			r.Causes = []setdoc.CauseCount{{Cause: "timeout", Count: r.Failed}}
		}
	}
	s := set.Sweep
	set.Sweep = sweep.Analyze(sweep.Plan{Workload: s.Workload, Vary: s.Vary, Repeats: s.Repeats, Figure: s.Figure}, s.Rows)
	got := text(t, set)
	if !strings.Contains(got, "not the best: 20 % of the operations do not end ok, mostly by timeout") ||
		strings.Contains(got, "not told apart from the best") {
		t.Error(got)
	}
}

// Of times the best is the lowest one, and is called so.
func TestTheBestOfTimesIsTheLowest(t *testing.T) {
	set := document(t, "plateau")
	s := set.Sweep
	set.Sweep = sweep.Analyze(sweep.Plan{Workload: s.Workload, Vary: s.Vary, Repeats: s.Repeats,
		Figure: setdoc.Figure{Name: "client.p50", Unit: string(figure.Time)}}, s.Rows)
	got := text(t, set)
	if !strings.Contains(got, ", the lowest") || strings.Contains(got, ", the highest") {
		t.Error(got)
	}
}

// Of an open model in slices it is said that no queue outlasts its slice; of a closed one, and of whole runs, it would be
// untrue.
func TestQueuesEndWithTheirSlices(t *testing.T) {
	for _, c := range []struct {
		way, load string
		said      bool
	}{
		{setdoc.BySlices, `{"rate_per_s":500}`, true},
		{setdoc.BySlices, `{"clients":50}`, false},
		{setdoc.ByRuns, `{"rate_per_s":500}`, false},
	} {
		set := comparison(10, c.way, figures{name: "p50", unit: string(figure.Time), of: "http", less: true, a: 2e6, ratio: 1,
			half: 0.1, outcome: setdoc.NoneShown})
		for side := range set.Comparison.Sides {
			set.Comparison.Sides[side].Plan = json.RawMessage(`{"load":` + c.load + `}`)
		}
		if got := text(t, set); strings.Contains(got, "Each slice begins with nothing waiting") != c.said {
			t.Errorf("%s of %s: %s", c.way, c.load, got)
		}
	}
}

// A threshold that only the generator's own delay may have missed is one that cannot be told, as in the run's report.
func TestThresholdThatCannotBeTold(t *testing.T) {
	set := document(t, "planned")
	free := 49e6
	set.Members[1].Thresholds[1].Free = &free
	got := text(t, set)
	if want := "cannot be told: 49.0 ms without the generator's own delay"; !strings.Contains(got, want) {
		t.Errorf("no %q in:\n%s", want, got)
	}
}

// The order is said to have been drawn by lot where it was, and the plan has what was varied in words.
func TestOrderAndPlanInWords(t *testing.T) {
	set := document(t, "plateau")
	set.Plan = []byte(`{"random_order":false,"repeats":3,"vary":[{"setting":"clients","numeric":true}],"run":{"load":{"clients":1}}}`)
	got := text(t, set)
	for _, want := range []string{"vary clients 1, 2, 4, 8, 16, 32, 64", "first setting load (clients 1)"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "by lot") {
		t.Error("the order that was given is said to be drawn by lot")
	}
	set.Plan = []byte(`{"random_order":true}`)
	if got := text(t, set); !strings.Contains(got, "drawn by lot") {
		t.Error(got)
	}
}

// What the states lost that are named, and the others, is all that is missing.
func TestTheRestIsAllThatIsMissing(t *testing.T) {
	set := document(t, "plateau")
	best := &set.Sweep.Levels[*set.Sweep.Best]
	*best.Efficiency = 0.642
	best.Missing = []setdoc.MissingShare{{State: "awaiting", Share: 0.371}, {State: "sending", Share: -0.013}}
	want := "the rest, 35.8 %, went to awaiting 37.1 %, less 1.3 % that others did not need"
	if got := text(t, set); !strings.Contains(got, want) {
		t.Errorf("no %q in:\n%s", want, got)
	}
}

// A set that was made by other rules says so: nothing holds its levels against its runs.
func TestOtherRulesAreTold(t *testing.T) {
	const said = "and not held against the runs"
	set := document(t, "plateau")
	if strings.Contains(text(t, set), said) {
		t.Error("it is said of this program's own rules")
	}
	set.Sweep.Rules++
	if got := text(t, set); !strings.Contains(got, said) {
		t.Error(got)
	}
	const ofLaunches = "and not held against the launches"
	set = document(t, "compare-worse")
	if strings.Contains(text(t, set), ofLaunches) {
		t.Error("it is said of a comparison by this program's own rules")
	}
	set.Comparison.Rules--
	if got := text(t, set); !strings.Contains(got, ofLaunches) {
		t.Error(got)
	}
}

// A sweep that was cut short, or whose command was killed, says how many of its runs there are, and not how many each
// setting was to have.
func TestASweepThatWasCutShort(t *testing.T) {
	set := document(t, "law")
	set.Members, set.Sweep.Rows, set.Sweep.Levels = set.Members[:1], set.Sweep.Rows[:1], set.Sweep.Levels[:1]
	set.Sweep.Peak, set.Sweep.Best, set.Sweep.FailsFrom, set.Sweep.Base = new(0), new(0), nil, nil
	var text bytes.Buffer
	if err := sets.Page(sets.Source{Set: set}, report.Options{}).Brief(&text, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if said := text.String(); !strings.Contains(said, "\n1 of 21 runs · window") || strings.Contains(said, "setting ×") {
		t.Error(said)
	}
}
