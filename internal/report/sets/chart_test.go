package sets

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Of a set that has nothing to draw it is said why, and of one that never has a chart what has.
func TestNothingToDraw(t *testing.T) {
	for want, set := range map[string]setdoc.Set{
		"no chart: all probes were inconclusive":                           {Loadline: &setdoc.Loadline{}},
		"no chart: no metric of this comparison has a confidence interval": {Comparison: &setdoc.Comparison{}},
		"no chart: no run of this sweep has a result":                      {Sweep: &setdoc.Sweep{}},
		"no chart: no run of this set has a result":                        {Launches: &setdoc.Launches{}},
		`a set of the kind "plan" has no chart; name one of its runs: 'plimsoll report x/1 --chart FILE' draws the first`: {
			ID: "x", Kind: setdoc.KindPlan},
	} {
		var b bytes.Buffer
		err := Chart(&b, Source{Set: &set}, chart.SVG)
		if err == nil || b.Len() > 0 {
			t.Errorf("%d bytes, %v", b.Len(), err)
			continue
		}
		got, code := err.Error(), fault.RunFailed
		if hint := fault.HintOf(err); hint != "" {
			got, code = got+"; "+hint, fault.Usage
		}
		if got != want || fault.CodeOf(err) != code {
			t.Errorf("%q of the code %v, want %q of %v", got, fault.CodeOf(err), want, code)
		}
	}
}

// Above a chart stands the verdict, and the first reason of one that is not good.
func TestHeadsOfCharts(t *testing.T) {
	why := []string{"Why.", "More."}
	for i, tt := range []struct {
		validity rundoc.Validity
		reasons  []string
		broken   []string
		verdict  string
		role     graph.Role
		why      string
	}{
		{rundoc.Valid, nil, nil, "valid", graph.Met, ""}, {rundoc.Valid, why, nil, "valid", graph.Met, ""},
		{rundoc.Seen, why, nil, "valid as far as seen", graph.Met, ""}, {rundoc.Suspect, nil, nil, "suspect", graph.Unknown, ""},
		{rundoc.Suspect, why[:1], nil, "suspect", graph.Unknown, "Why."}, {rundoc.Invalid, why, nil, "invalid", graph.Failed, "Why."},
		{rundoc.Valid, why, []string{"x"}, "edited", graph.Failed, "x"}, {"", nil, nil, "", graph.Met, ""},
	} {
		set := setdoc.Set{Kind: setdoc.KindPlan, Verdict: rundoc.Verdict{Validity: tt.validity, Reasons: tt.reasons}}
		v := NewView(Source{Set: &set, Broken: tt.broken}, report.Options{})
		page := Page(v.Source, report.Options{})
		want := chart.Head{Title: "Plimsoll plan", Subtitle: page.Subtitle(), Answer: "line", Verdict: tt.verdict, Role: tt.role,
			Why: tt.why}
		if tt.validity == rundoc.Seen {
			want.Verdict = string(rundoc.Seen)
		}
		if diff := cmp.Diff(want, v.chartHead(page, "line")); diff != "" {
			t.Errorf("%d: %s", i, diff)
		}
	}
}

// The chart of a sweep says what is best and how efficient it is, and that of launches their median.
func TestLinesOfDrawings(t *testing.T) {
	level := setdoc.Level{Efficiency: new(0.5), Predicted: new(2000.0)}
	v := sweepOf(setdoc.Sweep{Levels: []setdoc.Level{level}, Best: new(0), Base: &setdoc.Base{W1: 1e6, Single: true}})
	const best = "clients 1: 1,000 requests/s"
	if got := v.Drawing().Line; got != best+"  ·  efficiency 50.0% of the predicted 2,000 requests/s" {
		t.Error(got)
	}
	v.sweep.Base = nil
	if got := v.Drawing().Line; got != best {
		t.Error(got)
	}
	set := setdoc.Set{Launches: &setdoc.Launches{Figure: p50, Why: "none ended"}}
	launches := NewView(Source{Set: &set}, report.Options{})
	if d := launches.Drawing(); d.Line != "p50 has no result: none ended" || len(d.Graphs) > 0 {
		t.Errorf("%+v", d)
	}
	set.Members, set.Launches.Values = make([]setdoc.Member, 1), make([]setdoc.Known, 1)
	if d := launches.Drawing(); len(d.Graphs) > 0 {
		t.Errorf("a chart of a launch that told nothing: %+v", d)
	}
	set.Launches.Values[0].Value = new(1e6)
	if d := launches.Drawing(); len(d.Graphs) != 1 {
		t.Errorf("%d panels", len(d.Graphs))
	}
}

// The chart of a search has the first three goals, and the loads in the order of the search.
func TestDrawingOfASearch(t *testing.T) {
	for goals := range 5 {
		p := setdoc.Probe{Load: 500, Result: setdoc.ProbeMet, Rate: new(500.0)}
		var l setdoc.Loadline
		for range goals {
			l.SLO = append(l.SLO, setdoc.Goal{Expr: "p99<1ms", Figure: "p99", Unit: "ns", Limit: 1e6})
			p.Values = append(p.Values, setdoc.Known{Value: new(1e6)})
		}
		l.Probes = []setdoc.Probe{p}
		var got []string
		for _, panel := range searched(l).Drawing().Graphs {
			got = append(got, panel.Name)
		}
		want := append([]string{"goal-1", "goal-2", "goal-3"}[:min(goals, 3)], "search")
		if !slices.Equal(got, want) {
			t.Errorf("of %d goals %q, want %q", goals, got, want)
		}
	}
}
