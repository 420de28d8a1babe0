package sets_test

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/setdoc"
)

func panelsOf(t testing.TB, name string) (*setdoc.Set, []graph.Panel) {
	t.Helper()
	set := document(t, name)
	return set, sets.Page(sets.Source{Set: set, Name: "last"}, report.Options{}).Graphs()
}

// panel is the one of this name.
func panel(t testing.TB, all []graph.Panel, name string) graph.Panel {
	t.Helper()
	i := slices.IndexFunc(all, func(p graph.Panel) bool { return p.Name == name })
	if i < 0 {
		t.Fatalf("no panel %q", name)
	}
	return all[i]
}

// The panels of each fixed set, as they are handed to the page.
func TestPanels(t *testing.T) {
	for name := range fixed() {
		t.Run(name, func(t *testing.T) {
			_, all := panelsOf(t, name)
			reporttest.SoundPanels(t, all)
			reporttest.GoldenPanels(t, name+".panels.json", all, *update)
		})
	}
	a, b := sets.Side{Name: "A", Set: document(t, "plateau")}, sets.Side{Name: "B", Set: document(t, "failing")}
	page, err := sets.Beside(a, b, report.Kind{})
	if err != nil {
		t.Fatal(err)
	}
	reporttest.SoundPanels(t, page.Graphs())
	reporttest.GoldenPanels(t, "beside.panels.json", page.Graphs(), *update)
}

// points are those of all series of dots.
func points(p graph.Panel) (n int, y graph.Values) {
	for _, s := range p.Series {
		if s.Style == graph.Dots {
			n, y = n+len(s.X), append(y, s.Y...)
		}
	}
	slices.Sort(y)
	return n, y
}

// Each run of a sweep is a dot, at the throughput of its row.
func TestEachRunIsADot(t *testing.T) {
	for _, name := range []string{"plateau", "failing", "law", "named", "grid"} {
		set, all := panelsOf(t, name)
		var want graph.Values
		for i := range set.Sweep.Rows {
			x := *set.Sweep.Rows[i].Throughput
			if set.Sweep.Figure.Unit == "bytes_per_s" {
				x *= 1e-6 // the axis has MB/s
			}
			want = append(want, x)
		}
		slices.Sort(want)
		if _, got := points(panel(t, all, "order")); !cmp.Equal(want, got) {
			t.Errorf("%s: in their order: %s", name, cmp.Diff(want, got))
		}
		runs := graph.Panel{}
		for _, s := range panel(t, all, "scaling").Series {
			// Of one run at each setting, its dot is the mean.
			if strings.HasSuffix(s.Name, "one run") || name == "grid" && len(set.Sweep.Rows) == len(set.Sweep.Levels) {
				s.Style = graph.Dots
				runs.Series = append(runs.Series, s)
			}
		}
		if _, got := points(runs); !cmp.Equal(want, got) {
			t.Errorf("%s: %s", name, cmp.Diff(want, got))
		}
	}
}

// The means and their intervals are those of the levels.
func TestMeansAreTheLevels(t *testing.T) {
	set, all := panelsOf(t, "failing")
	for _, s := range panel(t, all, "scaling").Series {
		if s.Role != graph.P50 {
			continue
		}
		var want graph.Series
		for _, l := range set.Sweep.Levels {
			want.X, want.Y = append(want.X, l.Load), append(want.Y, *l.Throughput)
			want.Low, want.High = append(want.Low, l.Interval[0]), append(want.High, l.Interval[1])
		}
		if diff := cmp.Diff(want, graph.Series{X: s.X, Y: s.Y, Low: s.Low, High: s.High}); diff != "" {
			t.Error(diff)
		}
		return
	}
	t.Error("no means")
}

// Each probe of a search is a point in each panel of it, also one that has no value.
func TestEachProbeIsAPoint(t *testing.T) {
	for _, name := range []string{"line", "line-generator", "line-below", "line-clients"} {
		set, all := panelsOf(t, name)
		for _, p := range all {
			if n, _ := points(p); n != len(set.Loadline.Probes) {
				t.Errorf("%s, %s: %d points of %d probes", name, p.Name, n, len(set.Loadline.Probes))
			}
		}
		for i, goal := range set.Loadline.SLO {
			var want graph.Values
			for _, p := range set.Loadline.Probes {
				if p.Values[i].Value != nil {
					want = append(want, *p.Values[i].Value)
				}
			}
			p := panel(t, all, "goal-"+string(rune('1'+i)))
			slices.Sort(want)
			_, got := points(p)
			got = slices.DeleteFunc(got, math.IsNaN)
			if !cmp.Equal(want, got) || p.Rules[0].At != goal.Limit {
				t.Errorf("%s, %s: the goal is at %v; %s", name, goal.Expr, p.Rules[0].At, cmp.Diff(want, got))
			}
		}
	}
}

// Each launch of a comparison is a dot of each side, and the rows are where the document has them.
func TestLaunchesAreDots(t *testing.T) {
	for _, name := range []string{"compare-worse", "compare-unshown", "compare-mixed"} {
		set, all := panelsOf(t, name)
		for _, p := range all {
			if n, _ := points(p); p.Name != "change" && n != 2*len(set.Comparison.Launches) {
				t.Errorf("%s, %s: %d points of %d launches", name, p.Name, n, len(set.Comparison.Launches))
			}
		}
		spans := panel(t, all, "change").Spans
		r := set.Comparison.Rows[0]
		if len(spans) < 2 || spans[0].From != *r.Low-1 || spans[0].To != *r.High-1 || spans[1].To != *r.Ratio-1 {
			t.Errorf("%s: %+v of %+v", name, spans[:2], r)
		}
	}
}

// What the panels of any set are can be handed to the page: no figure makes JSON impossible.
func hand(t *testing.T, all []graph.Panel) {
	t.Helper()
	text, err := json.Marshal(all)
	if err != nil {
		t.Error(err)
	}
	for _, c := range []string{`\u001b`, `\u0007`} {
		if bytes.Contains(text, []byte(c)) {
			t.Errorf("%s in %.300s", c, text)
		}
	}
}

// What failed where nothing was measured, and where its clients' time went, is not known, and no 0.
func TestPanelsOfALevelWithoutMeasurements(t *testing.T) {
	set := document(t, "failing")
	l := &set.Sweep.Levels[0]
	*l = setdoc.Level{Values: l.Values, Load: l.Load, Runs: l.Runs, Lost: l.Runs}
	for i := range set.Sweep.Rows {
		if r := &set.Sweep.Rows[i]; slices.Equal(r.Values, l.Values) {
			*r = setdoc.Row{Values: r.Values, Repeat: r.Repeat}
		}
	}
	all := sets.Page(sets.Source{Set: set, Name: "last"}, report.Options{}).Graphs()
	for _, name := range []string{"failed", "client-time"} {
		for _, s := range panel(t, all, name).Series {
			if !math.IsNaN(s.Y[0]) || math.IsNaN(s.Y[1]) {
				t.Errorf("%s: %s is %v", name, s.Name, s.Y)
			}
		}
	}
}
