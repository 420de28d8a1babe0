package loadline_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/loadline"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// TestRereadMember: what a set says of a probe is what the document of its run says, figure by figure.
func TestRereadMember(t *testing.T) {
	again := func(change func(*setdoc.Set, *rundoc.Run)) []string {
		run := open(func(r *rundoc.Run) { r.Operations[0].RatePerS, r.Little.Slots, r.Little.InFlightSampled = 400, 20, 5 })
		run.Verdict.Validity = rundoc.Valid
		slo := []setdoc.Goal{{Expr: "p99<5ms"}}
		p := loadline.ProbeOf(run, goals(t, "p99<5ms"), 1000)
		set := &setdoc.Set{Loadline: &setdoc.Loadline{Rules: loadline.Rules, SLO: slo, Probes: []setdoc.Probe{{Member: "other"}, p}}}
		m := setdoc.Member{ID: "run", Path: "members/run", Verdict: rundoc.Verdict{Validity: rundoc.Valid}}
		set.Members = []setdoc.Member{m}
		change(set, run)
		return loadline.RereadMember(set, &set.Members[0], run, figure.Known{})
	}
	probe := func(change func(*setdoc.Probe)) func(*setdoc.Set, *rundoc.Run) {
		return func(s *setdoc.Set, _ *rundoc.Run) { change(&s.Loadline.Probes[1]) }
	}
	const wrong = "probe 2 does not match the document of its run, run"
	for name, tt := range map[string]struct {
		change func(*setdoc.Set, *rundoc.Run)
		want   string
	}{
		"nothing":      {func(*setdoc.Set, *rundoc.Run) {}, ""},
		"another run":  {func(_ *setdoc.Set, r *rundoc.Run) { r.ID = "x" }, `members/run is the document of another run, "x"`},
		"verdict":      {func(s *setdoc.Set, _ *rundoc.Run) { s.Members[0].Verdict.Validity = "suspect" }, "run is valid in its own document, but suspect in the set"},
		"result":       {probe(func(p *setdoc.Probe) { p.Result = setdoc.ProbeMet }), wrong},
		"generator":    {probe(func(p *setdoc.Probe) { p.Own = true }), wrong},
		"missed":       {probe(func(p *setdoc.Probe) { p.Missed = nil }), wrong},
		"value":        {probe(func(p *setdoc.Probe) { p.Values = []setdoc.Known{{Value: new(1.0)}} }), wrong},
		"rate":         {probe(func(p *setdoc.Probe) { p.Rate = new(401.0) }), wrong},
		"rate, a bit":  {probe(func(p *setdoc.Probe) { p.Rate = new(400.01) }), wrong},
		"last digits":  {probe(func(p *setdoc.Probe) { p.Rate = new(400.0001) }), ""},
		"slots":        {probe(func(p *setdoc.Probe) { p.SlotsUsed = nil }), wrong},
		"length":       {probe(func(p *setdoc.Probe) { p.LengthNS++ }), wrong},
		"why":          {probe(func(p *setdoc.Probe) { p.Why = "other words" }), ""},
		"other rules":  {func(s *setdoc.Set, _ *rundoc.Run) { s.Loadline.Rules++; s.Loadline.Probes[1].LengthNS++ }, ""},
		"other goals":  {func(s *setdoc.Set, _ *rundoc.Run) { s.Loadline.SLO[0].Expr = "x<1"; s.Loadline.Probes[1].LengthNS++ }, ""},
		"no such":      {func(s *setdoc.Set, _ *rundoc.Run) { s.Loadline.Probes[1].Member = "gone" }, ""},
		"in the first": {func(s *setdoc.Set, _ *rundoc.Run) { s.Loadline.Probes[0].Member = "run" }, strings.Replace(wrong, "2", "1", 1)},
	} {
		if got := strings.Join(again(tt.change), "; "); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	if _, err := loadline.Goals([]setdoc.Goal{{Expr: "p99<1ms"}, {Expr: "x<1"}}, figure.Known{}); err == nil || !strings.HasPrefix(err.Error(), `"x<1": `) {
		t.Errorf("%v", err)
	}
}
