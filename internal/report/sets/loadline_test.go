package sets

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/loadline"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// searched is a view of a search for a load line.
func searched(l setdoc.Loadline, members ...setdoc.Member) lineView {
	if l.Rules == 0 {
		l.Rules = loadline.Rules
	}
	l.Unit = "req/s"
	set := &setdoc.Set{Loadline: &l, Members: members, Started: time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)}
	return lineView{NewView(Source{Set: set}, report.Options{}), &l}
}

func TestLoadLineInWords(t *testing.T) {
	met := setdoc.Probe{Member: "m", Load: 500, Result: setdoc.ProbeMet}
	more := setdoc.Probe{Member: "n", Load: 700, Result: setdoc.ProbeMet}
	invalid := setdoc.Member{ID: "n", Verdict: rundoc.Verdict{Validity: rundoc.Invalid}}
	for i, tt := range []struct {
		l       setdoc.Loadline
		members []setdoc.Member
		want    string
		tone    report.Tone
	}{
		{setdoc.Loadline{Ending: setdoc.LineBelow, Lowest: 10, Why: "all failed"}, nil, "Load line | below 10.0 req/s | all failed", report.Bad},
		{setdoc.Loadline{Ending: setdoc.LineAbove, Highest: 1000}, nil, "Load line | above 1,000 req/s", report.Plain},
		{setdoc.Loadline{Ending: "stopped", Probes: []setdoc.Probe{met, more}}, nil, "Load line | not found; 700 req/s met the SLO", report.Doubtful},
		{setdoc.Loadline{Ending: "stopped", Probes: []setdoc.Probe{met, more}}, []setdoc.Member{invalid}, "Load line | not found; 500 req/s met the SLO", report.Doubtful},
		{setdoc.Loadline{Ending: "stopped", Probes: []setdoc.Probe{more}}, []setdoc.Member{invalid}, "Load line | not found", report.Doubtful},
		{setdoc.Loadline{Ending: "stopped", Load: new(600.0)}, nil, "Load line | 600 req/s", report.Doubtful},
		{setdoc.Loadline{Ending: setdoc.LineFound, Load: new(600.0), Range: []float64{550, 650}}, nil, "Load line | 600 req/s, 98% interval 550 to 650", report.Plain},
		{setdoc.Loadline{Ending: "stopped", Load: new(600.0), Range: []float64{550, 650}}, nil, "Load line | 600 req/s, 98% interval 550 to 650, less precise than asked",
			report.Doubtful},
	} {
		f := searched(tt.l, tt.members...).answer()
		if got := inLine(f); got != tt.want || f.Tone != tt.tone || !f.Strong {
			t.Errorf("%d: %q of tone %v, want %q of %v", i, got, f.Tone, tt.want, tt.tone)
		}
	}
}

func TestProbesInWords(t *testing.T) {
	probe := func(result string, load float64, ns int64) setdoc.Probe {
		return setdoc.Probe{Member: result, Result: result, Load: load, LengthNS: ns}
	}
	met, failed, nothing := probe(setdoc.ProbeMet, 500, 2e9), probe(setdoc.ProbeFailed, 800, 1e9), probe(setdoc.ProbeTellsNothing, 600, 0)
	invalid := setdoc.Member{ID: setdoc.ProbeMet, Verdict: rundoc.Verdict{Validity: rundoc.Invalid}, Exit: 4}
	goal := setdoc.Goal{Expr: "p99<50ms"}
	for i, tt := range []struct {
		l                               setdoc.Loadline
		members                         []setdoc.Member
		subtitle, counts, length, limit string
		made                            string
	}{
		{setdoc.Loadline{}, nil, "0 probes · 2026-11-28 09:00 UTC", "Probes | 0: 0 met the SLO, 0 failed", "SLO | ", "Limited by | ", " | "},
		{setdoc.Loadline{SLO: []setdoc.Goal{goal, {Expr: "failed<1%"}}, Load: new(550.0), Probes: []setdoc.Probe{met, failed, failed, nothing},
			Limits: []setdoc.Limit{{By: "p99<50ms", Probes: 2}, {By: setdoc.MissedQueue, Probes: 1}, {By: setdoc.MissedSending, Probes: 1}}, Processors: "all are busy"},
			[]setdoc.Member{invalid, {}}, "4 probes · 1.00 s to 2.00 s · 2026-11-28 09:00 UTC",
			"Probes | 4: 1 met the SLO (1 of them INVALID: do not use their figures), 2 failed, 1 told nothing",
			"SLO | p99<50ms, failed<1%, in a probe of 2.00 s | what a target bears depends on how long a probe lasts: one that is longer meets more pauses, and a queue has more time to grow",
			"Limited by | p99<50ms, in 2 of 2 probes that failed | a queue that grew, in 1 of 2 probes that failed | " +
				"operations that were due and never sent, since all clients were busy, in 1 of 2 probes that failed | all are busy",
			"Runs | 1 of 2 runs ended with an error"},
		{setdoc.Loadline{SLO: []setdoc.Goal{goal}, Load: new(700.0), Probes: []setdoc.Probe{met, failed}, Limits: []setdoc.Limit{{By: "x", Probes: 1}}}, []setdoc.Member{{}},
			"2 probes · 1.00 s to 2.00 s · 2026-11-28 09:00 UTC", "Probes | 2: 1 met the SLO, 1 failed",
			"SLO | p99<50ms, in a probe of 1.00 s | what a target bears depends on how long a probe lasts: one that is longer meets more pauses, and a queue has more time to grow",
			"Limited by | x, in 1 of 1 probe that failed", " | "},
		{setdoc.Loadline{SLO: []setdoc.Goal{goal}, Probes: []setdoc.Probe{met}}, nil, "1 probe · 2.00 s · 2026-11-28 09:00 UTC", "Probes | 1: 1 met the SLO, 0 failed",
			"SLO | p99<50ms", "Limited by | ", " | "},
	} {
		v := searched(tt.l, tt.members...)
		got := []string{v.Subtitle(), inLine(v.counts()), inLine(v.length()), inLine(v.limit()), inLine(v.made())}
		if diff := cmp.Diff([]string{tt.subtitle, tt.counts, tt.length, tt.limit, tt.made}, got); diff != "" {
			t.Errorf("%d: %s", i, diff)
		}
	}
	v := searched(setdoc.Loadline{Probes: []setdoc.Probe{met, failed}}, invalid)
	if got := v.probes(); got[0].result() != "met, INVALID" || got[1].result() != "failed" || got[0].at != 1 || got[1].at != 2 {
		t.Errorf("%+v", got)
	}
	for load, want := range map[float64]int64{600: 2e9, 660: 1e9, 10: 2e9, 9000: 1e9} { // by their ratio: √(500 × 800) is 632
		v := searched(setdoc.Loadline{Load: &load, Probes: []setdoc.Probe{nothing, met, failed}})
		if got := v.nearest(); got.LengthNS != want {
			t.Errorf("%v: %+v", load, got)
		}
	}
	titled := searched(setdoc.Loadline{Workload: "chat", SLO: []setdoc.Goal{goal}}, setdoc.Member{Target: "x"})
	if got := titled.title(); got != "Plimsoll loadline · chat · p99<50ms · x" {
		t.Error(got)
	}
	if got := searched(setdoc.Loadline{}).title(); got != "Plimsoll loadline" {
		t.Error(got)
	}
}

func TestVerdictOfALoadLine(t *testing.T) {
	for _, tt := range []struct {
		verdict rundoc.Verdict
		broken  []string
		want    string
	}{
		{rundoc.Verdict{Validity: rundoc.Valid}, nil, "Verdict | VALID: no problem detected in the probes that met the SLO"},
		{rundoc.Verdict{Validity: rundoc.Valid, Reasons: []string{"x"}}, nil, "Verdict | VALID: what was found is of few of the probes that met the SLO | x"},
		{rundoc.Verdict{Validity: rundoc.Valid}, []string{"x"}, "Verdict | EDITED: it does not follow from its own figures; do not use it | x"},
		{rundoc.Verdict{Validity: rundoc.Suspect}, nil, "Verdict | SUSPECT: believe these figures with care"},
	} {
		v := searched(setdoc.Loadline{})
		v.Set.Verdict, v.Broken = tt.verdict, tt.broken
		if got := inLine(v.verdict()); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	v := searched(setdoc.Loadline{Doubts: []string{"a"}})
	if got := inLine(v.doubts()); got != "Note |  | a" {
		t.Error(got)
	}
	if v.line.Rules--; len(v.doubts().Points) != 2 {
		t.Errorf("%+v", v.doubts())
	}
}
