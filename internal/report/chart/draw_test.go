package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/plimsoll/plimsoll/internal/report/graph"
)

// wide is a text that is about so many points wide, and no wider.
func wide(style text.Style, points vg.Length) string {
	return strings.Repeat("i", int(points/style.Width("i")))
}

// A legend stands beside the title where it has room there, and else in as many rows below it as it takes.
func TestRowsOfALegend(t *testing.T) {
	bold, plain := textStyle(11, ink, draw.XLeft, true), textStyle(10, ink, draw.XLeft, false)
	for i, tt := range []struct {
		title   vg.Length
		entries []vg.Length
		want    []int // entries in each row below the title
	}{
		{0, nil, nil}, {800, nil, nil}, {0, []vg.Length{400, 405}, nil}, {0, []vg.Length{400, 416}, []int{1, 1}},
		{100, []vg.Length{380, 325}, nil}, {100, []vg.Length{400, 320}, []int{2}}, {0, []vg.Length{900}, []int{1}},
		{405, []vg.Length{400}, nil}, {405, []vg.Length{416}, []int{1}}, {0, []vg.Length{300, 300, 300}, []int{2, 1}},
		{0, []vg.Length{900, 100}, []int{1, 1}}, {0, []vg.Length{100, 900, 900}, []int{1, 1, 1}},
		{0, []vg.Length{400, 385, 45}, []int{2, 1}},
	} {
		p := panel{title: wide(bold, tt.title)}
		for _, w := range tt.entries {
			p.legend = append(p.legend, entry{name: wide(plain, w-42)})
			if got := entryWidth(p.legend[len(p.legend)-1]); got > w || got < w-5 {
				t.Errorf("an entry for %v points has %v", w, got)
			}
		}
		var got []int
		for _, row := range p.legendRows() {
			got = append(got, len(row))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%d: rows of %v, want %v", i, got, tt.want)
		}
	}
}

// textsOf are the texts that were drawn on a canvas of 900 × 600 points.
func textsOf(paint func(draw.Canvas)) (all []*recorder.FillString) {
	var rec recorder.Canvas
	paint(draw.NewCanvas(&rec, chartWidth, chartHeight))
	for _, a := range rec.Actions {
		if s, is := a.(*recorder.FillString); is {
			all = append(all, s)
		}
	}
	return all
}

// The subtitle is left out where it would come near the title, and so much of the head as is not given takes no room.
func TestHeadOfAChart(t *testing.T) {
	large, small := textStyle(14, ink, draw.XLeft, true), textStyle(10, grey, draw.XRight, false)
	for _, tt := range []struct {
		both vg.Length
		want bool
	}{{300, true}, {843, true}, {848, false}} {
		head := Head{Title: wide(large, 250)}
		head.Subtitle = wide(small, tt.both-large.Width(head.Title))
		shown := false
		for _, s := range textsOf(func(c draw.Canvas) { drawHead(c, head) }) {
			shown = shown || s.String == head.Subtitle
		}
		if shown != tt.want {
			t.Errorf("a title and subtitle of %v points: %v", tt.both, shown)
		}
	}
	long := strings.Repeat("x", 200)
	for _, tt := range []struct {
		head               Head
		title, answer, why int // how much of them is shown
		height             vg.Length
	}{
		{Head{Title: long[:98], Answer: long[:138]}, 98, 138, 0, 46}, {Head{Title: long, Answer: long}, 98, 138, 0, 46},
		{Head{Title: "t", Answer: long, Verdict: "valid", Role: graph.Met}, 1, 127, 0, 46},
		{Head{Title: "t", Answer: "a", Why: long[:153]}, 1, 1, 153, 60}, {Head{Title: "t", Answer: "a", Why: long}, 1, 1, 153, 60},
	} {
		var height vg.Length
		var got []int
		for _, s := range textsOf(func(c draw.Canvas) { height = drawHead(c, tt.head) }) {
			if s.String != tt.head.Verdict {
				got = append(got, len([]rune(s.String)))
			}
		}
		want := []int{tt.title, tt.answer, tt.why}
		if tt.why == 0 {
			want = want[:2]
		}
		if !slices.Equal(got, want) || height != tt.height {
			t.Errorf("%d, %d, %d: texts of %v in a head %v high", len(tt.head.Title), len(tt.head.Answer), len(tt.head.Why), got, height)
		}
	}
}

// The name of a rule stands above it, or below where there is no room above, and never on another name.
func TestPlacesOfNames(t *testing.T) {
	off := func(at float64) float64 {
		for _, s := range on(t, &ruleMarks{[]graph.Rule{{At: at, Name: "goal"}}}) {
			if s.of == "goal" {
				return 100 * (s.y[0] - at)
			}
		}
		return math.NaN()
	}
	above := off(5)
	for at, want := range map[float64]float64{1: 0, 9.7: 0, 9.85: 0, 9.88: 0, 9.9: -13, 9.93: -13, 9.96: -13, 10: -13} {
		if got := off(at) - above; math.Abs(got-want) > 1e-6 {
			t.Errorf("the name of a rule at %v of 10 is %.3f points from its place, want %v", at, got, want)
		}
	}
	label := textStyle(9, ink, draw.XRight, false)
	width := float64(label.Width("name"))
	for _, tt := range []struct {
		x, y float64 // where the second is to end
		want float64 // where it does; 0: nowhere
	}{
		{500, 500, 500 - width - 8}, {500, 509.5, 500 - width - 8}, {500, 510.5, 500}, {500, 490.5, 500 - width - 8},
		{500, 489.5, 500}, {500 + width - 1, 500, 500 - width - 8}, {500 + width + 1, 500, 500 + width + 1},
		{500 - width + 1, 500, 500 - width - 8}, {500 - width - 1, 500, 500 - width - 1}, {width - 5, 300, width},
	} {
		var got []string
		for _, s := range textsOf(func(c draw.Canvas) {
			n := ruleNames{c: c}
			n.write(vg.Point{X: 500, Y: 500}, "name")
			n.write(vg.Point{X: vg.Length(tt.x), Y: vg.Length(tt.y)}, "name")
		}) {
			got = append(got, fmt.Sprintf("%.3f", float64(s.Point.X)+width))
		}
		if want := []string{"500.000", fmt.Sprintf("%.3f", tt.want)}; !slices.Equal(got, want) {
			t.Errorf("a name that is to end at %.1f, %.1f: %v, want %v", tt.x, tt.y, got, want)
		}
	}
	full := textsOf(func(c draw.Canvas) {
		n := ruleNames{c: c}
		for range 100 {
			n.write(vg.Point{X: 500, Y: 500}, "name")
		}
	})
	if most := int(500+8) / int(width+8); len(full) > most+1 || len(full) < most-1 {
		t.Errorf("%d names beside each other, where %d have room", len(full), most)
	}
	for _, s := range full {
		if s.Point.X < 0 {
			t.Errorf("a name begins at %v", s.Point.X)
		}
	}
}

// A heat map ends at its last edge, whatever else it has counts for.
func TestHeatEndsAtItsLastEdge(t *testing.T) {
	h := &graph.Heat{X: graph.Values{0, 4, 8}, Y: graph.Values{0, 10}, Counts: [][]int64{{5}, {5}, {5}, {5}}}
	are(t, "four columns between three edges", on(t, &heatMark{h}), "area", []float64{0, 8, 8, 0, 0, 0, 10, 10})
}

// Between the ends of an axis only so much is named as there is room for, and quantiles end before all is counted.
func TestRoomOnAxes(t *testing.T) {
	for room, want := range map[float64][]float64{-1: {1, 100}, 0: {1, 100}, 1: {1, 100}, 2: {1, 100}, 2.1: {1, 100, 10}} {
		if got := namedMarks(1, 100, []float64{10}, room); !slices.Equal(got, want) {
			t.Errorf("with room for %v %v are named, want %v", room, got, want)
		}
	}
	for high, want := range map[float64]float64{0: 1, 0.5: 1, 0.999: 3, 1: 10} {
		if got := nines(tailAxis(extent{high: high}).to); math.Abs(got-want) > 1e-6 {
			t.Errorf("quantiles up to %v have %v nines, want %v", high, got, want)
		}
	}
}
