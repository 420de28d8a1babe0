package sets

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/contrast"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/setdoc"
)

// gridSet is a sweep over two settings, with two runs at each: the throughput of the first run of "a i" and "b j" is the
// number i·j, and that of the second one more.
func gridSet(down, across []string) *setdoc.Set {
	s := &setdoc.Sweep{Figure: setdoc.Figure{Name: "rate", Unit: "per_s"}, Vary: []setdoc.Vary{{Setting: "a", Values: down},
		{Setting: "b", Values: across, Numeric: true}}}
	for i, d := range down {
		for j, a := range across {
			x := float64((i + 1) * (j + 1))
			values := []string{d, a}
			s.Levels = append(s.Levels, setdoc.Level{Values: values, Throughput: new(x + 0.5), ResponseP99NS: new(int64(100 * x))})
			for repeat := range 2 {
				s.Rows = append(s.Rows, setdoc.Row{Values: values, Repeat: repeat + 1, Throughput: new(x + float64(repeat)),
					ResponseP99NS: new(int64(100*x) + int64(repeat))})
			}
		}
	}
	return &setdoc.Set{Kind: setdoc.KindSweep, Sweep: s, Plan: []byte("{}")}
}

// A grid has a line of the means for each value of the first setting, over those of the second in their order, and a dot
// for each run.
func TestPanelsOfAGrid(t *testing.T) {
	set := gridSet([]string{"p", "q"}, []string{"9", "1", "4"})
	set.Sweep.Levels[4].Interval = []float64{3, 6}
	set.Sweep.Best = new(4)
	all := viewOf(set).Graphs()
	var list []string
	for _, p := range all {
		list = append(list, p.Name)
	}
	same(t, "panels", list, []string{"scaling", "response-time"})
	p := all[0]
	same(t, "series", names(p), []string{"a p", "a p, one run", "a q", "a q, one run"})
	same(t, "a p", []graph.Values{p.Series[0].X, p.Series[0].Y, p.Series[0].Low}, []graph.Values{{1, 4, 9}, {2.5, 3.5, 1.5}, nil})
	same(t, "a p, one run", []graph.Values{p.Series[1].X, p.Series[1].Y}, []graph.Values{{9, 9, 1, 1, 4, 4}, {1, 2, 2, 3, 3, 4}})
	same(t, "a q", []graph.Values{p.Series[2].X, p.Series[2].Y}, []graph.Values{{1, 4, 9}, {4.5, 6.5, 2.5}})
	same(t, "its interval", []graph.Values{p.Series[2].Low, p.Series[2].High}, []graph.Values{{3, nan, nan}, {6, nan, nan}})
	same(t, "in words", p.Series[2].Texts, []string{"a q, b 1: 4.50 ± 1.50/s", "a q, b 4", "a q, b 9"})
	same(t, "a q, one run", []graph.Values{p.Series[3].X, p.Series[3].Y}, []graph.Values{{9, 9, 1, 1, 4, 4}, {2, 3, 4, 5, 6, 7}})
	if !strings.Contains(p.Intro, "a q, b 1") || p.X.To != 9*1.04 {
		t.Errorf("%q, %+v", p.Intro, p.X)
	}
	p = all[1]
	same(t, "p99 of a q", p.Series[2].Y, graph.Values{400, 600, 200})
	same(t, "p99 of the runs of a q", p.Series[3].Y, graph.Values{200, 201, 400, 401, 600, 601})
}

// Values of the second setting stand at their numbers, in their order; by ratios where they would stand on each other;
// and one beside the other where one of them is no number above 0.
func TestAxisAcross(t *testing.T) {
	long := strings.Repeat("v", 40)
	beside := func(n int) (x []float64) {
		for i := range n {
			x = append(x, float64(i+1))
		}
		return x
	}
	for _, tt := range []struct {
		values  []string
		numeric bool
		x       []float64
		log     bool
	}{
		{[]string{"9", "1.5"}, true, []float64{9, 1.5}, false}, {[]string{"64", "1", "2"}, true, []float64{64, 1, 2}, true},
		{[]string{"7"}, true, []float64{7}, false}, {[]string{"1e15", "3"}, true, []float64{1e15, 3}, false},
		{[]string{"9", "1.1e15"}, true, beside(2), false}, {[]string{"9", "0"}, true, beside(2), false}, {[]string{"9", "x", "8"}, true, beside(3), false},
		{[]string{"9", "8"}, false, beside(2), false}, {[]string{"-1", "5"}, true, beside(2), false}, {[]string{long, "b"}, false, beside(2), false},
	} {
		axis, at := acrossAxis(setdoc.Vary{Setting: "b", Values: tt.values, Numeric: tt.numeric})
		var got []float64
		for _, v := range tt.values {
			got = append(got, at[v])
		}
		same(t, fmt.Sprint(tt.values), got, tt.x)
		if (axis.Scale == graph.Log) != tt.log || len(axis.Ticks) != len(tt.values) || !slices.IsSortedFunc(axis.Ticks, func(a, b graph.Tick) int {
			return int(a.At - b.At)
		}) {
			t.Errorf("%v: %+v", tt.values, axis)
		}
		ends := []float64{0, slices.Max(tt.x) * 1.04}
		if tt.log {
			ends = []float64{slices.Min(tt.x) / 1.12, slices.Max(tt.x) * 1.12}
		} else if tt.x[0] == 1 {
			ends = []float64{0.5, float64(len(tt.x)) + 0.5}
		}
		same(t, fmt.Sprint(tt.values, " from and to"), []float64{axis.From, axis.To}, ends)
		if name := []rune(axis.Ticks[0].Name); tt.values[0] == long && len(name) != 24 {
			t.Errorf("%q", string(name))
		}
	}
}

// compared is a comparison with so many figures and launches.
func compared(figures, launches int) *setdoc.Set {
	c := &setdoc.Comparison{Launches: make([]setdoc.Launch, launches)}
	for i := range figures {
		c.Figures = append(c.Figures, setdoc.Compared{Figure: setdoc.Figure{Name: fmt.Sprintf("f%d", i), Unit: "ns"}})
		c.Rows = append(c.Rows, setdoc.Contrast{Figure: i, Launches: contrast.Least, Ratio: new(1.5), Low: new(1.25), High: new(2.0),
			A: new(10.0), B: new(15.0)})
		for n := range c.Launches {
			for side := range 2 {
				c.Launches[n].Values[side] = append(c.Launches[n].Values[side], setdoc.Known{Value: new(float64(100*n + 10*i + side + 1))})
			}
		}
	}
	return &setdoc.Set{Kind: setdoc.KindCompare, Plan: []byte("{}"), Comparison: c}
}

// The change of each figure is a row from the lower end of its interval to the upper one, in a colour by what it means;
// what has no interval has no row.
func TestPanelOfChanges(t *testing.T) {
	set := compared(3, 2)
	c := set.Comparison
	c.Rows[0].Outcome, c.Rows[1].Outcome, c.MinEffect = setdoc.Worse, setdoc.Better, 0.05
	p := Page(Source{Set: set}, report.Options{}).Graphs()[0]
	same(t, "the smallest that matters", p.Rules[1:], []graph.Rule{
		{Role: graph.Unknown, At: 0.05, Vertical: true, Name: "the smallest that matters"},
		{Role: graph.Unknown, At: -0.05, Vertical: true, Name: "the smallest that matters"}})
	same(t, "no change", p.Rules[0], graph.Rule{Role: graph.Neutral, Vertical: true, Name: "no change"})
	for i, role := range []graph.Role{graph.Failed, graph.Met, graph.Neutral} {
		ends, change := p.Spans[2*i], p.Spans[2*i+1]
		same(t, ends.Row, []float64{ends.From, ends.To, change.From, change.To}, []float64{0.25, 1, 0.5, 0.5})
		same(t, "its colour", ends.Role, role)
	}
	whole := c.Rows[0]
	for i, change := range []func(*setdoc.Contrast){
		func(r *setdoc.Contrast) { r.Launches-- }, func(r *setdoc.Contrast) { r.Ratio = nil }, func(r *setdoc.Contrast) { r.Low = nil },
		func(r *setdoc.Contrast) { r.High = nil }, func(r *setdoc.Contrast) { r.Low = new(0.0) }, func(r *setdoc.Contrast) { r.Ratio = new(0.0) },
		func(r *setdoc.Contrast) { r.High = new(0.0) }, func(r *setdoc.Contrast) { r.High = new(math.Inf(1)) },
	} {
		r := whole
		if change(&r); drawable(&r) || !drawable(&whole) {
			t.Errorf("change %d: %+v", i, r)
		}
	}
}

// Each launch is a dot of either side, also those that are not counted.
func TestPanelsOfFigures(t *testing.T) {
	for n, want := range map[int]int{11: 11, 12: 12, 13: 12} {
		if all := Page(Source{Set: compared(n, 3)}, report.Options{}).Graphs(); len(all) != 1+want {
			t.Errorf("%d figures: %d panels", n, len(all)-1)
		}
	}
	set := compared(2, 4)
	l := set.Comparison.Launches
	l[1].Dropped, l[1].First, l[2].Lost, l[3].Values[1] = true, 1, "refused", nil
	p := panelOf(Page(Source{Set: set}, report.Options{}).Graphs(), "launches-2")
	same(t, "series", names(p), []string{"A", "A, dropped", "B", "B, dropped"})
	for i, want := range []struct{ x, y graph.Values }{{graph.Values{1, 3, 4}, graph.Values{11, 211, 311}}, {graph.Values{2}, graph.Values{111}},
		{graph.Values{1, 3, 4}, graph.Values{12, 212, nan}}, {graph.Values{2}, graph.Values{112}}} {
		same(t, p.Series[i].Name, []graph.Values{p.Series[i].X, p.Series[i].Y}, []graph.Values{want.x, want.y})
	}
	same(t, "in words", []string{p.Series[0].Texts[0], p.Series[1].Texts[0], p.Series[0].Texts[1]}, []string{"launch 1, A began",
		"launch 2, B began, dropped, as others used the machine", "launch 3, A began, refused"})
	same(t, "means", p.Rules, []graph.Rule{{Role: "1", At: 10, Name: "mean of A"}, {Role: "2", At: 15, Name: "mean of B"}})
	same(t, "the axis", p.X, graph.Axis{Name: "launch", From: 0.5, To: 4.5})
}
