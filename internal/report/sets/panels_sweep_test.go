package sets

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/setdoc"
)

var nan = math.NaN()

// sweepOver is a sweep over the number of clients with these levels, each of which got through ten times its clients in
// every one of so many runs.
func sweepOver(runs int, levels ...int) *setdoc.Set {
	s := &setdoc.Sweep{Figure: setdoc.Figure{Name: "rate", Unit: "per_s"}, Vary: []setdoc.Vary{{Setting: "clients", Numeric: true}}}
	for _, n := range levels {
		values := []string{strconv.Itoa(n)}
		s.Vary[0].Values = append(s.Vary[0].Values, values[0])
		x := 10 * float64(n)
		s.Levels = append(s.Levels, setdoc.Level{Values: values, Load: float64(n), Throughput: &x, Scheduled: 1})
		for i := range runs {
			s.Order = append(s.Order, len(s.Rows))
			s.Rows = append(s.Rows, setdoc.Row{Values: values, Repeat: i + 1, Validity: "valid", Throughput: &x})
		}
	}
	return &setdoc.Set{Kind: setdoc.KindSweep, Sweep: s, Plan: []byte("{}")}
}

func viewOf(set *setdoc.Set) *View { return NewView(Source{Set: set}, report.Options{}) }

// panelOf is the one of this name, or nothing.
func panelOf(all []graph.Panel, name string) graph.Panel {
	if i := slices.IndexFunc(all, func(p graph.Panel) bool { return p.Name == name }); i >= 0 {
		return all[i]
	}
	return graph.Panel{}
}

func names(p graph.Panel) (list []string) {
	for _, s := range p.Series {
		list = append(list, s.Name)
	}
	return list
}

func line(p graph.Panel, name string) graph.Series {
	if i := slices.Index(names(p), name); i >= 0 {
		return p.Series[i]
	}
	return graph.Series{}
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs(), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}

// Levels stand at their numbers, in their order; by ratios where they would stand on each other; and one beside the
// other where they are no numbers, or none that can be shown.
func TestPlaces(t *testing.T) {
	for _, tt := range []struct {
		x    []float64
		want bool
	}{
		{[]float64{10, 13.9, 100}, true}, {[]float64{10, 14.1, 100}, false}, {[]float64{100, 96.1, 10}, true},
		{[]float64{10, 11, 79.9}, false}, {[]float64{10, 11, 80}, true}, {[]float64{7}, false}, {[]float64{1, 1, 64, 64}, false},
	} {
		if got := crowded(tt.x); got != tt.want {
			t.Errorf("%v are crowded: %t", tt.x, got)
		}
	}
	at := viewOf(sweepOver(1, 16, 2, 8)).places()
	same(t, "places", at.x, []float64{16, 2, 8})
	same(t, "the axis", at.axis, graph.Axis{Name: "clients", To: 16.64, Ticks: []graph.Tick{{At: 2, Name: "2"}, {At: 8, Name: "8"},
		{At: 16, Name: "16"}}})
	at = viewOf(sweepOver(1, 64, 1, 2)).places()
	same(t, "of a logarithmic axis", []float64{at.axis.From, at.axis.To}, []float64{1 / 1.12, 64 * 1.12})
	same(t, "its scale", at.axis.Scale, graph.Log)
	for load, want := range map[float64]bool{1e15: true, 1.01e15: false, 0: false, -1: false, 1: true} {
		set := sweepOver(1, 5, 123_456_789_012_345)
		set.Sweep.Levels[0].Load = load
		at := viewOf(set).places()
		long := at.axis.Ticks[slices.IndexFunc(at.axis.Ticks, func(k graph.Tick) bool { return k.Name != "5" })]
		if at.numbers != want || want && len([]rune(long.Name)) != 12 {
			t.Errorf("a load of %v: numbers: %t, %+v", load, at.numbers, at.axis)
		}
		if !want {
			same(t, "beside each other", at.x, []float64{1, 2})
			same(t, "from 0.5 on", []float64{at.axis.From, at.axis.To}, []float64{0.5, 2.5})
		}
	}
	set := sweepOver(1, 5, 9)
	set.Sweep.Vary = append(set.Sweep.Vary, setdoc.Vary{Setting: "rooms", Numeric: true})
	if viewOf(set).places().numbers {
		t.Error("of two settings a level has no number")
	}
	set = sweepOver(1, 5)
	set.Sweep.Vary[0].Numeric, set.Sweep.Levels[0].Values = false, []string{strings.Repeat("x", 40)}
	if tick := viewOf(set).places().axis.Ticks[0]; len([]rune(tick.Name)) != 24 || tick.At != 1 {
		t.Errorf("%+v", tick)
	}
}

// What a figure is counted in, and by what it is multiplied for that.
func TestAxisOfFigures(t *testing.T) {
	for unit, want := range map[string]graph.Axis{"per_s": {Word: "x/s"}, "bytes_per_s": {Word: "MB/s"}, "ns": {Unit: graph.Nanoseconds},
		"bytes": {Unit: graph.Bytes}, "share": {Unit: graph.Share}, "count": {}} {
		axis, times := axisOf(setdoc.Figure{Unit: unit, Of: "x"})
		if factor := map[bool]float64{true: 1e-6, false: 1}[unit == "bytes_per_s"]; axis.Word != want.Word || axis.Unit != want.Unit || times != factor {
			t.Errorf("%s: %+v × %v", unit, axis, times)
		}
	}
	for _, tt := range []struct {
		ns   *int64
		want float64
	}{{nil, nan}, {new(int64(0)), nan}, {new(int64(-1)), nan}, {new(int64(1)), 1}, {new(int64(77)), 77}} {
		same(t, "ns", nanosOr(tt.ns), tt.want)
	}
	same(t, "no figure", []float64{orNaN(nil, 2), orNaN(new(3.0), 2)}, []float64{nan, 6})
}

// Lines go through the levels from left to right, whatever order the document has; those of means have intervals where
// there are some, and say so.
func TestLinesOfALevel(t *testing.T) {
	set := sweepOver(2, 16, 2, 8)
	set.Sweep.Rows[3].Failed, set.Sweep.Rows[4].Failed, set.Sweep.Rows[5].Throughput = 1, 1234, nil
	all := viewOf(set).Graphs()
	p := panelOf(all, "scaling")
	same(t, "series", names(p), []string{"one run", "mean"})
	mean := line(p, "mean")
	same(t, "the mean at", mean.X, graph.Values{2, 8, 16})
	same(t, "the mean", mean.Y, graph.Values{20, 80, 160})
	same(t, "no interval", []graph.Values{mean.Low, mean.High}, []graph.Values{nil, nil})
	dots := line(p, "one run")
	same(t, "runs at", dots.X, graph.Values{16, 16, 2, 2, 8, 8})
	same(t, "runs", dots.Y, graph.Values{160, 160, 20, 20, 80, nan})
	same(t, "runs in words", dots.Texts, []string{"clients 16, run 1, valid", "clients 16, run 2, valid", "clients 2, run 1, valid",
		"clients 2, run 2, valid, 1 failed", "clients 8, run 1, valid, 1,234 failed", "clients 8, run 2, valid"})
	set.Sweep.Levels[0].Interval = []float64{150, 170}
	p = panelOf(viewOf(set).Graphs(), "scaling")
	mean = line(p, "mean and its 95 % interval")
	same(t, "lower ends", mean.Low, graph.Values{nan, nan, 150})
	same(t, "upper ends", mean.High, graph.Values{nan, nan, 170})
	if !strings.Contains(p.Intro, "95 %") {
		t.Error(p.Intro)
	}
}

// What was offered is drawn beside the throughput of operations, and beside no other figure.
func TestOfferedOfLevels(t *testing.T) {
	set := sweepOver(1, 4, 2)
	set.Sweep.Levels[0].OfferedPerS = new(44.0)
	offered := line(panelOf(viewOf(set).Graphs(), "scaling"), "offered")
	same(t, "offered", []graph.Values{offered.X, offered.Y}, []graph.Values{{2, 4}, {nan, 44}})
	set.Sweep.Figure.Unit = "ns"
	if p := panelOf(viewOf(set).Graphs(), "scaling"); slices.Contains(names(p), "offered") {
		t.Error("operations per second among times")
	}
}

// What would have come is shown where it can be held against the levels, as far as 1.6 times the highest of them.
func TestPredictedAndEfficiency(t *testing.T) {
	set := sweepOver(1, 1, 2, 4)
	for i, x := range []float64{10, 64, 64.1} {
		set.Sweep.Levels[i].Predicted, set.Sweep.Levels[i].Efficiency = &x, new([]float64{9.5, 1.2, 10.5}[i])
	}
	const name = "predicted, L ÷ W₁"
	if p := panelOf(viewOf(set).Graphs(), "scaling"); slices.Contains(names(p), name) {
		t.Error("without a base there is no prediction")
	}
	set.Sweep.Base = &setdoc.Base{}
	all := viewOf(set).Graphs()
	same(t, "predicted", line(panelOf(all, "scaling"), name).Y, graph.Values{10, 64, nan})
	p := panelOf(all, "efficiency")
	same(t, "efficiency", p.Series[0].Y, graph.Values{9.5, 1.2, 10.5})
	if p.Y.To != 9.5*1.04 || p.Rules[0].At != 1 {
		t.Errorf("as far as 9.5, and not as 10.5: %+v, %+v", p.Y, p.Rules)
	}
	for y, want := range map[float64]float64{1.2: 1.2 * 1.04, 1.06: 1.06 * 1.04, 1.05: 1.1, 0.3: 1.1, 9.99: 9.99 * 1.04, 10: 1.1} {
		for i := range set.Sweep.Levels {
			set.Sweep.Levels[i].Efficiency = &y
		}
		if p := panelOf(viewOf(set).Graphs(), "efficiency"); p.Y.To != want {
			t.Errorf("an efficiency of %v: up to %v, want %v", y, p.Y.To, want)
		}
	}
	set.Sweep.Vary[0].Numeric = false
	if p := panelOf(viewOf(set).Graphs(), "scaling"); slices.Contains(names(p), name) {
		t.Error("settings without numbers have no line between them")
	}
}

// The law is X(N) = λN ÷ (1 + σ(N − 1) + κN(N − 1)), from the lowest level to the highest.
func TestLawIsDrawn(t *testing.T) {
	set := sweepOver(1, 1, 3)
	est := func(x float64) *setdoc.Estimate { return &setdoc.Estimate{Value: x} }
	law := &setdoc.Scaling{Lambda: est(100), Sigma: est(0.5), Kappa: est(0.25), Peak: &setdoc.Estimate{Low: 1.5, High: 2.5}}
	set.Sweep.Scaling = law
	p := panelOf(viewOf(set).Graphs(), "scaling")
	s := line(p, "scaling law")
	if len(s.X) != 101 {
		t.Fatalf("%d points", len(s.X))
	}
	same(t, "the law at", []float64{s.X[0], s.X[50], s.X[100]}, []float64{1, 2, 3})
	same(t, "the law", []float64{s.Y[0], s.Y[50], s.Y[100]}, []float64{100, 100, 300.0 / 3.5})
	same(t, "the peak", []float64{p.Bands[0].From, p.Bands[0].To}, []float64{1.5, 2.5})
	for _, lambda := range []float64{-100, math.MaxFloat64} {
		law.Lambda.Value = lambda
		if s := line(panelOf(viewOf(set).Graphs(), "scaling"), "scaling law"); !math.IsNaN(s.Y[100]) {
			t.Errorf("λ is %v: %v", lambda, s.Y[100])
		}
	}
	law.Lambda.Value = 0
	same(t, "nothing", line(panelOf(viewOf(set).Graphs(), "scaling"), "scaling law").Y[100], 0.0)
}

// The p99 of single runs stand beside that of their level, of which there is more than one run.
func TestTimesOfLevels(t *testing.T) {
	set := sweepOver(2, 4, 2)
	for i := range set.Sweep.Rows {
		set.Sweep.Rows[i].ResponseP99NS = new(int64(100 + i))
	}
	set.Sweep.Levels[0].ResponseP50NS, set.Sweep.Levels[1].ResponseP99NS = new(int64(7)), new(int64(9))
	p := panelOf(viewOf(set).Graphs(), "response-time")
	same(t, "p50", line(p, "p50").Y, graph.Values{nan, 7})
	same(t, "p99", line(p, "p99").Y, graph.Values{9, nan})
	same(t, "runs", line(p, "p99 of one run").Y, graph.Values{100, 101, 102, 103})
	one := sweepOver(1, 4, 2)
	one.Sweep.Levels[0].ResponseP99NS = new(int64(7))
	one.Sweep.Rows[0].ResponseP99NS = new(int64(7))
	same(t, "of one run each", names(panelOf(viewOf(one).Graphs(), "response-time")), []string{"p50", "p99"})
}

// A level whose operations did not all end ok says what share did not, and why.
func TestFailedOfLevels(t *testing.T) {
	set := sweepOver(1, 4, 2)
	l := &set.Sweep.Levels[0]
	l.FailedShare = 0.25
	for i := range 6 {
		l.Causes = append(l.Causes, setdoc.CauseCount{Cause: fmt.Sprintf("cause%d", i), Count: int64(60 - i)})
	}
	s := panelOf(viewOf(set).Graphs(), "failed").Series[0]
	same(t, "shares", s.Y, graph.Values{0, 0.25})
	if !strings.Contains(s.Texts[1], "cause3") || strings.Contains(s.Texts[1], "cause4") {
		t.Errorf("four causes: %q", s.Texts[1])
	}
	for n, want := range map[int64]string{0: units.Dash, 1: "25.0 %", 9: "25.0 %"} {
		if got := missText(&setdoc.Level{Scheduled: n, FailedShare: 0.25}); got != want {
			t.Errorf("of %d: %q", n, got)
		}
	}
}

// Where the clients' time went: a state that one level has none of is nothing there; of a level without a ledger it is
// not known.
func TestClientTimeOfLevels(t *testing.T) {
	set := sweepOver(1, 4, 2, 8)
	set.Sweep.Levels[0].Shares = map[string]float64{"awaiting": 0.75}
	p := panelOf(viewOf(set).Graphs(), "client-time")
	same(t, "one state", names(p), []string{"awaiting"})
	same(t, "its shares", p.Series[0].Y, graph.Values{0.75, nan, nan})
	set.Sweep.Levels[0].Shares["sending"], set.Sweep.Levels[1].Shares = 0.25, map[string]float64{"awaiting": 1}
	p = panelOf(viewOf(set).Graphs(), "client-time")
	same(t, "awaiting", line(p, "awaiting").Y, graph.Values{0.75, 1, nan})
	same(t, "sending", line(p, "sending").Y, graph.Values{0.25, 0, nan})
	same(t, "from", p.Series[0].X, graph.Values{0.6, 1.6, 2.6})
	same(t, "to", p.Series[0].To, graph.Values{1.4, 2.4, 3.4})
}

// The runs are shown in their order where that is not the order of the settings.
func TestOrderOfRuns(t *testing.T) {
	for _, tt := range []struct {
		runs, levels int
		order        []int
		want         bool
	}{
		{2, 1, []int{0}, false}, {2, 1, []int{0, 1}, true}, {1, 2, []int{0, 1}, false}, {1, 2, []int{1, 0}, true},
		{2, 2, []int{0, 1, 2, 3}, true}, {1, 1, []int{0}, false},
	} {
		set := sweepOver(tt.runs, []int{3, 7}[:tt.levels]...)
		set.Sweep.Order = tt.order
		p := panelOf(viewOf(set).Graphs(), "order")
		if (p.Name != "") != tt.want {
			t.Errorf("%+v: %+v", tt, p)
		}
	}
	set := sweepOver(2, 3, 7)
	set.Sweep.Order = []int{2, 0, 3, 1}
	p := panelOf(viewOf(set).Graphs(), "order")
	same(t, "the first level's", []graph.Values{p.Series[0].X, p.Series[0].Y}, []graph.Values{{2, 4}, {30, 30}})
	same(t, "the second level's", []graph.Values{p.Series[1].X, p.Series[1].Y}, []graph.Values{{1, 3}, {70, 70}})
	for n, want := range map[int]string{12: "clients 1", 13: "one run"} {
		var levels []int
		for i := range n {
			levels = append(levels, i+1)
		}
		if p := panelOf(viewOf(sweepOver(2, levels...)).Graphs(), "order"); len(p.Series) != n || p.Series[0].Name != want {
			t.Errorf("%d levels: %v", n, names(p))
		}
	}
}
