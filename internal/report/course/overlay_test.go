package course

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/rundoc"
)

// What no run has anything for is left out, and what one run has is there.
func TestOverlayOfOne(t *testing.T) {
	s := over(2, rundoc.Point{OK: 5}, rundoc.Point{OK: 7})
	if diff := cmp.Diff([]string{"throughput: 1 · a/1/edge"}, shapes(Overlay([]Named{{"1 · a", s}}))); diff != "" {
		t.Error(diff)
	}
	s.Run.Series[1].InFlight = new(0.0) // nothing but 0 is nothing to show of all runs
	if diff := cmp.Diff([]string{"throughput: 1 · a/1/edge"}, shapes(Overlay([]Named{{"1 · a", s}}))); diff != "" {
		t.Error(diff)
	}
	s.Mixed = true
	if all := Overlay([]Named{{"1 · a", s}}); all != nil {
		t.Errorf("no bytes, times or own delay: %v", shapes(all))
	}
	s.Run.Series[0].Bytes, s.Run.Series[1].OwnP99NS = 9, 300
	s.Run.Operations = []rundoc.Operation{{Name: "none"}, {Name: "get", ResponseTime: timesOf(upTo(20)...)}}
	all := Overlay([]Named{{"1 · a", s}})
	want := []string{"bytes: 1 · a/1/edge", "distribution-2: 1 · a/1/", "own-delay: 1 · a/1/"}
	if diff := cmp.Diff(want, shapes(all)); diff != "" {
		t.Error(diff)
	}
	if all[0].Title != "Payload of ok requests per second" || all[1].Title != "Response time distribution of get" {
		t.Errorf("%q, %q", all[0].Title, all[1].Title)
	}
}

// The times in which a generator did not run have the colour of its run.
func TestOverlayOfGaps(t *testing.T) {
	s := over(2, rundoc.Point{OwnP99NS: 200})
	s.Run.Generator.Hiccups = &rundoc.Hiccups{Longest: []rundoc.Gap{{AtNS: 1e9, NS: 1e8}}}
	p := named(t, Overlay([]Named{{"1 · a", s}, {"2 · b", s}}), OwnDelay)
	want := []graph.Band{
		{Role: "1", From: 1, To: 1.1, Name: "1 · a: generator paused"},
		{Role: "2", From: 1, To: 1.1, Name: "2 · b: generator paused"},
	}
	if diff := cmp.Diff(want, p.Bands); diff != "" {
		t.Error(diff)
	}
}
