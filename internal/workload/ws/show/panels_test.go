package show_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/ws/show"
)

func TestPanels(t *testing.T) {
	for _, f := range fixtures {
		t.Run(f.Name, func(t *testing.T) {
			run := reporttest.Document(t, f.Name)
			reporttest.SoundPanels(t, reporttest.Panels(t, run, show.Kind()))
			reporttest.GoldenPanels(t, f.Name+".panels.json", reporttest.OwnPanels(t, run, show.Kind()), *update)
		})
	}
}

// The lines of fan-out pass through the percentiles that the document has, and what was due is what was delivered, lost
// or away.
func TestFanoutIsTheDocuments(t *testing.T) {
	run := reporttest.Document(t, "fanout")
	f := run.WS().Fanout
	all := reporttest.Panels(t, run, show.Kind())
	lines := reporttest.Panel(t, all, "fan-out").Series
	for i, of := range f.Times() {
		at := map[float64]float64{}
		for j, q := range lines[i].X {
			at[q] = lines[i].Y[j]
		}
		if lines[i].Name != of.Name+" receiver" || at[0.5] != float64(*of.Summary.P50NS) || at[0.95] != float64(*of.Summary.P95NS) {
			t.Errorf("%s: %v and %v of %v and %v", lines[i].Name, at[0.5], at[0.95], *of.Summary.P50NS, *of.Summary.P95NS)
		}
	}
	spans := reporttest.Panel(t, all, "deliveries").Spans
	if end := spans[len(spans)-1].To; end != float64(f.Due) || spans[0].To != float64(f.Delivered) {
		t.Errorf("%+v of %d delivered and %d due", spans, f.Delivered, f.Due)
	}
}

// Each room that had messages is a point of each percentile.
func TestEachRoomIsAPoint(t *testing.T) {
	run := reporttest.Document(t, "talk")
	all := reporttest.Panels(t, run, show.Kind())
	for _, s := range reporttest.Panel(t, all, "rooms").Series {
		if len(s.X) != len(run.WS().ByRoom) {
			t.Errorf("%s: %d of %d rooms", s.Name, len(s.X), len(run.WS().ByRoom))
		}
	}
}
