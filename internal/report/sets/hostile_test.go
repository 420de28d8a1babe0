package sets_test

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/setdoc"
)

// hostile are figures that no sweep has, and that a document may.
var hostile = []float64{math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 0, -1, 1e300, 1e-300}

// everyWay shows a set in every way there is.
func everyWay(t *testing.T, set *setdoc.Set) string {
	t.Helper()
	var all bytes.Buffer
	of := sets.Source{Set: set}
	hand(t, sets.Page(of, report.Options{}).Graphs())
	for _, width := range []int{0, 40, 80, 200} {
		opt := report.Options{Width: width}
		page := sets.Page(of, opt)
		for _, show := range []func(io.Writer, report.Options) error{page.Text, page.Brief, page.Markdown} {
			if err := show(&all, opt); err != nil {
				t.Error(err)
			}
		}
	}
	if err := sets.CSV(io.Discard, set); err != nil {
		t.Error(err)
	}
	_ = sets.Chart(io.Discard, of, chart.SVG) // an error where there is nothing to draw
	side := sets.Side{Name: "x", Set: set}
	if page, err := sets.Beside(side, side, report.Kind{}); err == nil {
		hand(t, page.Graphs())
		if err := page.Text(&all, report.Options{}); err != nil {
			t.Error(err)
		}
	}
	return all.String()
}

// TestHostile shows sets whose figures make no sense, and whose texts are meant for the terminal.
func TestHostile(t *testing.T) {
	for _, name := range []string{"failing", "law", "named", "grid"} {
		for i, x := range hostile {
			set := document(t, name)
			set.Members[0].Name = "\x1b[31mred\x1b[0m\n" + strings.Repeat("long ", 999)
			set.Sweep.Recommended, set.Sweep.Vary[0].Setting = "\x1b[2J", "\x1bclients"
			for j := range set.Sweep.Levels {
				l := &set.Sweep.Levels[j]
				y := hostile[(i+j)%len(hostile)]
				l.Throughput, l.Interval, l.Predicted, l.Efficiency, l.PeakSecond = &x, []float64{y, x}, &y, &x, &y
				l.Load, l.FailedShare, l.Little, l.InFlight = x, y, &x, y
				l.Values[0] = "\x1b]0;title\x07"
				ns := int64(math.MinInt64)
				l.ResponseP50NS, l.ResponseP99NS = &ns, &ns
			}
			if l := set.Sweep.Scaling; l != nil && l.Lambda != nil {
				l.Lambda.Value, l.Sigma.Value, l.Kappa.Value = x, -x, x
			}
			if text := everyWay(t, set); strings.ContainsAny(text, "\x1b\x07") {
				t.Errorf("%s: a terminal obeys what the set says", name)
			}
		}
	}
}

// FuzzPage shows whatever can be read.
func FuzzPage(f *testing.F) {
	for _, name := range []string{"failing", "law", "named", "grid", "planned"} {
		var text bytes.Buffer
		if err := setdoc.Write(&text, document(f, name)); err != nil {
			f.Fatal(err)
		}
		f.Add(text.Bytes())
	}
	f.Add([]byte(`{"schema":"plimsoll.set/v1","kind":"sweep","sweep":{"vary":[{"numeric":true}],"levels":[{"values":["1"],` +
		`"load":1,"throughput":-1,"throughput_interval":[1e308,-1e308]}],"best":0,"peak":0,"base":{"level":0}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if set, err := setdoc.Read(bytes.NewReader(data)); err == nil {
			everyWay(t, set)
		}
	})
}
