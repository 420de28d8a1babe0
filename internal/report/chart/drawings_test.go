package chart

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report/graph"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares with a file of testdata, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		gotLines := strings.Split(string(got), "\n")
		for i, line := range strings.Split(string(want), "\n") {
			if i >= len(gotLines) || gotLines[i] != line {
				t.Errorf("%s, line %d is not\n%s", name, i+1, line)
				return
			}
		}
		t.Errorf("%s: there is more behind its end", name)
	}
}

// looks are a panel of lines and one of dots, with one series of each role.
func looks() []graph.Panel {
	var all []graph.Panel
	roles := []graph.Role{graph.OK, graph.Failed, graph.Offered, graph.P50, graph.P90, graph.P99, graph.P999, graph.Most,
		graph.Own, graph.Fitted, graph.Met, graph.Unknown, graph.Neutral, "1", "2", "3", "4", "5", "6", "7", "8", "9", "17", "x"}
	for _, style := range []graph.Style{graph.Line, graph.Dots} {
		p := graph.Panel{Title: "Looks " + string(style), X: graph.Axis{Name: "place", To: 3}}
		for i, role := range roles {
			s := overTime(style, role, float64(i), float64(i+1), float64(i))
			s.Low, s.High = graph.Values{float64(i) - 0.2}, graph.Values{float64(i) + 0.2}
			p.Series = append(p.Series, s)
		}
		all = append(all, p)
	}
	return all
}

// edges are panels whose marks lie at the edges of what can be drawn, and beyond them.
func edges() []graph.Panel {
	at := func(x float64, name string) graph.Rule {
		return graph.Rule{Role: graph.Met, At: x, Vertical: true, Name: name}
	}
	level := func(y float64, name string) graph.Rule { return graph.Rule{Role: graph.Failed, At: y, Name: name} }
	many := graph.Series{Name: "many", Role: "1"}
	for i := range 70 {
		y := 5 + 3*math.Sin(float64(i)/9)
		many.X, many.Y = append(many.X, float64(i)/7), append(many.Y, y)
		many.Low, many.High = append(many.Low, y-1), append(many.High, y+1)
	}
	many.Low[40] = math.NaN()
	crowd := graph.Series{Name: "crowd", Role: "2", Style: graph.Dots}
	for i := range 1001 {
		crowd.X, crowd.Y = append(crowd.X, 4+float64(i%7)), append(crowd.Y, 2+float64(i%5))
	}
	return []graph.Panel{
		{Title: "Rules and bands", X: graph.Axis{Name: "place", From: 1, To: 11}, Y: graph.Axis{From: 1, To: 11},
			Series: []graph.Series{many, crowd}, Rules: []graph.Rule{
				at(0.9, "before"), at(1, "first"), at(1.5, "a name that has no room at its left"), at(8, "eight"), at(8.1, "beside"),
				at(8.2, "a third"), at(11, "last"), at(11.1, "behind"), level(0.9, "under"), level(1, "foot"), level(1.2, "low"),
				level(6, "middle"), level(6.2, "close"), level(10.8, "high"), level(11, "top"), level(11.1, "over"),
				level(5, strings.Repeat("a long name ", 10)),
			}, Bands: []graph.Band{{From: -3, To: 1, Name: "before"}, {From: 0, To: 1.01, Name: "at the left"},
				{Role: "1", From: 3, To: 4, Name: "of a role"}, {Role: graph.Own, From: 10.99, To: 30, Name: "at the right"},
				{From: 11, To: 12, Name: "behind"}, {From: 5, To: 5, Name: "a moment"}, {From: 7, To: 6, Name: "reversed"}}},
		{Title: "Spans", X: graph.Axis{Name: "time", Unit: graph.Nanoseconds, From: 0, To: 1e9}, Spans: []graph.Span{
			{Row: "a", Part: "inside", Role: "1", From: 0, To: 5e8, Text: "inside"},
			{Row: "a", Part: "beside", Role: "2", From: 6e8, To: 6.1e8, Text: "beside it"},
			{Row: "b", Part: "inside", Role: "1", From: 1e8, To: 1.1e8, Text: "no room beside it"},
			{Row: "b", Part: "taken", Role: "3", From: 1.3e8, To: 9.9e8}, {Row: "b", From: 9.95e8, To: 2e9, Text: "at the edge"},
			{Row: "c", From: -1e9, To: 0, Text: "up to the left"}, {Row: "c", Role: "4", From: 1e9, To: 1e9, Text: "nothing"},
			{Row: "c", Role: "4", From: 3e8, To: 3e8, Text: "a moment"}}},
		{Title: "Bars", X: graph.Axis{Name: "size", Unit: graph.Bytes, To: 8}, Y: graph.Axis{From: 0, To: 4}, Series: []graph.Series{
			{Name: "lower", Role: "1", Style: graph.Bars, X: graph.Values{0, 2, 4, 6}, Y: graph.Values{1, 2, 0, 3}},
			{Name: "upper", Role: "2", Style: graph.Bars, X: graph.Values{0, 2, 4}, Y: graph.Values{1, 1, 1}, To: graph.Values{2, 2.001, 6}},
			{Name: "top", Role: graph.Offered, Style: graph.Steps, X: graph.Values{0, 2, 5}, Y: graph.Values{3, 3.5, 3}}}},
		{Title: "Heat", X: graph.Axis{Name: "time", Unit: graph.Seconds, To: 300}, Y: graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log},
			Heat: &graph.Heat{X: graph.Values{0, 60, 120, 180, 300}, Y: graph.Values{0, 1e6, 2e6, 4e6}, Of: "requests",
				Counts: [][]int64{{1, 2, 4}, {1, 16, 0}, {1000, 1000, 1000}, {0, 3}}}},
	}
}

// TestDrawings holds what is drawn against pictures that somebody has looked at: written again by -update, they are to
// be looked at again.
func TestDrawings(t *testing.T) {
	long := strings.Repeat("a long text ", 20)
	for name, c := range map[string]struct {
		head   Head
		panels []graph.Panel
	}{
		"everything": {Head{Title: "Every kind of panel", Subtitle: "run of a test", Answer: "1,000 req/s", Verdict: "suspect",
			Role: graph.Unknown, Why: "for a reason"}, everything()},
		"looks": {Head{Title: "Every role", Subtitle: "of those there are", Answer: "without a verdict"}, looks()},
		"edges": {Head{Title: long, Subtitle: long, Answer: long, Verdict: "met", Role: graph.Met, Why: long}, edges()},
		"nothing": {Head{Answer: long, Verdict: "failed", Role: graph.Failed},
			[]graph.Panel{{Title: "Nothing", Empty: "why"}, {Title: "Nothing, too"}}},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := Draw(&out, c.head, c.panels, SVG); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".svg", out.Bytes())
		})
	}
}

func TestAPictureHas1200By800Pixels(t *testing.T) {
	var out bytes.Buffer
	if err := Draw(&out, Head{}, nil, PNG); err != nil {
		t.Fatal(err)
	}
	picture, err := png.DecodeConfig(&out)
	if err != nil || picture.Width != 1200 || picture.Height != 800 {
		t.Errorf("%d × %d, %v", picture.Width, picture.Height, err)
	}
	if PNG != "png" || SVG != "svg" { // as flags and files have them
		t.Errorf("%s, %s", PNG, SVG)
	}
	if err := Draw(full{}, Head{}, nil, SVG); !errors.Is(err, errFull) {
		t.Errorf("a file that takes nothing: %v", err)
	}
	if err := Draw(&out, Head{}, nil, "gif"); fault.CodeOf(err) != fault.Usage {
		t.Errorf("a format that is none: %v", err)
	}
}

// full is a file that takes nothing more.
type full struct{}

var errFull = errors.New("no room")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestTheFormatOfAFile(t *testing.T) {
	for path, want := range map[string]Format{
		"a.png": PNG, "a.svg": SVG, "b/A.PNG": PNG, "a.png.svg": SVG, "a.gif": "", "png": "", "": "",
	} {
		if got, err := FormatOf(path); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", path, got, err)
		}
	}
}

// TestAxes writes down where axes begin and end, and their ticks.
func TestAxes(t *testing.T) {
	var out bytes.Buffer
	show := func(a graph.Axis, room float64, values ...float64) {
		e := newExtent()
		e.see(values...)
		drawn := axisOf(a, e, room)
		fmt.Fprintf(&out, "%s %s", a.Unit, a.Scale)
		if a.From != a.To {
			fmt.Fprintf(&out, " from %g to %g", a.From, a.To)
		}
		fmt.Fprintf(&out, " of %g, room for %g: %.6g to %.6g\n\t", values, room, drawn.from, drawn.to)
		for _, tick := range drawn.ticks {
			fmt.Fprintf(&out, " %.6g %q", tick.Value, tick.Label)
		}
		fmt.Fprintln(&out)
	}
	for _, unit := range []graph.Unit{graph.Number, graph.Nanoseconds, graph.Share, graph.Bytes, graph.Quantile} {
		for _, highest := range []float64{1e-7, 0.3, 1, 5, 7, 96, 97, 1000, 1 << 20, 1.1e15} {
			show(graph.Axis{Unit: unit}, 5, 0, highest)
		}
	}
	for _, room := range []float64{0, 1, 2, 3, 6, 7, 20} {
		show(graph.Axis{}, room, 0, 60)
		show(graph.Axis{Scale: graph.Log}, room, 1, 6e4)
	}
	show(graph.Axis{}, 5)
	for _, v := range []float64{0, -3, 3} {
		show(graph.Axis{}, 5, v)
	}
	show(graph.Axis{}, 5, -3, 4)
	show(graph.Axis{}, 5, -1e15, -1e-7)
	show(graph.Axis{From: 2, To: 9}, 5, 0, 100)
	show(graph.Axis{From: -1, To: 1}, 3, 0, 100)
	show(graph.Axis{From: 1, To: 9, Ticks: []graph.Tick{{At: 0.5}, {At: 1, Name: "one"}, {At: 9, Name: strings.Repeat("long ", 6)},
		{At: 9.1, Name: "beyond"}}}, 5, 3)
	for _, end := range []float64{0.001, 0.12, 0.13, 1.2, 60, 120, 121, 180, 181, 3600, 12 * 3600, 12 * 86400, 13 * 86400, 1e7} {
		show(graph.Axis{Unit: graph.Seconds}, 5, 0, end)
	}
	for _, step := range timeSteps {
		show(graph.Axis{Unit: graph.Seconds}, 5, 0, 12*step)
	}
	show(graph.Axis{Unit: graph.Seconds}, 5, -1, 150)
	show(graph.Axis{Unit: graph.Seconds}, 5, -300, 1e9)
	for _, low := range []float64{1, 1.5, 1.6, 2, 3, 5, 6.9, 7, 9.99} {
		for _, times := range []float64{1, 1.4, 5, 70} {
			show(graph.Axis{Scale: graph.Log, Unit: graph.Nanoseconds}, 8, low*1e6, low*times*1e6)
		}
	}
	show(graph.Axis{Scale: graph.Log}, 8, 0, -1)
	show(graph.Axis{Scale: graph.Log}, 8, -5, 3, 8)
	show(graph.Axis{Scale: graph.Log, From: 2, To: 30}, 8, 1, 50)
	show(graph.Axis{Scale: graph.Log, From: 2, To: 30}, 8, 5, 50)
	show(graph.Axis{Unit: graph.Seconds}, 5, 7)
	show(graph.Axis{From: 0, To: 5}, 5, 3)
	show(graph.Axis{From: 0, To: 5.0000025}, 5, 3)
	show(graph.Axis{Scale: graph.Log}, 8, 0.9999999, 5)
	show(graph.Axis{Scale: graph.Log}, 8, 2, 5.0000001)
	show(graph.Axis{Scale: graph.Log}, 8, 10, 10)
	show(graph.Axis{From: 1, To: 9, Ticks: []graph.Tick{{At: 9, Name: "nine"}, {At: 9.000001, Name: "beyond"}}}, 5, 3)
	for _, q := range []float64{0, 0.3, 0.5, 0.6, 0.9, 0.95, 0.999, 0.9999999, 1} {
		show(graph.Axis{Scale: graph.Tail, Unit: graph.Quantile}, 5, q)
	}
	show(graph.Axis{Scale: graph.Tail, From: 0.1, To: 0.99}, 5, 0.5)
	for _, q := range []float64{0, 0.5, 0.9, 0.99, 0.999999, 1 - 1e-12, 1} {
		fmt.Fprintf(&out, "%g has %.6g nines, at %.6g between 0 and 0.9999\n", q, nines(q), tailScale{}.Normalize(0, 0.9999, q))
	}
	golden(t, "axes.txt", out.Bytes())
}
