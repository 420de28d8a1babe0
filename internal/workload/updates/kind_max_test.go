package updates

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/internal/workload/updates/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// A rate is sustained when all was published, the proof is complete, and what was due is applied as it comes.
func TestSustained(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*rundoc.Operation, *rundoc.UpdatesDetail)
		want string // the goal that is missed
	}{
		{"good", func(*rundoc.Operation, *rundoc.UpdatesDetail) {}, ""},
		{"failed", func(o *rundoc.Operation, _ *rundoc.UpdatesDetail) { o.OK, o.Failed = 299, 1 }, "failed<=0"},
		{"unsent", func(o *rundoc.Operation, _ *rundoc.UpdatesDetail) { o.OK, o.Unsent = 298, 2 }, "failed<=0"},
		{"unfinished", func(o *rundoc.Operation, _ *rundoc.UpdatesDetail) { o.OK, o.Unfinished = 298, 2 }, "failed<=0"},
		{"lost", func(_ *rundoc.Operation, d *rundoc.UpdatesDetail) { d.Proof.Complete, d.Proof.Lost = false, 3 }, "incomplete<=0"},
		{"backlog", func(_ *rundoc.Operation, d *rundoc.UpdatesDetail) { d.BacklogNS = 31e6 }, "backlog<=30ms"},
		{"backlog that is small", func(_ *rundoc.Operation, d *rundoc.UpdatesDetail) { d.BacklogNS = 29e6 }, ""},
		{"slow", func(_ *rundoc.Operation, d *rundoc.UpdatesDetail) { d.Due.InTime, d.Due.Late = 296, 4 }, "in_time>=99%"},
		{"hardly slow", func(_ *rundoc.Operation, d *rundoc.UpdatesDetail) { d.Due.InTime, d.Due.Late = 297, 3 }, ""},
	} {
		op := rundoc.Operation{Name: "publish", Scheduled: 300, OK: 300}
		d := rundoc.UpdatesDetail{
			AppliedPerS: 100_000, Due: &rundoc.DueBatches{Batches: 300, InTime: 300},
			Proof:  &rundoc.Proof{Complete: true, Published: 300, Received: 300, Updates: 300_000, Applied: 300_000},
			Stages: []rundoc.NamedStage{{Name: rundoc.StageApply, UpdateStage: rundoc.UpdateStage{Summary: rundoc.Summary{Count: 300}}}},
		}
		c.edit(&op, &d)
		run := &rundoc.Run{Workload: rundoc.WorkloadUpdates, Operations: []rundoc.Operation{op}, Detail: &d,
			Ledger: rundoc.Ledger{WindowNS: 3e9}}
		var missed []string
		for _, text := range sustained(3 * time.Second) {
			goal, err := threshold.Parse(text, show.Kind().Known(rundoc.WorkloadUpdates))
			if err != nil {
				t.Fatal(err)
			}
			if judged := goal.Judge(run); !judged.Met {
				missed = append(missed, judged.Expr)
			}
		}
		if strings.Join(missed, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, missed, c.want)
		}
	}
	if slo := sustained(time.Minute); !slices.Contains(slo, "backlog<=250ms") {
		t.Errorf("of a minute: %q", slo)
	}
}

// --max asks for a search from --rate on, by probes of --duration, which --threshold is part of.
func TestMaxSearchSettings(t *testing.T) {
	resolved := func(given ...string) *Command {
		c := &Command{Plan: DefaultPlan()}
		settings := c.Settings()
		for i := 0; i < len(given); i += 2 {
			if err := settings.Lookup(given[i]).Set(given[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Resolve(nil, func(name string) bool { return slices.Contains(given, name) }); err != nil {
			t.Fatal(err)
		}
		return c
	}
	if s := resolved().Search(); s != nil {
		t.Errorf("of a run: %+v", s)
	}
	s := resolved("max", "true").Search()
	if s.Start != 45 || s.Lowest != 2 || s.Length != 5*time.Second || len(s.SLO) != 4 || s.Presets[0].Value != "250ms" {
		t.Errorf("%+v", s)
	}
	if s.MaxTime != 0 || s.Within != 0 {
		t.Errorf("bounds that were not given: %+v", s)
	}
	s = resolved("max", "true", "max-time", "1m", "within", "20%", "deadline", "2s").Search()
	if s.MaxTime != time.Minute || s.Within != 0.2 || !slices.Contains(s.Own, "max-time") || !slices.Contains(s.Own, "within") {
		t.Errorf("%+v", s)
	}
	s = resolved("max", "true", "rate", "1", "duration", "500ms", "threshold", "visibility.p50<1s").Search()
	if s.Start != 1 || s.Lowest != 1 || s.Length != 500*time.Millisecond || s.SLO[4] != "visibility.p50<1s" || s.SLO[3] != "backlog<=5ms" {
		t.Errorf("%+v", s)
	}
}
