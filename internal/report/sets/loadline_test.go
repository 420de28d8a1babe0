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
		{setdoc.Loadline{Ending: setdoc.LineBelow, Lowest: 10, Why: "all failed"}, nil, "Result | No load from 10.0 req/s up meets the SLO | all failed", report.Bad},
		{setdoc.Loadline{Ending: setdoc.LineAbove, Highest: 1000}, nil, "Result | All loads up to 1,000 req/s meet the SLO", report.Plain},
		{setdoc.Loadline{Ending: "stopped", Probes: []setdoc.Probe{met, more}}, nil, "Result | No result; the highest load that met the SLO was 700 req/s", report.Doubtful},
		{setdoc.Loadline{Ending: "stopped", Probes: []setdoc.Probe{met, more}}, []setdoc.Member{invalid}, "Result | No result; the highest load that met the SLO was 500 req/s", report.Doubtful},
		{setdoc.Loadline{Ending: "stopped", Probes: []setdoc.Probe{more}}, []setdoc.Member{invalid}, "Result | No result", report.Doubtful},
		{setdoc.Loadline{Ending: "stopped", Load: new(600.0)}, nil, "Result | The highest load that meets the SLO is 600 req/s, less precise than requested", report.Doubtful},
		{setdoc.Loadline{Ending: setdoc.LineFound, Load: new(600.0), Range: []float64{550, 650}}, nil, "Result | The highest load that meets the SLO is 600 req/s (98% CI 550–650)", report.Plain},
		{setdoc.Loadline{Ending: "stopped", Load: new(600.0), Range: []float64{550, 650}}, nil, "Result | The highest load that meets the SLO is 600 req/s (98% CI 550–650), less precise than requested",
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
			"Probes | 4: 1 met the SLO (1 of them INVALID), 2 failed, 1 inconclusive",
			"SLO | p99<50ms, failed<1%, in probes of 2.00 s | Longer probes may give a lower result: they see more pauses, and queues have more time to grow.",
			"Limited by | p99<50ms in 2 of 2 failed probes | a growing queue in 1 of 2 failed probes | " +
				"operations not sent because all clients were busy in 1 of 2 failed probes | all are busy",
			"Runs | 1 of 2 runs ended with an error"},
		{setdoc.Loadline{SLO: []setdoc.Goal{goal}, Load: new(700.0), Probes: []setdoc.Probe{met, failed}, Limits: []setdoc.Limit{{By: "x", Probes: 1}}}, []setdoc.Member{{}},
			"2 probes · 1.00 s to 2.00 s · 2026-11-28 09:00 UTC", "Probes | 2: 1 met the SLO, 1 failed",
			"SLO | p99<50ms, in probes of 1.00 s | Longer probes may give a lower result: they see more pauses, and queues have more time to grow.",
			"Limited by | x in 1 of 1 failed probe", " | "},
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
		{rundoc.Verdict{Validity: rundoc.Valid, Reasons: []string{"x"}}, nil, "Verdict | VALID: only a few of the probes that met the SLO have problems | x"},
		{rundoc.Verdict{Validity: rundoc.Valid}, []string{"x"}, "Verdict | EDITED: the document was changed after the run; do not use it | x"},
		{rundoc.Verdict{Validity: rundoc.Suspect}, nil, "Verdict | SUSPECT: use these results with care"},
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
