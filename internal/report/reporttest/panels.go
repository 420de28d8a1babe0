package reporttest

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Panels are those of a run's page.
func Panels(t testing.TB, run *rundoc.Run, kind report.Kind) []graph.Panel {
	t.Helper()
	return report.PageOf(run, kind, Options()).Graphs()
}

// OwnPanels are those that runs of this kind alone have.
func OwnPanels(t testing.TB, run *rundoc.Run, kind report.Kind) []graph.Panel {
	t.Helper()
	common := report.NewView(run, kind, Options()).Graphs()
	return slices.DeleteFunc(Panels(t, run, kind), func(p graph.Panel) bool {
		return slices.ContainsFunc(common, func(c graph.Panel) bool { return c.Name == p.Name })
	})
}

// Panel is the one of this name.
func Panel(t testing.TB, all []graph.Panel, name string) graph.Panel {
	t.Helper()
	for i := range all {
		if all[i].Name == name {
			return all[i]
		}
	}
	t.Fatalf("no panel %q", name)
	return graph.Panel{}
}

// SoundPanels checks what holds of all panels: names that are their own, series whose columns are as long as each
// other, and no figure that JSON has no words for.
func SoundPanels(t testing.TB, all []graph.Panel) {
	t.Helper()
	names, name := map[string]bool{}, regexp.MustCompile(`^[a-z0-9-]+$`)
	for i := range all {
		p := &all[i]
		if names[p.Name] || !name.MatchString(p.Name) || p.Title == "" {
			t.Errorf("a panel %q, %q", p.Name, p.Title)
		}
		names[p.Name] = true
		if p.Empty == "" && len(p.Series)+len(p.Spans) == 0 && p.Heat == nil {
			t.Errorf("%s has nothing, and says nothing", p.Name)
		}
		for _, s := range p.Series {
			for what, n := range map[string]int{"y": len(s.Y), "to": len(s.To), "low": len(s.Low),
				"high": len(s.High), "texts": len(s.Texts)} {
				if n != len(s.X) && (n != 0 || what == "y") {
					t.Errorf("%s, %s: %d of %s for %d of x", p.Name, s.Name, n, what, len(s.X))
				}
			}
			if len(s.X) == 0 || len(s.Low) != len(s.High) {
				t.Errorf("%s, %s: %d points, %d low and %d high", p.Name, s.Name, len(s.X), len(s.Low), len(s.High))
			}
		}
		for _, s := range p.Spans {
			if s.Row == "" || !(s.From <= s.To) || math.IsInf(s.To, 0) {
				t.Errorf("%s: the span %+v", p.Name, s)
			}
		}
	}
	if _, err := json.Marshal(all); err != nil {
		t.Error(err)
	}
}

// GoldenPanels compares panels as the page gets them with a file under testdata, or writes it: a line for each part.
func GoldenPanels(t *testing.T, name string, all []graph.Panel, update bool) {
	t.Helper()
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	// The points of a line stand on a line.
	text = regexp.MustCompile(`(\d|null),\n\s+(-?\d|null)`).ReplaceAll(text, []byte("$1,$2"))
	text = regexp.MustCompile(`(\d|null),\n\s+(-?\d|null)`).ReplaceAll(text, []byte("$1,$2"))
	Golden(t, name, append(text, '\n'), update)
}
