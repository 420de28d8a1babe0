package chart

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot"

	"github.com/plimsoll/plimsoll/internal/report/graph"
)

var pictures = flag.String("pictures", "", "write what is drawn to this directory, to look at it")

// svgOf draws panels, and gives the texts of the drawing.
func svgOf(t testing.TB, panels ...graph.Panel) (drawing string, texts []string) {
	t.Helper()
	var out bytes.Buffer
	if err := Draw(&out, Head{Title: "title", Answer: "answer"}, panels, SVG); err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?s)<text[^>]*>([^<]*)</text>`).FindAllStringSubmatch(out.String(), -1) {
		texts = append(texts, strings.TrimSpace(m[1]))
	}
	if *pictures != "" {
		var picture bytes.Buffer
		if err := Draw(&picture, Head{Title: t.Name(), Answer: "answer", Verdict: "suspect", Role: graph.Unknown, Why: "a reason"},
			panels, PNG); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(*pictures, strings.ReplaceAll(t.Name(), "/", "-")+".png")
		if err := os.WriteFile(path, picture.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return out.String(), texts
}

func overTime(style graph.Style, role graph.Role, y ...float64) graph.Series {
	s := graph.Series{Name: string(role) + " " + string(style), Role: role, Style: style, Y: y}
	for i := range y {
		s.X = append(s.X, float64(i))
		if style == graph.Steps || style == graph.Edge || style == graph.Bars {
			s.To = append(s.To, float64(i+1))
		}
	}
	return s
}

// everything is one panel of each kind.
func everything() []graph.Panel {
	time := graph.Axis{Name: "time", Unit: graph.Seconds, To: 5}
	nan := math.NaN()
	low := overTime(graph.Line, "1", 3, 4, nan, 5, 4)
	low.Low, low.High = graph.Values{2, 3, nan, 4, 3}, graph.Values{4, 5, nan, 6, 5}
	return []graph.Panel{
		{Name: "steps", Title: "Steps, edges and dots", X: time, Series: []graph.Series{
			overTime(graph.Steps, graph.OK, 10, 12, 0, nan, 11), overTime(graph.Edge, graph.Offered, 12, 12, 12, 12, 12),
			overTime(graph.Dots, graph.Failed, nan, 1, nan, 2, nan)},
			Bands: []graph.Band{{Role: graph.Own, From: 1.2, To: 1.4, Name: "stood"}, {Role: graph.Own, From: 4, To: 4, Name: "stood"}},
			Rules: []graph.Rule{{Role: graph.Met, At: 15, Name: "goal"}, {Role: graph.Failed, At: 15.1, Name: "other goal"},
				{Role: graph.Failed, At: 1000, Name: "far"}, {At: 3, Vertical: true, Name: "end"}}},
		{Name: "bars", Title: "Bars", X: time, Series: []graph.Series{
			overTime(graph.Bars, "1", 1, 2, 0, 3, 1), overTime(graph.Bars, "2", 1, 0, 2, 3, 1)}},
		{Name: "line", Title: "Line with intervals", X: time, Series: []graph.Series{low, overTime(graph.Area, "2", 1, 2, 3, 2, 1)},
			Bands: []graph.Band{{Role: graph.Own, From: 1.2, To: 1.4, Name: "stood"}}},
		{Name: "heat", Title: "Heat", X: time, Y: graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log},
			Heat: &graph.Heat{X: graph.Values{0, 2, 3, 5}, Y: graph.Values{1e6, 2e6, 5e6, 7e7}, Of: "times",
				Counts: [][]int64{{1, 1000, 3}, {0, 5, 0}, {40, 0, 9}}}},
		{Name: "spans", Title: "Spans", X: graph.Axis{Unit: graph.Share, To: 1, Name: "share"}, Spans: []graph.Span{
			{Row: "upper", Part: "waiting", Role: "1", To: 0.5, Text: "50%"}, {Row: "lower", Part: "working", Role: "2", From: 0.5, To: 0.9}}},
		{Name: "tail", Title: "Tail", X: graph.Axis{Name: "percentile", Unit: graph.Quantile, Scale: graph.Tail},
			Y: graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log}, Series: []graph.Series{{Name: "a", Role: "1",
				X: graph.Values{0, 0.5, 0.9, 0.99, 0.993, 0.999}, Y: graph.Values{1e6, 2e6, 3e6, 9e6, nan, 2e9}}}},
	}
}

func TestEverythingIsDrawn(t *testing.T) {
	drawing, texts := svgOf(t, everything()...)
	for _, want := range []string{
		"Steps, edges and dots", "ok steps", "offered edge", "failed dots", "goal", "other goal", "far, above", "end", "stood",
		"1 bars", "1", "1,000 times", "upper", "lower", "waiting", "working", "50%", "share", "min", "p50", "p99.9",
		"1 ms", "70 ms", "2 s", "0 s", "5 s", "time", "percentile",
	} {
		if !slices.Contains(texts, want) {
			t.Errorf("no %q in %q", want, texts)
		}
	}
	if n := strings.Count(strings.Join(texts, "\n"), "stood"); n != 1 {
		t.Errorf("the legend has the bands %d times", n)
	}
	if strings.Contains(drawing, "NaN") || strings.Contains(drawing, "Inf") {
		t.Error("what is not known has a place")
	}
}

// Both ends of a logarithmic axis have labels, wherever the values lie and however little room there is.
func TestEndsOfLogarithmicAxes(t *testing.T) {
	for _, room := range []float64{2, 5, 10} {
		for low := 1e3; low < 1e10; low *= 1.7 {
			for _, span := range []float64{1, 1.001, 3, 40, 1e3, 2e5} {
				a := logAxis(low, low*span, tickDuration, room)
				first, last := a.ticks[0], a.ticks[len(a.ticks)-1]
				if first.Value != a.from || last.Value != a.to || first.Label == "" || last.Label == "" {
					t.Fatalf("%v to %v: from %+v to %+v of %v to %v", low, low*span, first, last, a.from, a.to)
				}
				if a.from > low || a.to < low*span*(1-1e-9) || a.to > 2.1*low*span || a.from < low/2.1 {
					t.Errorf("%v to %v: it goes from %v to %v", low, low*span, a.from, a.to)
				}
				if named := len(slices.DeleteFunc(slices.Clone(a.ticks), func(tick plot.Tick) bool { return tick.Label == "" })); float64(named) > room+2 {
					t.Errorf("%v to %v: %d labels where there is room for %v", low, low*span, named, room)
				}
			}
		}
	}
}

// Bars stand on each other.
func TestStack(t *testing.T) {
	s := stack{}
	a, b := overTime(graph.Bars, "1", 1, math.NaN(), 3), overTime(graph.Bars, "2", 5, 5, 5)
	got := [][]float64{s.put(&a), s.put(&b), s.put(&b)}
	if diff := cmp.Diff([][]float64{{0, 0, 0}, {1, 0, 3}, {6, 5, 8}}, got); diff != "" {
		t.Error(diff)
	}
}

// What shows only the same points twice is left out, and nothing that can be seen is: each column keeps its least and
// its most.
func TestThin(t *testing.T) {
	var many, few []float64
	for i := range 100_000 {
		many = append(many, math.Sin(float64(i)/700)+math.Mod(float64(i)*0.618, 0.3))
	}
	many[54_321], few = 9, []float64{1, 2}
	long, short := overTime(graph.Line, "1", many...), overTime(graph.Line, "1", few...)
	for _, tt := range []struct {
		s    graph.Series
		most int
	}{{long, 8 * 900}, {short, 2}} {
		p := graph.Panel{X: graph.Axis{Unit: graph.Seconds, To: float64(len(tt.s.X))}, Series: []graph.Series{tt.s}}
		drawing, _ := svgOf(t, p)
		if n := strings.Count(drawing, "L"); n > tt.most+100 {
			t.Errorf("%d points of %d", n, len(tt.s.X))
		}
	}
}

// A document may say anything. What is drawn of it is finite.
func TestSenselessPanels(t *testing.T) {
	senseless := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -5, 0, 1e308, 5e-324, 3}
	for _, style := range []graph.Style{graph.Line, graph.Area, graph.Steps, graph.Edge, graph.Bars, graph.Dots} {
		for _, scale := range []graph.Scale{graph.Linear, graph.Log, graph.Tail} {
			s := graph.Series{Name: "s", Role: "17", Style: style, X: senseless, Y: senseless, To: senseless[:3], Low: senseless[:4], High: senseless}
			drawing, _ := svgOf(t, graph.Panel{
				X: graph.Axis{Scale: scale}, Y: graph.Axis{Scale: scale, Unit: graph.Nanoseconds}, Series: []graph.Series{s},
				Bands: []graph.Band{{From: math.Inf(-1), To: math.NaN()}, {From: 1, To: 1e300}},
				Rules: []graph.Rule{{At: math.NaN()}, {At: math.Inf(1)}, {At: math.Inf(-1), Vertical: true}},
				Spans: []graph.Span{{From: math.NaN()}, {From: 3, To: 1}},
				Heat:  &graph.Heat{X: senseless, Y: graph.Values{1}, Counts: [][]int64{{1}}},
			})
			if strings.Contains(drawing, "NaN") || strings.Contains(drawing, "Inf") {
				t.Errorf("%s on %s: not finite", style, scale)
			}
		}
	}
	if _, texts := svgOf(t, graph.Panel{Empty: "why"}, graph.Panel{}); !slices.Contains(texts, "why") ||
		!slices.Contains(texts, "nothing to draw") {
		t.Errorf("%q", texts)
	}
}

// A legend that has no room beside the title goes below it.
func TestLongLegend(t *testing.T) {
	p := graph.Panel{Title: "Many", X: graph.Axis{To: 3}}
	for i := range 14 {
		s := overTime(graph.Line, graph.Role(fmt.Sprint(i+1)), float64(i), float64(i+1), float64(i))
		s.Name = fmt.Sprintf("a run with a name %d", i)
		p.Series = append(p.Series, s)
	}
	panels := ofGraphs([]graph.Panel{p})
	if rows := panels[0].legendRows(); len(rows) < 2 || len(rows[0]) < 3 {
		t.Errorf("%d rows", len(rows))
	}
	if _, texts := svgOf(t, p); !slices.Contains(texts, "a run with a name 13") {
		t.Error("the last one is missing")
	}
}

// What is beyond all sense is not seen, and what is next to nothing is none for a logarithm.
func TestWhatIsSeen(t *testing.T) {
	for _, tt := range []struct {
		v    float64
		want extent
	}{
		{1e100, extent{1e100, 1e100, 1e100, true}}, {1.1e100, newExtent()}, {-1e100, extent{-1e100, -1e100, math.Inf(1), true}}, {-1.1e100, newExtent()},
		{math.Inf(1), newExtent()}, {math.Inf(-1), newExtent()}, {math.NaN(), newExtent()}, {0, extent{0, 0, math.Inf(1), true}},
		{1.5e-100, extent{1.5e-100, 1.5e-100, 1.5e-100, true}}, {0.9e-100, extent{0.9e-100, 0.9e-100, math.Inf(1), true}},
	} {
		e := newExtent()
		if e.see(tt.v); e != tt.want {
			t.Errorf("%v: %+v, want %+v", tt.v, e, tt.want)
		}
	}
}

// A legend has an entry for each series that has a name and something to draw, and each once.
func TestLegends(t *testing.T) {
	some, none := graph.Values{1, 2}, graph.Values{math.NaN(), math.Inf(1)}
	x := graph.Values{1, 2}
	g := graph.Panel{Series: []graph.Series{
		{Name: "a", Role: "1", X: x, Y: some}, {Name: "a", Role: "1", X: x, Y: some}, {Name: "a", Role: "2", X: x, Y: some}, {Name: "b", Role: "1", X: x, Y: some},
		{Role: "3", X: x, Y: some}, {Name: "c", Role: "4", X: x, Y: none}, {Role: "5", X: x, Y: none},
	}}
	p := ofGraph(&g, 100)
	var got []string
	for _, e := range p.legend {
		got = append(got, fmt.Sprint(e.name, e.colour == blue))
	}
	if diff := cmp.Diff([]string{"atrue", "afalse", "btrue"}, got); diff != "" {
		t.Error(diff)
	}
	one := ofGraph(&graph.Panel{Spans: []graph.Span{{Row: "a", Part: "x", From: 1, To: 2}}}, 100)
	if one.empty != "" || one.plot.Y.Max != 1 || len(one.legend) != 1 || one.legend[0].name != "x" {
		t.Errorf("one span: %q, up to %v, %+v", one.empty, one.plot.Y.Max, one.legend)
	}
	for _, tt := range []struct {
		p    graph.Panel
		want string
	}{
		{graph.Panel{}, "nothing to draw"}, {graph.Panel{Empty: "why"}, "why"}, {graph.Panel{Empty: "why", Series: g.Series[:1]}, ""},
		{graph.Panel{Series: g.Series[:1]}, ""}, {graph.Panel{Series: g.Series[5:6]}, "nothing to draw"},
	} {
		if got := ofGraph(&tt.p, 100); got.empty != tt.want {
			t.Errorf("%+v: %q, want %q", tt.p, got.empty, tt.want)
		}
	}
}

// A horizontal axis has as many labels as have room below a chart of this width.
func TestLabelsHaveRoom(t *testing.T) {
	for to, want := range map[float64]int{1e13: 14, 15_000: 6} { // a label for each factor of ten; of 2 and 5 between them only 5,000 has room
		g := graph.Panel{X: graph.Axis{Scale: graph.Log, From: 1, To: to}, Series: []graph.Series{{X: graph.Values{1, to}, Y: graph.Values{1, 2}}}}
		p := ofGraph(&g, 100)
		n := 0
		for _, tick := range p.plot.X.Tick.Marker.Ticks(1, to) {
			if tick.Label != "" {
				n++
			}
		}
		if n != want {
			t.Errorf("up to %v: %d labels, want %d", to, n, want)
		}
	}
}
