package course

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/rundoc"
)

// over is a run whose points are those, each of a second, and whose window is so long.
func over(windowS float64, points ...rundoc.Point) Source {
	for i := range points {
		points[i].Second = int64(i)
	}
	return Source{Run: &rundoc.Run{Series: points}, WindowNS: int64(windowS * 1e9), Short: "req", Many: "requests", Open: true}
}

// All panels over time have the window as their axis.
func TestAxesOverTime(t *testing.T) {
	n := 0
	for _, p := range Panels(sourceOf(openRun())) {
		if p.X.Unit != graph.Seconds {
			continue
		}
		n++
		if p.X.From != 0 || p.X.To != 4.1 || p.X.Name == "" {
			t.Errorf("%s: %+v", p.Name, p.X)
		}
	}
	if n != 7 {
		t.Errorf("%d panels over time", n)
	}
	short := over(0, rundoc.Point{OK: 1})
	short.WindowNS = 1
	if w := short.window(); w != 1e-9 {
		t.Errorf("a window of 1 ns is %v s", w)
	}
	for ns, want := range map[int64]float64{-1: math.NaN(), 0: math.NaN(), 1: 1} {
		if diff := cmp.Diff(want, known(ns), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%d ns: %s", ns, diff)
		}
	}
}

// The end of a window has a rate of its own from a fifth of a second on; less is a part of the stretch before it.
func TestRateOfTheEnd(t *testing.T) {
	for _, tt := range []struct {
		window float64
		to, y  graph.Values
	}{
		{2, graph.Values{1, 2}, graph.Values{30, 12}},
		{1.5, graph.Values{1, 1.5}, graph.Values{30, 24}},
		{1.25, graph.Values{1, 1.25}, graph.Values{30, 48}},
		{1.1875, graph.Values{1.1875}, graph.Values{42 / 1.1875}},
		{1.125, graph.Values{1.125}, graph.Values{42 / 1.125}},
		{1, graph.Values{1}, graph.Values{42}}, // of a point behind the window
		{9, graph.Values{1, 2}, graph.Values{30, 12}},
	} {
		s := over(tt.window, rundoc.Point{OK: 30}, rundoc.Point{OK: 12})
		ok := named(t, Panels(s), Throughput).Series[0]
		if !slices.Equal(ok.To, tt.to) || !slices.Equal(ok.Y, tt.y) {
			t.Errorf("a window of %v s: %v up to %v, want %v up to %v", tt.window, ok.Y, ok.To, tt.y, tt.to)
		}
	}
	behind := over(1, rundoc.Point{OK: 30})
	behind.Run.Series[0].Second, behind.Run.Series[0].Seconds = 5, 2
	if ok := named(t, Panels(behind), Throughput).Series[0]; ok.X[0] != 5 || ok.To[0] != 7 || ok.Y[0] != 15 {
		t.Errorf("a document that makes no sense: %+v", ok)
	}
}

// What was offered is counted where the document has it.
func TestOfferedNow(t *testing.T) {
	s := over(3, rundoc.Point{OK: 1}, rundoc.Point{OK: 1, Offered: new(int64(7))}, rundoc.Point{OK: 1})
	series := named(t, Panels(s), Throughput).Series
	if want := (graph.Values{0, 7, 0}); len(series) != 2 || !slices.Equal(series[1].Y, want) {
		t.Errorf("%+v", series)
	}
}

// Failures are steps from a twentieth of the highest rate on, and below that dots in the middle of their stretches.
func TestFailedAreSteps(t *testing.T) {
	for failed, want := range map[int64]graph.Style{0: "", 1: graph.Dots, 49: graph.Dots, 50: graph.Steps, 60: graph.Steps, 2000: graph.Steps} {
		s := over(2.5, rundoc.Point{OK: 1000}, rundoc.Point{OK: 900, Failed: failed}, rundoc.Point{OK: 200, Failed: min(failed, 1) * 2})
		series := named(t, Panels(s), Throughput).Series[1:]
		if want == "" {
			if len(series) > 0 {
				t.Errorf("no failures: %+v", series)
			}
			continue
		}
		if series[0].Style != want || series[0].Role != graph.Failed {
			t.Errorf("%d failed: %+v", failed, series)
		}
		if x, y := (graph.Values{1.5, 2.25}), (graph.Values{float64(failed), 4}); want == graph.Dots &&
			(!slices.Equal(series[0].X, x) || !slices.Equal(series[0].Y, y)) {
			t.Errorf("%d failed: at %v and %v, want %v and %v", failed, series[0].X, series[0].Y, x, y)
		}
	}
}

// The panel of causes has each that was counted, up to eight, and what is left over as the others.
func TestCauses(t *testing.T) {
	for n, want := range map[int]int{1: 1, 7: 7, 8: 8, 9: 9, 20: 9} {
		s := over(1, rundoc.Point{Causes: []rundoc.Cause{{Cause: "never", Count: 0}}})
		whole := 0.0
		for i := range n {
			s.Run.Series[0].Causes = append(s.Run.Series[0].Causes, rundoc.Cause{Cause: fmt.Sprintf("cause %02d", i), Count: int64(1 + i)})
			whole += float64(1 + i)
		}
		series := named(t, Panels(s), Failures).Series
		sum := 0.0
		for i, one := range series {
			sum += area(one)
			if i < 8 && (one.Name != fmt.Sprintf("cause %02d", n-1-i) || one.Y[0] != float64(n-i) || one.Role != graph.Role(rune('1'+i))) {
				t.Errorf("%d causes: number %d is %+v", n, i, one)
			}
		}
		if len(series) != want || sum != whole || (n > 8) != (series[len(series)-1].Name == rundoc.OtherCauses) {
			t.Errorf("%d causes: %d of %v failures, want %d of %v", n, len(series), sum, want, whole)
		}
	}
}

// The spans of the ledger are the shares of the clients' time, in the document's order, none of them above the whole.
func TestLedger(t *testing.T) {
	s := Source{Run: &rundoc.Run{Ledger: rundoc.Ledger{Clients: 4, WindowNS: 1000, States: map[string]int64{
		rundoc.StateAwaiting: 2000, rundoc.StatePreparing: 1, rundoc.StateSending: 999, rundoc.StateReconnecting: 1000, rundoc.StateIdle: 0}}}}
	p, some := s.ledger()
	want := []graph.Span{
		{Row: rundoc.StatePreparing, Role: graph.Own, To: 0.00025, Text: "0.03 %"},
		{Row: rundoc.StateSending, Role: graph.OK, To: 0.24975, Text: "25.0 %"},
		{Row: rundoc.StateAwaiting, Role: graph.OK, To: 0.5, Text: "50.0 %"},
		{Row: rundoc.StateReconnecting, Role: graph.Failed, To: 0.25, Text: "25.0 %"},
	}
	if diff := cmp.Diff(want, p.Spans); !some || diff != "" {
		t.Error(diff)
	}
	if p.X.From != 0 || p.X.To != 1 {
		t.Errorf("the axis of all clients' time: %+v", p.X)
	}
	s.Run.Ledger.States = map[string]int64{rundoc.StateAwaiting: 3000, rundoc.StateSending: 9000}
	if p, _ := s.ledger(); p.Spans[0].To != 1 || p.Spans[1].To != 0.75 {
		t.Errorf("more than the whole: %+v", p.Spans)
	}
	s.Run.Ledger.States = map[string]int64{rundoc.StateAwaiting: 1}
	if _, some := s.ledger(); !some {
		t.Error("a client that only ever waited has no ledger")
	}
}

// A gap of the generator is marked from 50 ms on, as far as it is in the window.
func TestGaps(t *testing.T) {
	s := over(4, rundoc.Point{OK: 1})
	s.Run.Generator.Hiccups = &rundoc.Hiccups{Longest: []rundoc.Gap{
		{AtNS: 1e9, NS: 50 * ms}, {AtNS: 2e9, NS: 50*ms - 1}, {AtNS: -1e9, NS: 1e9}, {AtNS: -1e9, NS: 1.5e9}, {AtNS: 3.75e9, NS: 1e9}, {AtNS: 4e9, NS: 1e9}}}
	want := []graph.Band{{From: 1, To: 1.05}, {From: 0, To: 0.5}, {From: 3.75, To: 4}}
	if diff := cmp.Diff(want, Gaps(s), cmpopts.IgnoreFields(graph.Band{}, "Name", "Role"), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
}

// Where ten in a second ended ok, a second in which none did is a stall, unless it is known that nothing was to be done.
func TestStalls(t *testing.T) {
	none, some := new(int64(0)), new(int64(1))
	for _, tt := range []struct {
		ok   int64
		at   rundoc.Point
		want bool
	}{
		{20, rundoc.Point{}, true}, {19, rundoc.Point{}, false}, {20, rundoc.Point{OK: 1}, false},
		{20, rundoc.Point{Offered: none}, false}, {20, rundoc.Point{Offered: some}, true},
		{20, rundoc.Point{Offered: none, Failed: 1}, true}, {20, rundoc.Point{InFlight: new(0.0)}, true},
		{20, rundoc.Point{Offered: none, InFlight: new(0.0)}, false}, {20, rundoc.Point{Offered: none, InFlight: new(0.1)}, true},
		{20, rundoc.Point{Offered: some, InFlight: new(0.0)}, true},
	} {
		bands := named(t, Panels(over(2, rundoc.Point{OK: tt.ok}, tt.at)), Throughput).Bands
		if (len(bands) > 0) != tt.want || tt.want && (bands[0].From != 1 || bands[0].To != 2) {
			t.Errorf("%+v behind %d: %+v", tt.at, tt.ok, bands)
		}
	}
}

// A window that ended before its time has a line there, from bottom to top.
func TestEndIsMarked(t *testing.T) {
	s := over(2, rundoc.Point{OK: 1})
	s.Run.Interrupted = true
	want := []graph.Rule{{Role: graph.Failed, At: 2, Vertical: true, Name: "interrupted"}}
	if diff := cmp.Diff(want, named(t, Panels(s), Throughput).Rules); diff != "" {
		t.Error(diff)
	}
}

// What bounds the operations in flight is shown where it is not far above them.
func TestSlots(t *testing.T) {
	for slots, want := range map[int64]bool{0: false, 1: true, 50: true, 75: true, 76: false, 140: false} {
		s := over(2, rundoc.Point{InFlight: new(3.0)}, rundoc.Point{InFlight: new(50.0)})
		s.Run.Little.Slots = slots
		rules := named(t, Panels(s), InFlight).Rules
		if (len(rules) > 0) != want || want && rules[0].At != float64(slots) {
			t.Errorf("%d slots: %+v", slots, rules)
		}
	}
}

// Points of one second are called so, and what a generator did not run is in the middle of its second.
func TestWordsOfSeconds(t *testing.T) {
	s := over(2, rundoc.Point{OK: 1, P50NS: 1, P99NS: 9}, rundoc.Point{OK: 1, GapNS: 1})
	if p := named(t, Panels(s), ResponseTime); p.Title != "Response time, percentiles of every second" {
		t.Error(p.Title)
	}
	p := named(t, Panels(s), OwnDelay)
	if strings.Contains(p.Intro, "slowest") || len(p.Series) != 1 || p.Series[0].X[0] != 1.5 || p.Series[0].Y[0] != 1 {
		t.Errorf("%+v", p)
	}
}
