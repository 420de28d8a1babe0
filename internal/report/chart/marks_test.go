package chart

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/plimsoll/plimsoll/internal/report/graph"
)

// shape is what was drawn in one stroke, by the values of the axes.
type shape struct {
	of   string // "line", "area", "dot", or a text
	tint color.Color
	x, y []float64
}

// on draws on a canvas of 1000 × 1000 points whose axes both go from 0 to 10, and gives what was drawn.
func on(t *testing.T, p plot.Plotter, change ...func(*plot.Plot)) (all []shape) {
	t.Helper()
	at := plot.New()
	at.X.Min, at.X.Max, at.Y.Min, at.Y.Max = 0, 10, 0, 10
	for _, c := range change {
		c(at)
	}
	var rec recorder.Canvas
	p.Plot(draw.NewCanvas(&rec, 1000, 1000), at)
	var tint color.Color
	add := func(of string, path vg.Path) {
		s := shape{of: of, tint: tint}
		for _, c := range path {
			switch c.Type {
			case vg.ArcComp:
				s.of, s.x, s.y = "dot", nil, nil
				fallthrough
			case vg.MoveComp, vg.LineComp:
				s.x, s.y = append(s.x, float64(c.Pos.X)/100), append(s.y, float64(c.Pos.Y)/100)
			}
		}
		all = append(all, s)
	}
	for _, a := range rec.Actions {
		switch a := a.(type) {
		case *recorder.SetColor:
			tint = a.Color
		case *recorder.Fill:
			add("area", a.Path)
		case *recorder.Stroke:
			add("line", a.Path)
		case *recorder.FillString:
			all = append(all, shape{of: a.String, x: []float64{float64(a.Point.X) / 100}, y: []float64{float64(a.Point.Y) / 100}})
		}
	}
	return all
}

// are checks where shapes of a kind are.
func are(t *testing.T, what string, all []shape, of string, want ...[]float64) {
	t.Helper()
	var got [][]float64
	for _, s := range all {
		if s.of == of {
			got = append(got, append(slices.Clone(s.x), s.y...))
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("%s, %s: %s", what, of, diff)
	}
}

// A point of a series is drawn where its values are, and none where one of them is not known.
func TestPointsAreWhereTheirValuesAre(t *testing.T) {
	nan := math.NaN()
	s := graph.Series{X: graph.Values{1, 2, 3, 5, 7}, Y: graph.Values{5, 6, nan, 7, 1}}
	all := on(t, &seriesMark{s: &s})
	are(t, "a line", all, "line", []float64{1, 2, 5, 6}, []float64{5, 7, 7, 1})
	are(t, "its points", all, "dot", []float64{1, 5}, []float64{2, 6}, []float64{5, 7}, []float64{7, 1})
	s.Style = graph.Area
	all = on(t, &seriesMark{s: &s})
	are(t, "filled", all, "area", []float64{1, 1, 2, 2, 0, 5, 6, 0}, []float64{5, 5, 7, 7, 0, 7, 1, 0})
	s.Style = graph.Dots
	all = on(t, &seriesMark{s: &s})
	are(t, "dots", all, "line")
	are(t, "dots", all, "dot", []float64{1, 5}, []float64{2, 6}, []float64{5, 7}, []float64{7, 1})
	s.Y[1], s.X[3], s.Y[4] = 0, -5, 1e101
	log := func(p *plot.Plot) { p.Y.Scale, p.Y.Min = plot.LogScale{}, 0.1 }
	are(t, "what a logarithm has no place for", on(t, &seriesMark{s: &s}, log), "dot", []float64{1, 10 * math.Log(50) / math.Log(100)})
	alone := graph.Series{X: graph.Values{1, 2, 3}, Y: graph.Values{nan, 6, nan}}
	are(t, "one between gaps", on(t, &seriesMark{s: &alone}), "dot", []float64{2, 6})
	long := graph.Series{}
	for i := range 61 {
		long.X, long.Y = append(long.X, float64(i)/10), append(long.Y, 3)
	}
	long.Y[1] = nan
	are(t, "of many points only those alone have dots", on(t, &seriesMark{s: &long}), "dot", []float64{0, 3})
}

// Steps go from where they begin to where they end, or the next one begins, or to the end of the axis.
func TestStepsAreAsLongAsTheyLast(t *testing.T) {
	s := graph.Series{Style: graph.Edge, X: graph.Values{0, 1, 4, 6}, Y: graph.Values{3, 5, 2, math.NaN()}, To: graph.Values{1, 2}}
	all := on(t, &seriesMark{s: &s})
	are(t, "an edge", all, "line", []float64{0, 1, 1, 2, 3, 3, 5, 5}, []float64{4, 6, 2, 2})
	are(t, "an edge", all, "area")
	s.Style, s.Y[3] = graph.Steps, 1
	all = on(t, &seriesMark{s: &s})
	are(t, "steps", all, "line", []float64{0, 1, 1, 2, 3, 3, 5, 5}, []float64{4, 6, 6, 10, 2, 2, 1, 1})
	are(t, "steps", all, "area", []float64{0, 0, 1, 1, 2, 2, 0, 3, 3, 5, 5, 0}, []float64{4, 4, 6, 6, 10, 10, 0, 2, 2, 1, 1, 0})
	back := graph.Series{Style: graph.Edge, X: graph.Values{3, 5}, Y: graph.Values{3, 5}, To: graph.Values{2, 5}}
	are(t, "one that ends before it begins", on(t, &seriesMark{s: &back}), "line", []float64{5, 5, 5, 5})
}

// A line of many points is thinner, and is drawn by the points that can be seen.
func TestLinesOfManyPoints(t *testing.T) {
	line := func(n int) graph.Series {
		s := graph.Series{Style: graph.Edge}
		for i := range n {
			s.X, s.Y = append(s.X, 10*float64(i)/float64(n)), append(s.Y, float64(i%10))
		}
		return s
	}
	for n, want := range map[int]vg.Length{499: 1.5, 500: 1.5, 501: 1} { // a step has two points
		s := line(n)
		var rec recorder.Canvas
		at := plot.New()
		at.X.Min, at.X.Max, at.Y.Min, at.Y.Max = 0, 10, 0, 10
		(&seriesMark{s: &s}).Plot(draw.NewCanvas(&rec, 100_000, 1000), at)
		var widths []vg.Length
		for _, a := range rec.Actions {
			if w, is := a.(*recorder.SetLineWidth); is {
				widths = append(widths, w.Width)
			}
		}
		if len(widths) != 1 || widths[0] != want {
			t.Errorf("%d steps: %v, want %v", n, widths, want)
		}
	}
	for _, tt := range []struct{ x, y, want []vg.Length }{
		{[]vg.Length{0, 0.49}, []vg.Length{1, 2}, []vg.Length{1, 2}},
		{[]vg.Length{0, 0.1, 0.2, 0.3, 0.49}, []vg.Length{5, 9, 7, 1, 6}, []vg.Length{5, 9, 1, 6}},
		{[]vg.Length{0, 0.1, 0.2, 0.3, 0.49}, []vg.Length{5, 1, 7, 9, 6}, []vg.Length{5, 1, 9, 6}},
		{[]vg.Length{0, 0.1, 0.2, 0.49, 0.5}, []vg.Length{1, 5, 5, 9, 3}, []vg.Length{1, 9, 3}},
		{[]vg.Length{0, 0.1, 0.2, 0.5, 0.6, 0.7}, []vg.Length{1, 5, 2, 9, 3, 4}, []vg.Length{1, 5, 2, 9, 3, 4}},
		{[]vg.Length{0.4, 0.3, 0.2, 0}, []vg.Length{1, 2, 3, 4}, []vg.Length{1, 4}}, {nil, nil, nil},
	} {
		var run []vg.Point
		for i, x := range tt.x {
			run = append(run, vg.Point{X: x, Y: tt.y[i]})
		}
		var got []vg.Length
		for _, p := range thin(run) {
			got = append(got, p.Y)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v at %v: %v, want %v", tt.y, tt.x, got, tt.want)
		}
	}
}

// Up to so many points of a line have dots, but for quantiles, and what has no place on an axis of logarithms is left out.
func TestWhichPointsHaveDots(t *testing.T) {
	count := func(all []shape, of string) (n int) {
		for _, s := range all {
			if s.of == of {
				n++
			}
		}
		return n
	}
	for n, want := range map[int]int{1: 1, 60: 60, 61: 0} {
		s := graph.Series{}
		for i := range n {
			s.X, s.Y = append(s.X, float64(i)/10), append(s.Y, 3)
		}
		all := on(t, &seriesMark{s: &s})
		if count(all, "dot") != want || count(all, "line") != min(1, n-1) {
			t.Errorf("%d points have %d dots and %d lines", n, count(all, "dot"), count(all, "line"))
		}
		all = on(t, &seriesMark{s: &s}, func(p *plot.Plot) { p.X.Scale, p.X.Max = tailScale{}, 0.999 })
		if n > 1 && n <= 60 && count(all, "dot") != 0 {
			t.Errorf("%d quantiles have %d dots", n, count(all, "dot"))
		}
	}
	s := graph.Series{Style: graph.Dots, X: graph.Values{-1, 0, 1, 2}, Y: graph.Values{5, 5, 5, 5}}
	all := on(t, &seriesMark{s: &s}, func(p *plot.Plot) { p.X.Scale, p.X.Min = plot.LogScale{}, 0.1 })
	if count(all, "dot") != 2 {
		t.Errorf("%d dots on an axis of logarithms", count(all, "dot"))
	}
	edge := graph.Series{Style: graph.Edge, X: graph.Values{1, 2, 3}, Y: graph.Values{1, 2, 3}, To: graph.Values{2, math.NaN(), 4}}
	are(t, "one whose end is not known", on(t, &seriesMark{s: &edge}), "line", []float64{1, 2, 1, 1}, []float64{3, 4, 3, 3})
	none := graph.Series{Style: graph.Edge, X: graph.Values{math.NaN()}, Y: graph.Values{1}}
	if all := on(t, &seriesMark{s: &none}); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}

// Dots that fall on one place are one, and of many each is smaller.
func TestDotsOfOnePlace(t *testing.T) {
	radii := func(points ...vg.Point) (all []vg.Length) {
		var rec recorder.Canvas
		d := drawing{c: draw.NewCanvas(&rec, 100_000, 1000), look: lookOf(graph.OK)}
		d.dots(points, 3)
		for _, a := range rec.Actions {
			if f, is := a.(*recorder.Fill); is {
				for _, c := range f.Path {
					if c.Type == vg.ArcComp {
						all = append(all, c.Radius)
					}
				}
			}
		}
		return all
	}
	for _, tt := range []struct {
		b    vg.Point
		want int
	}{{vg.Point{X: 0.2, Y: 0.2}, 1}, {vg.Point{X: 0.8, Y: 0.1}, 2}, {vg.Point{X: 0.1, Y: 0.8}, 2}, {vg.Point{X: 0.7, Y: 0.1}, 1}, {vg.Point{X: 0.1, Y: 0.7}, 1},
		{vg.Point{X: 0.1, Y: -0.8}, 1}, {vg.Point{X: 100_001, Y: 5}, 1}} {
		if got := radii(vg.Point{X: 0.1, Y: 0.1}, tt.b); len(got) != tt.want || got[0] != 3 {
			t.Errorf("%v: %v", tt.b, got)
		}
	}
	for n, want := range map[int]vg.Length{999: 3, 1000: 3, 1001: 1.8} {
		var points []vg.Point
		for i := range n {
			points = append(points, vg.Point{X: vg.Length(i), Y: 5})
		}
		if got := radii(points...); len(got) != n || math.Abs(float64(got[0]-want)) > 1e-9 {
			t.Errorf("%d dots: %d of %v, want %v", n, len(got), got[0], want)
		}
	}
	for n, want := range map[int]string{60: "line", 61: "area"} { // up to so many points have uprights, and more a strip
		s := graph.Series{}
		for i := range n {
			x := float64(i) / 10
			s.X, s.Y, s.Low, s.High = append(s.X, x), append(s.Y, math.NaN()), append(s.Low, 4), append(s.High, 6)
		}
		if all := on(t, &seriesMark{s: &s}); len(all) == 0 || all[0].of != want {
			t.Errorf("%d intervals: %+v", n, all)
		}
		s.Low[2] = math.NaN()
		if n > 60 { // two before the gap are a strip, too
			are(t, "strips", on(t, &seriesMark{s: &s})[:1], "area", []float64{0, 0.1, 0.1, 0, 6, 6, 4, 4})
			s.Low[1] = math.NaN()
			if all := on(t, &seriesMark{s: &s}); len(all) != 1 || slices.Min(all[0].x) != 0.3 {
				t.Errorf("one alone is no strip: %+v", all)
			}
		}
	}
}

// Panels share what is written below them where all of it is the same.
func TestAxesThatAreShared(t *testing.T) {
	axis := graph.Axis{Name: "time", Unit: graph.Seconds, Scale: graph.Log, From: 1, To: 9, Ticks: []graph.Tick{{At: 1, Name: "x"}}}
	for what, change := range map[string]func(*graph.Axis){
		"": func(*graph.Axis) {}, "name": func(a *graph.Axis) { a.Name = "x" }, "unit": func(a *graph.Axis) { a.Unit = graph.Bytes },
		"scale": func(a *graph.Axis) { a.Scale = graph.Tail }, "begin": func(a *graph.Axis) { a.From = 2 }, "end": func(a *graph.Axis) { a.To = 8 },
		"ticks": func(a *graph.Axis) { a.Ticks = nil }, "none": func(a *graph.Axis) { a.From, a.To = 0, 0 },
	} {
		other := axis
		change(&other)
		if got := sameAxis(&graph.Panel{X: axis}, &graph.Panel{X: other}); got != (what == "") {
			t.Errorf("another %s: %t", what, got)
		}
	}
	open := graph.Axis{Name: "time"}
	if sameAxis(&graph.Panel{X: open}, &graph.Panel{X: open}) {
		t.Error("axes that go as far as their values are shared")
	}
	ticks := []plot.Tick{{Value: 1, Label: "one"}, {Value: 2}}
	if diff := cmp.Diff([]plot.Tick{{Value: 1, Label: " "}, {Value: 2}}, withoutLabels(ticks)); diff != "" || ticks[0].Label != "one" {
		t.Error(diff)
	}
}

// Bars stand on those below them, each as high as its value.
func TestBarsAreAsHighAsTheirValues(t *testing.T) {
	s := graph.Series{Style: graph.Bars, X: graph.Values{0, 1, 2, 3, 5}, Y: graph.Values{3, 4, 0, math.NaN(), 2}, To: graph.Values{1, 2, 3, 4}}
	all := on(t, &seriesMark{s: &s, below: []float64{0, 2, 2, 2, 1}})
	are(t, "bars", all, "area", []float64{0, 1, 1, 0, 0, 0, 3, 3}, []float64{1, 2, 2, 1, 2, 2, 6, 6}, []float64{5, 10, 10, 5, 1, 1, 3, 3})
	thin := graph.Series{Style: graph.Bars, X: graph.Values{1}, Y: graph.Values{1}, To: graph.Values{1.001}}
	are(t, "a thin one can be seen", on(t, &seriesMark{s: &thin, below: []float64{0}}), "area", []float64{1, 1.004, 1.004, 1, 0, 0, 1, 1})
}

// Intervals go from their lower end to their upper one: uprights at few points, a strip along many.
func TestIntervalsGoToTheirEnds(t *testing.T) {
	s := graph.Series{Style: graph.Dots, X: graph.Values{1, 2, 3}, Y: graph.Values{5, 5, 5}, Low: graph.Values{4, math.NaN(), 3},
		High: graph.Values{7, 8, 9}}
	are(t, "uprights", on(t, &seriesMark{s: &s}), "line", []float64{1, 1, 4, 7}, []float64{0.98, 1.02, 4, 4}, []float64{0.98, 1.02, 7, 7},
		[]float64{3, 3, 3, 9}, []float64{2.98, 3.02, 3, 3}, []float64{2.98, 3.02, 9, 9})
	long := graph.Series{}
	for i := range 61 {
		x := float64(i) / 10
		long.X, long.Y, long.Low, long.High = append(long.X, x), append(long.Y, 5), append(long.Low, 4), append(long.High, 6)
	}
	long.Low[1], long.High[3] = math.NaN(), math.NaN()
	var strips []shape
	for _, s := range on(t, &seriesMark{s: &long}) {
		if s.of == "area" {
			strips = append(strips, s)
		}
	}
	if len(strips) != 1 || slices.Min(strips[0].x) != 0.4 || slices.Max(strips[0].x) != 6 || slices.Min(strips[0].y) != 4 || slices.Max(strips[0].y) != 6 {
		t.Errorf("%+v", strips)
	}
}

// Each cell of a heat map that has a count is painted, in a shade by its count, and no other is.
func TestHeatIsPaintedByItsCounts(t *testing.T) {
	for j := range 10 { // of ten shades each is for ten times as many as the one before it
		from := int64(math.Pow10(j))
		if a, b := shadeOf(from, 1e9), shadeOf(from-max(1, from/1000), 1e9); a != j+1 || b != j {
			t.Errorf("%d of 10⁹ has the shade %d, and a little less has %d", from, a, b)
		}
	}
	for _, tt := range []struct {
		n, highest int64
		want       int
	}{{-1, 5, 0}, {0, 5, 0}, {1, 1, 1}, {1, 2, 1}, {2, 2, 10}, {5, 5, 10}, {3, 4, 8}, {1e8 - 1, 1e9, 8}} { // 1 + 9 · log 3 ÷ log 4 is 8.1
		if got := shadeOf(tt.n, tt.highest); got != tt.want {
			t.Errorf("%d of %d has the shade %d, want %d", tt.n, tt.highest, got, tt.want)
		}
	}
	if pale, dark := shadeColour(1), shadeColour(10); pale != (color.RGBA{205, 228, 243, 255}) || dark != (color.RGBA{0, 40, 80, 255}) {
		t.Errorf("%v, %v", pale, dark)
	}
	h := &graph.Heat{X: graph.Values{0, 2, 3, 5, 10}, Y: graph.Values{0, 1, 4, 10}, Of: "times",
		Counts: [][]int64{{1, 1000, 3}, {0, 5, 3}, {40, 5}}}
	all := on(t, &heatMark{h})
	for i := range len(h.X) - 1 {
		for j := range len(h.Y) - 1 {
			x, y, n := (h.X[i]+h.X[i+1])/2, (h.Y[j]+h.Y[j+1])/2, int64(0)
			if i < len(h.Counts) && j < len(h.Counts[i]) {
				n = h.Counts[i][j]
			}
			var painted []color.Color
			for _, s := range all {
				if slices.Min(s.x) < x && x < slices.Max(s.x) && slices.Min(s.y) < y && y < slices.Max(s.y) {
					painted = append(painted, s.tint)
				}
			}
			switch {
			case n == 0 && len(painted) > 0, n > 0 && (len(painted) != 1 || painted[0] != shadeColour(shadeOf(n, 1000))):
				t.Errorf("cell %d, %d of %d: %v", i, j, n, painted)
			}
		}
	}
	if len(all) != 5 {
		t.Errorf("neighbours of one shade are one box: %d boxes", len(all))
	}
	legend := heatLegend(h)
	if len(legend) != 2 || legend[0].name != "1" || legend[1].name != "1,000 times" || legend[0].colour != shadeColour(1) || legend[1].colour != shadeColour(10) {
		t.Errorf("%+v", legend)
	}
	if one := heatLegend(&graph.Heat{Of: "times", Counts: [][]int64{{0, 1}}}); len(one) != 2 || one[1].name != "1 times" {
		t.Errorf("%+v", one)
	}
	if none := heatLegend(&graph.Heat{Counts: [][]int64{{0}}}); none != nil {
		t.Errorf("%+v", none)
	}
}

// Spans are as long as they last, in the row that has their name, and none is drawn that is off the axis.
func TestSpansAreAsLongAsTheyLast(t *testing.T) {
	all := on(t, &spanMarks{[]graph.Span{{Row: "a", From: 1, To: 4, Text: "first"}, {Row: "b", From: 2, To: 2, Text: "\x1b"}, {Row: "a", From: 8, To: 12},
		{Row: "b", From: 12, To: 13}, {Row: "b", From: -3, To: -1}, {Row: "b", From: 5, To: 4}, {Row: "b", From: math.NaN(), To: 4}}},
		func(p *plot.Plot) { p.Y.Max = 2 })
	are(t, "spans", all, "area", []float64{1, 4, 4, 1, 5.75, 5.75, 9.25, 9.25}, []float64{2, 2.006, 2.006, 2, 0.75, 0.75, 4.25, 4.25},
		[]float64{8, 10, 10, 8, 5.75, 5.75, 9.25, 9.25})
	if i := slices.IndexFunc(all, func(s shape) bool { return s.of == "first" }); i < 0 || all[i].x[0] != 1.03 || math.Abs(all[i].y[0]-7.5) > 0.05 {
		t.Errorf("its text is not in it: %+v", all)
	}
	legend := spanLegend([]graph.Span{{Part: "x", Role: "1"}, {Role: "1"}, {Part: "y", Role: "2"}, {Part: "x", Role: "1"}})
	if len(legend) != 2 || legend[0].name != "x" || legend[1].name != "y" || legend[1].colour != faded(orange, 150) || !legend[0].wide {
		t.Errorf("%+v", legend)
	}
}

// Bands and rules are where they are meant, and where they are off the axis none is drawn.
func TestBandsAndRulesAreWhereTheyAre(t *testing.T) {
	all := on(t, &bandMarks{[]graph.Band{{From: 1, To: 4}, {From: 5, To: 5, Role: "1"}, {From: 9, To: 12}, {From: -5, To: 1}, {From: 11, To: 12},
		{From: -2, To: 0}, {From: 4, To: 3}, {From: math.NaN(), To: 3}}})
	are(t, "bands", all, "area", []float64{1, 4, 4, 1, 0, 0, 10, 10}, []float64{4.99, 5.01, 5.01, 4.99, 0, 0, 10, 10},
		[]float64{9, 10, 10, 9, 0, 0, 10, 10}, []float64{0, 1, 1, 0, 0, 0, 10, 10})
	if all[0].tint != gapColour || all[1].tint != faded(blue, 60) || bandColour(graph.Own) != gapColour {
		t.Errorf("%v, %v", all[0].tint, all[1].tint)
	}
	all = on(t, &ruleMarks{[]graph.Rule{{At: 3, Name: "goal"}, {At: 7, Vertical: true, Name: "end"}, {At: 11, Name: "far"}, {At: -1, Name: "low"},
		{At: 11, Vertical: true, Name: "gone"}, {At: -1, Vertical: true, Name: "gone"}, {At: math.NaN(), Name: "gone"}}})
	are(t, "rules", all, "line", []float64{0, 10, 3, 3}, []float64{7, 7, 0, 10})
	var texts []string
	for _, s := range all {
		if s.of != "line" {
			texts = append(texts, s.of)
		}
	}
	if diff := cmp.Diff([]string{"goal", "end", "far, above", "low, below"}, texts); diff != "" {
		t.Error(diff)
	}
}

// Each role has a look of its own, and of several that are numbered the ninth has the first's colour, and dashes.
func TestLooks(t *testing.T) {
	for role, want := range map[graph.Role]color.RGBA{graph.OK: blue, graph.P50: blue, graph.Met: blue, graph.Failed: purple, graph.P99: orange,
		graph.P90: sky, graph.P999: brown, graph.Fitted: purple, graph.Unknown: ink, graph.Own: amber, graph.Offered: ink, graph.Most: ink,
		graph.Neutral: grey, "": grey, "0": grey, "1": blue, "2": orange, "8": ink, "9": blue, "10": orange, "1a": grey, "-1": grey, ":": grey,
		"1000": ink, "1001": blue, "10000": ink, "10010": grey, "100101": grey} {
		if got := lookOf(role); got.colour != want || got.shape == nil {
			t.Errorf("%q: %+v", role, got)
		}
	}
	shapes := map[string]bool{}
	for _, role := range []graph.Role{graph.Met, graph.Failed, graph.Unknown, graph.Own} {
		shapes[fmt.Sprintf("%T", lookOf(role).shape)] = true
	}
	if len(shapes) != 4 {
		t.Errorf("dots that mean something else have the same shape: %v", shapes)
	}
	for _, tt := range []struct {
		s    graph.Series
		want int
	}{{graph.Series{Role: "8"}, 0}, {graph.Series{Role: "9"}, 2}, {graph.Series{Role: graph.Offered}, 2}, {graph.Series{Role: graph.Fitted}, 2},
		{graph.Series{Role: "9", Style: graph.Dots}, 0}, {graph.Series{Role: "9", Style: graph.Bars}, 0}, {graph.Series{Role: graph.OK}, 0}} {
		if got := dashesOf(&tt.s); len(got) != tt.want {
			t.Errorf("%+v: %v", tt.s, got)
		}
	}
	bars := entryOf(&graph.Series{Name: "x", Style: graph.Bars, Role: "2"})
	dots := entryOf(&graph.Series{Name: "x", Style: graph.Dots, Role: graph.Failed})
	if !bars.wide || bars.shape != nil || bars.colour != orange || dots.wide || dots.shape != (crossGlyph{}) {
		t.Errorf("%+v, %+v", bars, dots)
	}
}

// How far the values of a panel go: stacked bars as far as their sum, rules as far as they press nothing flat.
func TestExtents(t *testing.T) {
	nan := math.NaN()
	for i, tt := range []struct {
		p    graph.Panel
		x, y extent
	}{
		{graph.Panel{Series: []graph.Series{{X: graph.Values{1, 2}, To: graph.Values{3}, Y: graph.Values{4, nan}, Low: graph.Values{-1}, High: graph.Values{9}}}},
			extent{1, 3, 1, true}, extent{-1, 9, 4, true}},
		{graph.Panel{Series: []graph.Series{{Style: graph.Bars, X: graph.Values{1, 2}, Y: graph.Values{4, 5}}, {Style: graph.Bars, X: graph.Values{1, 2},
			Y: graph.Values{3, 1}}}}, extent{1, 2, 1, true}, extent{4, 7, 4, true}},
		{graph.Panel{Spans: []graph.Span{{From: 2, To: 5}}}, extent{2, 5, 2, true}, newExtent()},
		{graph.Panel{Series: []graph.Series{{Style: graph.Bars, X: graph.Values{1}, Y: graph.Values{4, 5}}}}, extent{1, 1, 1, true}, extent{4, 5, 4, true}},
		{graph.Panel{Series: []graph.Series{{Style: graph.Bars, X: graph.Values{1, 2, 3}, Y: graph.Values{-3, nan, 1e101}},
			{Style: graph.Bars, X: graph.Values{1, 2, 3}, Y: graph.Values{4, 5, 6}}}}, extent{1, 3, 1, true}, extent{-3, 6, 4, true}},
		{graph.Panel{Heat: &graph.Heat{X: graph.Values{0, 4}, Y: graph.Values{1, 8}}}, extent{0, 4, 4, true}, extent{1, 8, 1, true}},
		{graph.Panel{Series: []graph.Series{{X: graph.Values{math.Inf(1), math.Inf(-1), 3}, Y: graph.Values{1e101, -1e101, 5}}}}, extent{3, 3, 3, true},
			extent{5, 5, 5, true}},
	} {
		if x, y := extentsOf(&tt.p); x != tt.x || y != tt.y {
			t.Errorf("%d: %+v and %+v, want %+v and %+v", i, x, y, tt.x, tt.y)
		}
	}
	for at, want := range map[float64]float64{7: 10, 12: 12, 30: 30, 31: 10, 1e6: 10} {
		p := graph.Panel{Series: []graph.Series{{X: graph.Values{1}, Y: graph.Values{10, 10}}}, Rules: []graph.Rule{{At: at}}}
		if _, y := extentsOf(&p); y.high != want {
			t.Errorf("a rule at %v: up to %v, want %v", at, y.high, want)
		}
		p.Y.Scale = graph.Log
		if _, y := extentsOf(&p); y.high != max(10, at) {
			t.Errorf("a rule at %v on a logarithmic axis: up to %v", at, y.high)
		}
	}
	for at, want := range map[float64]float64{-8: -8, -10: -10, -11: 5} { // 5 - 3 × (10 - 5) is -10
		p := graph.Panel{Series: []graph.Series{{X: graph.Values{1, 2}, Y: graph.Values{10, 5}}}, Rules: []graph.Rule{{At: at}, {At: 9, Vertical: true}}}
		if x, y := extentsOf(&p); y.low != want || x.high != 2 {
			t.Errorf("a rule at %v: %+v, %+v", at, x, y)
		}
		p.Y.Scale = graph.Log
		if _, y := extentsOf(&p); y.low != want {
			t.Errorf("a rule at %v on a logarithmic axis: %+v", at, y)
		}
	}
	alone := graph.Panel{Rules: []graph.Rule{{At: 7}}}
	if _, y := extentsOf(&alone); y.high != 7 {
		t.Errorf("a rule alone: %+v", y)
	}
	if !anyKnown([]float64{nan, 1}) || anyKnown([]float64{nan, math.Inf(1), math.Inf(-1)}) || anyKnown(nil) {
		t.Error("what is known")
	}
}

// Every label says the value at which it stands.
func TestLabelsSayTheirValues(t *testing.T) {
	for _, tt := range []struct {
		axis graph.Axis
		high float64
		want string
	}{
		{graph.Axis{}, 10, "0=0 5=5 10=10"}, {graph.Axis{Unit: graph.Share}, 0.5, "0=0% 0.2=20% 0.4=40%"},
		{graph.Axis{Unit: graph.Bytes}, 4096, "0=0 B 1024=1.00 KiB 2048=2.00 KiB 3072=3.00 KiB 4096=4.00 KiB"}, {graph.Axis{Unit: graph.Nanoseconds}, 9e6,
			"0=0 2e+06=2 ms 4e+06=4 ms 6e+06=6 ms 8e+06=8 ms 1e+07=10 ms"},
		{graph.Axis{Unit: graph.Seconds}, 300, "0=0:00 30=0:30 60=1:00 90=1:30 120=2:00 150=2:30 180=3:00 210=3:30 240=4:00 270=4:30 300=5:00"},
		{graph.Axis{Unit: graph.Seconds}, 5, "0=0 s 0.5=0.5 s 1=1 s 1.5=1.5 s 2=2 s 2.5=2.5 s 3=3 s 3.5=3.5 s 4=4 s 4.5=4.5 s 5=5 s"},
		{graph.Axis{Scale: graph.Tail}, 0.995, "0=min 0.5=p50 0.9=p90 0.99=p99"}, {graph.Axis{Scale: graph.Log}, 1000, "1=1 10=10 100=100 1000=1,000"},
		{graph.Axis{To: 3, Ticks: []graph.Tick{{At: 1, Name: "one"}, {At: 4, Name: "off"}}}, 9, "1=one"},
		{graph.Axis{To: 3, Ticks: []graph.Tick{{At: 1, Name: "one"}}}, 9, "1=one"},
	} {
		e := extent{low: 0, high: tt.high, least: 1, any: true}
		var got []string
		for _, tick := range axisOf(tt.axis, e, 5).ticks {
			if tick.Label != "" {
				got = append(got, fmt.Sprintf("%v=%s", tick.Value, tick.Label))
			}
		}
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("%+v up to %v:\n%s, want\n%s", tt.axis, tt.high, text, tt.want)
		}
	}
}
