package course

import (
	"fmt"
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

// The panel of causes has each that was counted, up to eight, and what is left over as the others.
func TestCausesOverTime(t *testing.T) {
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
func TestTimeBreakdownPanel(t *testing.T) {
	s := Source{Run: &rundoc.Run{Ledger: rundoc.Ledger{Clients: 4, WindowNS: 1000, States: map[string]int64{
		rundoc.StateAwaiting: 2000, rundoc.StatePreparing: 1, rundoc.StateSending: 999, rundoc.StateReconnecting: 1000, rundoc.StateIdle: 0}}}}
	p, some := s.ledger()
	want := []graph.Span{
		{Row: rundoc.StatePreparing, Role: graph.Own, To: 0.00025, Text: "0.03%"},
		{Row: rundoc.StateSending, Role: graph.OK, To: 0.24975, Text: "25.0%"},
		{Row: rundoc.StateAwaiting, Role: graph.OK, To: 0.5, Text: "50.0%"},
		{Row: rundoc.StateReconnecting, Role: graph.Failed, To: 0.25, Text: "25.0%"},
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
func TestGeneratorGapsAreMarked(t *testing.T) {
	s := over(4, rundoc.Point{OK: 1})
	s.Run.Generator.Hiccups = &rundoc.Hiccups{Longest: []rundoc.Gap{
		{AtNS: 1e9, NS: 50 * ms}, {AtNS: 2e9, NS: 50*ms - 1}, {AtNS: -1e9, NS: 1e9}, {AtNS: -1e9, NS: 1.5e9}, {AtNS: 3.75e9, NS: 1e9}, {AtNS: 4e9, NS: 1e9}}}
	want := []graph.Band{{From: 1, To: 1.05}, {From: 0, To: 0.5}, {From: 3.75, To: 4}}
	if diff := cmp.Diff(want, Gaps(s), cmpopts.IgnoreFields(graph.Band{}, "Name", "Role"), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
}

// A window that ended before its time has a line there, from bottom to top.
func TestEndOfTheRunIsMarked(t *testing.T) {
	s := over(2, rundoc.Point{OK: 1})
	s.Run.Interrupted = true
	want := []graph.Rule{{Role: graph.Failed, At: 2, Vertical: true, Name: "interrupted"}}
	if diff := cmp.Diff(want, named(t, Panels(s), Throughput).Rules); diff != "" {
		t.Error(diff)
	}
}
