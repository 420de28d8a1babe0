package show_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/updates/show"
)

func TestPanels(t *testing.T) {
	for _, f := range updatesFixtures {
		t.Run(f.Name, func(t *testing.T) {
			run := reporttest.Document(t, f.Name)
			reporttest.SoundPanels(t, reporttest.Panels(t, run, show.Kind()))
			reporttest.GoldenPanels(t, f.Name+".panels.json", reporttest.OwnPanels(t, run, show.Kind()), *update)
		})
	}
}

// Each second of the server is a step, as high as it says, and each of its percentiles a point.
func TestAppliedIsTheServersSeconds(t *testing.T) {
	run := reporttest.Document(t, "updates")
	all := reporttest.Panels(t, run, show.Kind())
	var x, applied, p50 graph.Values
	for _, s := range run.Updates().Series {
		x, applied = append(x, float64(s.Second)), append(applied, float64(s.Applied))
		p50 = append(p50, float64(s.E2EP50NS))
	}
	got := reporttest.Panel(t, all, "applied").Series[0]
	if diff := cmp.Diff([]graph.Values{x, applied}, []graph.Values{got.X, got.Y}); diff != "" || len(x) == 0 {
		t.Error(diff)
	}
	for _, s := range reporttest.Panel(t, all, "end-to-end").Series {
		if s.Role == graph.P50 {
			if diff := cmp.Diff(p50, s.Y); diff != "" {
				t.Error(diff)
			}
			return
		}
	}
	t.Error("no p50")
}
