package sets

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// lineSet is a search with these probes, each of a run of its own, which is valid.
func lineSet(probes ...setdoc.Probe) *setdoc.Set {
	set := &setdoc.Set{Kind: setdoc.KindLoadline, Plan: []byte("{}"), Loadline: &setdoc.Loadline{Vary: "rate", Unit: "requests/s",
		SLO: []setdoc.Goal{{Expr: "p99<50ms", Figure: "p99", Unit: "ns", Limit: 50e6}}}}
	for i := range probes {
		p := &probes[i]
		p.Member, p.LengthNS, p.Rate = string(rune('a'+i)), 1e9, new(p.Load-1)
		set.Members = append(set.Members, setdoc.Member{ID: p.Member, Verdict: rundoc.Verdict{Validity: rundoc.Valid}})
	}
	set.Loadline.Probes = probes
	return set
}

// dotsOf are the probes of a panel, by the name of their series: where they stand.
func dotsOf(p graph.Panel) map[string][]float64 {
	all := map[string][]float64{}
	for _, s := range p.Series {
		if s.Style == graph.Dots {
			all[s.Name] = s.X
		}
	}
	return all
}

// A probe that met the SLO in a run that is invalid is not drawn as one that met it, and nobody reads it as one.
func TestProbesOfInvalidRuns(t *testing.T) {
	value := []setdoc.Known{{Value: new(40e6)}}
	set := lineSet(setdoc.Probe{Load: 100, Result: setdoc.ProbeMet, Values: value}, setdoc.Probe{Load: 200, Result: setdoc.ProbeMet, Values: value},
		setdoc.Probe{Load: 400, Result: setdoc.ProbeMet, Values: value}, setdoc.Probe{Load: 800, Result: setdoc.ProbeFailed, Values: value},
		setdoc.Probe{Load: 1600, Result: setdoc.ProbeFailed, Values: value}, setdoc.Probe{Load: 3200, Result: setdoc.ProbeTellsNothing, Values: value})
	page := Page(Source{Set: set}, report.Options{})
	want := map[string][]float64{"met the SLO": {100, 200, 400}, "failed it": {800, 1600}, "told nothing": {3200}}
	for _, p := range page.Graphs()[:2] {
		same(t, p.Name, dotsOf(p), want)
	}
	if text := textOf(t, page); strings.Contains(text, "INVALID") || !strings.Contains(text, "6: 3 met the SLO, 2 failed, 1 told nothing") {
		t.Error(text)
	}
	for _, i := range []int{1, 2, 3} {
		set.Members[i].Verdict.Validity = rundoc.Invalid
	}
	page = Page(Source{Set: set}, report.Options{})
	want["met the SLO"], want["met the SLO, INVALID"] = []float64{100}, []float64{200, 400}
	for _, p := range page.Graphs()[:2] {
		same(t, p.Name, dotsOf(p), want)
		s := line(p, "met the SLO, INVALID")
		if s.Role == graph.Met || s.Texts[0] != "probe 2, 200 requests/s, 1.00 s: met, INVALID" {
			t.Errorf("%s: %+v", p.Name, s)
		}
	}
	same(t, "search", dotsOf(panelOf(page.Graphs(), "search")), map[string][]float64{"met the SLO": {1}, "met the SLO, INVALID": {2, 3},
		"failed it": {4, 5}, "told nothing": {6}})
	text := textOf(t, page)
	if !strings.Contains(text, "6: 3 met the SLO (2 of them INVALID: do not use their figures), 2 failed, 1 told\n") ||
		!strings.Contains(text, "not found; 100 requests/s met the SLO") || strings.Count(text, "met, INVALID") != 2 || strings.Count(text, "failed, INVALID") != 1 {
		t.Error(text)
	}
	var picture bytes.Buffer
	if err := Chart(&picture, Source{Set: set}, chart.SVG); err != nil || !strings.Contains(picture.String(), "met the SLO, INVALID") {
		t.Errorf("the legend of the picture: %v", err)
	}
}

func textOf(t *testing.T, page report.Page) string {
	t.Helper()
	var all bytes.Buffer
	if err := page.Text(&all, report.Options{Width: 200}); err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// One probe is a search with panels; where a load is none that a logarithm has, the axis is linear.
func TestAxisOfLoads(t *testing.T) {
	for _, tt := range []struct {
		loads []float64
		want  graph.Axis
	}{
		{[]float64{100}, graph.Axis{Name: "requests/s", Scale: graph.Log, From: 100 / 1.12, To: 112}},
		{[]float64{100, 50, 200}, graph.Axis{Name: "requests/s", Scale: graph.Log, From: 50 / 1.12, To: 224}},
		{[]float64{0, 5}, graph.Axis{Name: "requests/s"}}, {[]float64{5, 1e15}, graph.Axis{Name: "requests/s"}},
	} {
		var probes []setdoc.Probe
		for _, load := range tt.loads {
			probes = append(probes, setdoc.Probe{Load: load, Result: setdoc.ProbeMet})
		}
		all := Page(Source{Set: lineSet(probes...)}, report.Options{}).Graphs()
		same(t, "the axis of loads", panelOf(all, "through").X, tt.want)
		same(t, "the search", panelOf(all, "search").X, graph.Axis{Name: "probe", From: 0.5, To: float64(len(tt.loads)) + 0.5})
	}
	if all := Page(Source{Set: lineSet()}, report.Options{}).Graphs(); all != nil {
		t.Errorf("no probe: %+v", all)
	}
}

// A probe without a value has a load and no height. What was offered is a line of its own, once for each load. The goal,
// the load line, its interval and each drift are marked.
func TestMarksOfASearch(t *testing.T) {
	set := lineSet(setdoc.Probe{Load: 200, Result: setdoc.ProbeMet, Values: []setdoc.Known{{Value: new(9e6)}}},
		setdoc.Probe{Load: 100, Result: setdoc.ProbeMet}, setdoc.Probe{Load: 200, Result: setdoc.ProbeMet})
	l := set.Loadline
	l.Load, l.Range, l.Drift = new(150.0), []float64{140, 160}, []int{1, 2}
	all := Page(Source{Set: set}, report.Options{}).Graphs()
	p := panelOf(all, "goal-1")
	same(t, "the goal's", []graph.Values{p.Series[0].X, p.Series[0].Y}, []graph.Values{{200, 100, 200}, {9e6, nan, nan}})
	same(t, "rules", p.Rules, []graph.Rule{{Role: graph.Neutral, At: 50e6, Name: "goal, p99<50ms"},
		{Role: graph.Fitted, At: 150, Vertical: true, Name: "load line"}})
	same(t, "bands", p.Bands, []graph.Band{{Role: graph.Fitted, From: 140, To: 160, Name: "its 98 % interval"}})
	p = panelOf(all, "through")
	same(t, "offered", []graph.Values{line(p, "as offered").X, line(p, "as offered").Y}, []graph.Values{{100, 200}, {100, 200}})
	same(t, "got through", line(p, "met the SLO").Y, graph.Values{199, 99, 199})
	p = panelOf(all, "search")
	same(t, "probe by probe", []graph.Values{p.Series[0].X, p.Series[0].Y}, []graph.Values{{1, 2, 3}, {200, 100, 200}})
	const forgotten = "all earlier ones were forgotten: the target had changed"
	same(t, "rules of the search", p.Rules, []graph.Rule{{Role: graph.Fitted, At: 150, Name: "load line"},
		{Role: graph.Unknown, At: 1.5, Vertical: true, Name: forgotten}, {Role: graph.Unknown, At: 2.5, Vertical: true, Name: forgotten}})
	l.SLO[0] = setdoc.Goal{Expr: "failed<10%", Figure: "failed", Unit: "share", Limit: 0.1}
	for share, want := range map[float64]float64{0: 0.2, 0.19: 0.2, 0.3: 0.312, 0.97: 1, 1: 1} {
		l.Probes[0].Values[0].Value = &share
		if p := panelOf(Page(Source{Set: set}, report.Options{}).Graphs(), "goal-1"); math.Abs(p.Y.To-want) > 1e-12 {
			t.Errorf("%v failed: up to %v, want %v", share, p.Y.To, want)
		}
	}
}

// The members of a set that is no sweep stand one beside the other, each in a series by its verdict.
func TestPanelsOfMembers(t *testing.T) {
	set := &setdoc.Set{Kind: setdoc.KindPlan, Plan: []byte("{}")}
	if all := viewOf(set).Graphs(); all != nil {
		t.Errorf("no member: %+v", all)
	}
	set.Members = []setdoc.Member{{Name: strings.Repeat("n", 40), RatePerS: new(5.0), Verdict: rundoc.Verdict{Validity: rundoc.Seen}}}
	p := panelOf(viewOf(set).Graphs(), "rate")
	if len([]rune(p.X.Ticks[0].Name)) != 24 || p.X.Ticks[0].At != 1 || p.X.To != 1.5 || !slices.Equal(p.Series[0].Y, graph.Values{5}) {
		t.Errorf("%+v", p)
	}
	for _, v := range []rundoc.Validity{rundoc.Suspect, rundoc.Invalid, rundoc.Valid, ""} {
		set.Members = append(set.Members, setdoc.Member{P99NS: new(int64(len(set.Members))), Verdict: rundoc.Verdict{Validity: v}})
	}
	all := viewOf(set).Graphs()
	same(t, "rates", dotsOf(panelOf(all, "rate")), map[string][]float64{"valid": {1, 4}})
	same(t, "times", dotsOf(panelOf(all, "response-time")), map[string][]float64{"valid": {1, 4}, "suspect": {2}, "invalid": {3}})
	same(t, "a p99", line(panelOf(all, "response-time"), "valid").Y, graph.Values{nan, 3})
}

// Each launch is a dot, with lines at the median and the ends of its interval; where none has a value it is said.
func TestPanelOfLaunches(t *testing.T) {
	l := &setdoc.Launches{Figure: setdoc.Figure{Name: "download", Unit: "bytes_per_s"}, Values: []setdoc.Known{{Value: new(3e6)},
		{Why: "interrupted"}, {Value: new(5e6)}}}
	set := &setdoc.Set{Kind: setdoc.KindLaunches, Plan: []byte("{}"), Launches: l, Members: make([]setdoc.Member, 3)}
	p := viewOf(set).Graphs()[0]
	same(t, "launches", []graph.Values{p.Series[0].X, p.Series[0].Y}, []graph.Values{{1, 2, 3}, {3, nan, 5}})
	same(t, "in words", p.Series[0].Texts, []string{"", "interrupted", ""})
	same(t, "the axis", p.X, graph.Axis{Name: "launch", From: 0.5, To: 3.5})
	same(t, "no median", len(p.Rules), 0)
	l.Median = &nan
	same(t, "a median that is none", len(viewOf(set).Graphs()[0].Rules), 0)
	l.Median, l.Range = new(4e6), []float64{3e6, 5e6}
	same(t, "rules", viewOf(set).Graphs()[0].Rules, []graph.Rule{{Role: graph.Fitted, At: 4, Name: "median"},
		{Role: graph.Neutral, At: 3, Name: "lower end of its interval"}, {Role: graph.Neutral, At: 5, Name: "upper end of its interval"}})
	l.Range = append(l.Range, 6e6) // of a document that makes no sense
	same(t, "a third end", len(viewOf(set).Graphs()[0].Rules), 4)
	if d := viewOf(set).Drawing(); len(d.Graphs) != 1 || d.Graphs[0].Name != "launches" {
		t.Errorf("%+v", d)
	}
	l.Values[0].Value, l.Values[2].Value = nil, nil
	if p := viewOf(set).Graphs()[0]; p.Empty != "no launch has a download" || len(p.Series) > 0 || p.Name == "" {
		t.Errorf("%+v", p)
	}
}

// Both sweeps have their levels from left to right, at the same places where they are the same.
func TestPanelsBeside(t *testing.T) {
	a, b := sweepOver(1, 16, 2), sweepOver(1, 8, 2, 4)
	b.Sweep.Levels[1].Interval = []float64{19, 23}
	all := besidePanels(viewOf(a), viewOf(b))
	p := panelOf(all, "scaling")
	same(t, "panels", len(all), 1)
	same(t, "A", []graph.Values{p.Series[0].X, p.Series[0].Y, p.Series[0].Low}, []graph.Values{{2, 16}, {20, 160}, nil})
	same(t, "B", []graph.Values{p.Series[1].X, p.Series[1].Y}, []graph.Values{{2, 4, 8}, {20, 40, 80}})
	same(t, "B's interval", []graph.Values{p.Series[1].Low, p.Series[1].High}, []graph.Values{{19, nan, nan}, {23, nan, nan}})
}
