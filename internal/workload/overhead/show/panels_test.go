package show_test

import (
	"math"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

func TestPanels(t *testing.T) {
	for _, f := range overheadFixtures {
		t.Run(f.Name, func(t *testing.T) {
			run := reporttest.Document(t, f.Name)
			reporttest.SoundPanels(t, reporttest.Panels(t, run, show.Kind()))
			reporttest.GoldenPanels(t, f.Name+".panels.json", reporttest.OwnPanels(t, run, show.Kind()), *update)
		})
	}
}

// rows are the spans of a panel, by row.
func rows(p graph.Panel) map[string][]graph.Span {
	all := map[string][]graph.Span{}
	for _, s := range p.Spans {
		all[s.Row] = append(all[s.Row], s)
	}
	return all
}

// The stages of a call follow each other, and end where the mean call does.
func TestStagesEndWhereTheCallEnds(t *testing.T) {
	for _, name := range []string{"overhead", "overhead-compared"} {
		run := reporttest.Document(t, name)
		all := rows(reporttest.Panel(t, reporttest.Panels(t, run, show.Kind()), "call"))
		d := run.Overhead()
		for i := range d.Rows {
			r := &d.Rows[i]
			at := 0.0
			for _, s := range all[r.Name()] {
				if s.From != at || s.To-s.From <= 0 || math.Abs(s.To-s.From-r.Stages[s.Part]) > 1 {
					t.Errorf("%s, %s from %v to %v, behind %v", r.Name(), s.Part, s.From, s.To, at)
				}
				at = s.To
			}
			if r.StagedCalls > 0 && math.Abs(at-r.StagedCallNS) > 2 || at == 0 {
				t.Errorf("%s: the stages end at %v, and the call at %v", r.Name(), at, r.StagedCallNS)
			}
		}
	}
}

// A row of the client time goes from the least to the p99 that the table has.
func TestClientTimeIsTheTables(t *testing.T) {
	run := reporttest.Document(t, "overhead")
	all := rows(reporttest.Panel(t, reporttest.Panels(t, run, show.Kind()), "client-time"))
	d := run.Overhead()
	if len(d.Rows) == 0 {
		t.Fatal("no rows")
	}
	for i := range d.Rows {
		r := &d.Rows[i]
		spans := all[r.Name()]
		if len(spans) != 3 || spans[0].From != r.ClientTime.MinNS || spans[0].To != r.ClientTime.MedNS ||
			spans[1].To != r.ClientTime.P90NS && spans[2].To != r.ClientTime.P99NS {
			if rundoc.Supports(r.ClientTime.N, 990) {
				t.Errorf("%s: %+v of %+v", r.Name(), spans, r.ClientTime.P99NS)
			}
		}
	}
}
