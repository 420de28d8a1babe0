package show

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The figures are what the report shows, and say why where there is none.
func TestFiguresOfUpdates(t *testing.T) {
	times := rundoc.Summary{Count: 100, MinNS: 1e6, MeanNS: 2e6, P50NS: new(int64(1_500_000)), MaxNS: 9e6}
	d := &rundoc.UpdatesDetail{
		AppliedPerS: 1234.5, BacklogNS: 7e6, Proof: &rundoc.Proof{Lost: 3, Stale: 4},
		Stages: []rundoc.NamedStage{
			{Name: rundoc.StageApply, UpdateStage: rundoc.UpdateStage{Summary: times}},
			{Name: rundoc.StageE2EScheduled, UpdateStage: rundoc.UpdateStage{Summary: times}},
		},
	}
	run := &rundoc.Run{Workload: rundoc.WorkloadUpdates, Detail: d}
	known := Kind().Known(rundoc.WorkloadUpdates)
	for name, want := range map[string]float64{
		"applied": 1234.5, "backlog": 7e6, "lost": 3, "stale": 4, "incomplete": 1, "visibility.p50": 15e5,
		"visibility.max": 9e6, "apply.mean": 2e6,
	} {
		spec, err := figure.Parse(name, known)
		if err != nil {
			t.Fatal(err)
		}
		if v := spec.Of(run); v.Why != "" || v.Raw != want {
			t.Errorf("%s is %v %q, not %v", name, v.Raw, v.Why, want)
		}
	}
	d.Proof.Unknown = true
	if spec, _ := figure.Parse("lost", known); spec.Of(run).Why == "" {
		t.Error("what nobody knows is a figure")
	}
	for _, name := range headline() {
		if _, err := figure.Parse(name, known); err != nil {
			t.Error(err)
		}
	}
}
