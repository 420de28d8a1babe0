package chart

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/plimsoll/plimsoll/internal/report/graph"
)

// written is where a text begins and ends, on the axes of on; false: nowhere.
func written(all []shape, text string, end bool) (x, y float64, is bool) {
	for _, s := range all {
		if s.of != text {
			continue
		}
		if end {
			return s.x[0] + widthOf(text), s.y[0], true
		}
		return s.x[0], s.y[0], true
	}
	return 0, 0, false
}

func widthOf(text string) float64 {
	return float64(textStyle(9, ink, draw.XLeft, false).Width(text)) / 100
}

// mark writes an x at the corner of the canvas.
type mark struct{}

func (mark) Plot(c draw.Canvas, _ *plot.Plot) {
	c.FillText(textStyle(9, ink, draw.XLeft, false), vg.Point{}, "x")
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

// The text of a span is in it where it has room, else beside it where nothing else is, else nowhere.
func TestTextsOfSpans(t *testing.T) {
	const text = "a text"
	room := widthOf(text) + 0.06
	for name, tt := range map[string]struct {
		rows  float64
		spans []graph.Span
		at    float64 // negative: nowhere
	}{
		"just room":              {10, []graph.Span{{From: 1, To: 1.0001 + room, Text: text}}, 1.03},
		"just no room":           {10, []graph.Span{{From: 1, To: 0.9999 + room, Text: text}}, 1.0299 + room},
		"high enough":            {77, []graph.Span{{From: 1, To: 9, Text: text}}, 1.03},
		"not so":                 {79, []graph.Span{{From: 1, To: 9, Text: text}}, -1},
		"no room at the edge":    {10, []graph.Span{{From: 9.9, To: 9.98, Text: text}}, -1},
		"up to the edge":         {10, []graph.Span{{From: 1, To: 9.9699 - room, Text: text}}, 1.03},
		"just beside it":         {10, []graph.Span{{From: 9.9, To: 9.9, Text: text}, {From: 9.96 - room, To: 9.9599 - room + 1e-4, Text: text}}, -1},
		"one that ends there":    {10, []graph.Span{{From: 1, To: 1.1, Text: text}, {From: 0, To: 1.1099}}, 1.13},
		"one that goes on":       {10, []graph.Span{{From: 1, To: 1.1, Text: text}, {From: 0, To: 1.1101}}, -1},
		"one that begins behind": {10, []graph.Span{{From: 1, To: 1.1, Text: text}, {From: 1.1301 + room, To: 9}}, 1.13},
		"one that begins there":  {10, []graph.Span{{From: 1, To: 1.1, Text: text}, {From: 1.1299 + room, To: 9}}, -1},
		"one in another row":     {10, []graph.Span{{From: 1, To: 1.1, Text: text}, {From: 0, To: 5, Row: "b"}}, 1.13},
	} {
		all := on(t, &spanMarks{tt.spans}, func(p *plot.Plot) { p.Y.Max = tt.rows })
		x, _, is := written(all, text, false)
		if is != (tt.at >= 0) || is && !near(x, tt.at) {
			t.Errorf("%s: %t, at %v, want %v", name, is, x, tt.at)
		}
		if _, _, is := written(all, "", false); is {
			t.Errorf("%s: nothing was written", name)
		}
	}
}

// The name of a rule ends at the right edge and stands above its line, or below it where there is no room, and no name
// stands on another.
func TestNamesOfRules(t *testing.T) {
	level := func(y float64, name string) graph.Rule { return graph.Rule{At: y, Name: name} }
	base := on(t, mark{})[0].y[0] // of its line above its place
	for name, tt := range map[string]struct {
		rules []graph.Rule
		x, y  float64 // where the last one's ends, or is
	}{
		"in the middle": {[]graph.Rule{level(5, "x")}, 9.97, 5.02}, "room above": {[]graph.Rule{level(9.8899, "x")}, 9.97, 9.9099},
		"no room above": {[]graph.Rule{level(9.8901, "x")}, 9.97, 9.7801}, "over": {[]graph.Rule{level(11, "x")}, 9.97, 9.89},
		"under":           {[]graph.Rule{level(-1, "x")}, 9.97, 0.02},
		"above another":   {[]graph.Rule{level(5, "y"), level(5.1001, "x")}, 9.97, 5.1201},
		"on another":      {[]graph.Rule{level(5, "y"), level(5.0999, "x")}, 9.89 - widthOf("y"), 5.1199},
		"below another":   {[]graph.Rule{level(5, "y"), level(4.8999, "x")}, 9.97, 4.9199},
		"under another":   {[]graph.Rule{level(5, "y"), level(4.9001, "x")}, 9.89 - widthOf("y"), 4.9201},
		"upright":         {[]graph.Rule{{At: 5, Vertical: true, Name: "x"}}, 4.97, 9.89},
		"at the left":     {[]graph.Rule{{At: 0, Vertical: true, Name: "x"}}, widthOf("x"), 9.89},
		"on the left one": {[]graph.Rule{{At: 0, Vertical: true, Name: "y"}, {At: 0.1, Vertical: true, Name: "x"}}, -1, -1},
	} {
		all := on(t, &ruleMarks{tt.rules})
		text := map[string]string{"over": "x, above", "under": "x, below"}[name]
		if text == "" {
			text = "x"
		}
		x, y, is := written(all, text, true)
		if is != (tt.x >= 0) || is && (!near(x, tt.x) || !near(y-base, tt.y)) {
			t.Errorf("%s: %t, ends at %v, %v; want %v, %v", name, is, x, y, tt.x, tt.y)
		}
	}
}

// What has more counts than places is drawn where there are places, and neighbours of one shade are one box up to the edge.
func TestHeatOfTooManyCounts(t *testing.T) {
	h := &graph.Heat{X: graph.Values{0, 2, 5, 10}, Y: graph.Values{0, 10}, Counts: [][]int64{{1, 9}, {1, 9}, {1, 9}, {9, 9}, {9}}}
	are(t, "one shade", on(t, &heatMark{h}), "area", []float64{0, 10, 10, 0, 0, 0, 10, 10})
	are(t, "no place", on(t, &heatMark{&graph.Heat{X: graph.Values{1}, Y: graph.Values{0, 10}, Counts: [][]int64{{1}}}}), "area")
	are(t, "none", on(t, &heatMark{&graph.Heat{Counts: [][]int64{{1}}}}), "area")
}

// The subtitle stands beside the title where both have room, with a margin at either side and between them.
func TestSubtitleBesideTheTitle(t *testing.T) {
	large, small := textStyle(14, ink, draw.XLeft, true), textStyle(10, grey, draw.XRight, false)
	shown, hidden := 0, 0
	for n := range 500 {
		head := Head{Title: "A title", Subtitle: strings.Repeat("i", n)}
		var rec recorder.Canvas
		drawHead(draw.NewCanvas(&rec, chartWidth, chartHeight), head)
		is := n > 0 && slices.ContainsFunc(rec.Actions, func(a recorder.Action) bool {
			text, ok := a.(*recorder.FillString)
			return ok && text.String == head.Subtitle
		})
		room := large.Width(head.Title)+small.Width(head.Subtitle) < 900-4*14
		if n > 0 && is != room {
			t.Errorf("%d letters: %t, and there is room: %t", n, is, room)
		}
		if is {
			shown++
		} else {
			hidden++
		}
	}
	if shown < 50 || hidden < 50 {
		t.Errorf("%d are shown, and %d not", shown, hidden)
	}
}
