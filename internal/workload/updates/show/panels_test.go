package show_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/updates/show"
	"github.com/plimsoll/plimsoll/rundoc"
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

// The stages of the way follow each other at their medians, and end at their p99.
func TestTheWayIsAWaterfall(t *testing.T) {
	run := reporttest.Document(t, "updates")
	d := run.Updates()
	ends := map[string]float64{}
	rows := map[string][]graph.Span{}
	for _, s := range reporttest.Panel(t, reporttest.Panels(t, run, show.Kind()), "way").Spans {
		rows[s.Row] = append(rows[s.Row], s)
		if s.Part == "median" {
			ends[s.Row] = s.To
		}
	}
	for _, s := range []struct{ row, stage, from string }{
		{"publish", rundoc.StagePublish, "waiting to be sent"},
		{"transit", rundoc.StageTransit, "waiting to be sent"},
		{"waiting in the server", rundoc.StageQueued, "transit"},
		{"decode and apply", rundoc.StageApply, "waiting in the server"},
		{"from the schedule on", rundoc.StageE2EScheduled, ""},
	} {
		of, spans := &d.Stage(s.stage).Summary, rows[s.row]
		if len(spans) != 2 {
			t.Errorf("%s: %+v", s.row, spans)
			continue
		}
		from := ends[s.from]
		if spans[0].From != from || spans[0].To != from+float64(*of.P50NS) || spans[1].From != spans[0].To ||
			spans[1].To != from+float64(*of.P99NS) {
			t.Errorf("%s begins at %v: %+v of %v and %v", s.row, from, spans, *of.P50NS, *of.P99NS)
		}
	}
}

// What never arrived has ranks and no time: a quantile among them has no point, and the others are those of the
// document, over all that was due.
func TestVisibilityIsOverAllThatWasDue(t *testing.T) {
	run := reporttest.Document(t, "updates-lost")
	due := run.Updates().Due
	at := map[float64]float64{}
	line := reporttest.Panel(t, reporttest.Panels(t, run, show.Kind()), "visibility").Series[0]
	for i, q := range line.X {
		at[q] = line.Y[i]
	}
	if got := at[0.5]; got != float64(*due.P50NS) {
		t.Errorf("p50 %v of %v", got, *due.P50NS)
	}
	if y, there := at[0.9]; due.P90NS != nil || there {
		t.Errorf("a tenth never arrived, and p90 is %v", y)
	}
	for _, y := range line.Y {
		if math.IsNaN(y) {
			t.Error("there is a longest time behind the gap, and some batches never arrived")
		}
	}
}

// Each trial of a search is a point.
func TestEachTrialIsAPoint(t *testing.T) {
	run := reporttest.Document(t, "updates-max")
	for _, name := range []string{"search", "search-applied"} {
		n := 0
		for _, s := range reporttest.Panel(t, reporttest.Panels(t, run, show.Kind()), name).Series {
			n += len(s.X)
		}
		if n != len(run.Updates().Search) {
			t.Errorf("%s: %d points of %d trials", name, n, len(run.Updates().Search))
		}
	}
}

// A window that ends within a second: the server's second is a whole one, and shown so; that of the reads is not, and a
// rate. Where the server has nothing for a while, no line goes across.
func TestTheEndOfTheWindowAndGaps(t *testing.T) {
	run := reporttest.Document(t, "updates-read")
	run.Ledger.WindowNS = 4_400_000_000
	d := run.Updates()
	d.Reads.Series[4].OK = 40
	d.Series = slices.Delete(d.Series, 1, 3)
	all := reporttest.Panels(t, run, show.Kind())
	for _, name := range []string{"applied", "end-to-end"} {
		p := reporttest.Panel(t, all, name)
		if end := p.Rules[len(p.Rules)-1]; p.X.To != 5 || end.At != 4.4 || !end.Vertical {
			t.Errorf("%s ends at %v: %+v", name, p.X.To, end)
		}
	}
	line := reporttest.Panel(t, all, "end-to-end").Series[0]
	if diff := cmp.Diff(graph.Values{0.5, 2.5, 3.5, 4.5}, line.X); diff != "" || !math.IsNaN(line.Y[1]) {
		t.Errorf("%s: %v", diff, line.Y)
	}
	reads := reporttest.Panel(t, all, "reads").Series[0]
	if got := reads.Y[4]; math.Abs(got-100) > 1e-6 || math.Abs(reads.To[4]-4.4) > 1e-9 {
		t.Errorf("40 reads in 0.4 s are %v/s until %v", got, reads.To[4])
	}
}
