package show

import (
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The figures are what the report shows, and say why where there is none.
func TestMetricsOfUpdates(t *testing.T) {
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

// A batch that no read found is later than every time, and so is one that was never published.
func TestMetricsOfReads(t *testing.T) {
	h := hdrhistogram.New(1, 1<<30, 3)
	exact := rundoc.Exact{Min: 1, Max: 1800}
	for v := range int64(1800) {
		_ = h.RecordValue(v + 1)
		exact.Sum += v + 1
	}
	times := rundoc.Summarize(h, exact)
	d := &rundoc.UpdatesDetail{Due: &rundoc.DueBatches{Batches: 2000}, Reads: &rundoc.UpdateReads{
		Operation: rundoc.Operation{Scheduled: 2000, OK: 1800, Failed: 150, Unsent: 50, ResponseTime: times},
		Batches:   &rundoc.ReadBatches{Batches: 1900, Seen: 1800, Times: rundoc.UpdateStage{Summary: times}},
	}}
	run := &rundoc.Run{Workload: rundoc.WorkloadUpdates, Detail: d}
	known := Kind().Known(rundoc.WorkloadUpdates)
	of := func(name string) figure.Value {
		spec, err := figure.Parse(name, known)
		if err != nil {
			t.Fatal(err)
		}
		return spec.Of(run)
	}
	for name, want := range map[string]float64{
		"read.p50": 900, "read.max": 1800, "read_failed": .075, "read_unsent": .025, "read_visibility.p50": 1000,
		"read_visibility.p90": 1800,
	} {
		if v := of(name); v.Why != "" || v.Raw != want {
			t.Errorf("%s is %v %q, not %v", name, v.Raw, v.Why, want)
		}
	}
	if v := of("read_visibility.p99"); !strings.Contains(v.Why, "no read found 200 of 2,000 scheduled batches") {
		t.Errorf("%v %q", v.Raw, v.Why)
	}
	d.Reads.Batches = nil
	if v := of("read_visibility.p50"); v.Why == "" {
		t.Error("hot keys have a visibility")
	}
	d.Reads = nil
	if of("read.p50").Why == "" || of("read_failed").Why == "" {
		t.Error("there are figures of reads that were not made")
	}
}

// What did not arrive is later than every time, and of the places of what was due each has its share.
func TestMetricsOfDueBatches(t *testing.T) {
	h := hdrhistogram.New(1, 1<<30, 3)
	exact := rundoc.Exact{Min: 1, Max: 1800}
	for v := range int64(1800) {
		_ = h.RecordValue(v + 1)
		exact.Sum += v + 1
	}
	stage := rundoc.UpdateStage{Summary: rundoc.Summarize(h, exact)}
	due, err := rundoc.NewDueBatches(2000, 1500, &stage, rundoc.Fates{Received: 1800, Lost: 60, NeverPublished: 40})
	if err != nil {
		t.Fatal(err)
	}
	d := &rundoc.UpdatesDetail{Proof: &rundoc.Proof{Lost: 60}, Due: due, Stages: []rundoc.NamedStage{
		{Name: rundoc.StageApply, UpdateStage: stage}, {Name: rundoc.StageE2EScheduled, UpdateStage: stage},
	}}
	run := &rundoc.Run{Workload: rundoc.WorkloadUpdates, Detail: d}
	known := Kind().Known(rundoc.WorkloadUpdates)
	for name, want := range map[string]float64{
		"in_time": .75, "late": .15, "never_published": .07, "not_applied": .1, "lost": 60,
		"visibility.p50": 1000, "visibility.p90": 1800, "visibility.p80": 1600, "visibility.min": 1, "apply.p50": 900,
		"apply.max": 1800,
	} {
		spec, err := figure.Parse(name, known)
		if err != nil {
			t.Fatal(err)
		}
		if v := spec.Of(run); v.Why != "" || v.Raw != want {
			t.Errorf("%s is %v %q, not %v", name, v.Raw, v.Why, want)
		}
	}
	for _, name := range []string{"visibility.p95", "visibility.p99", "visibility.max", "visibility.mean"} {
		spec, err := figure.Parse(name, known)
		if err != nil {
			t.Fatal(err)
		}
		if v := spec.Of(run); !strings.Contains(v.Why, "200 of 2,000 scheduled batches did not arrive") {
			t.Errorf("%s is %v %q", name, v.Raw, v.Why)
		}
	}
	if spec, _ := figure.Parse("visibility.p99.9", known); !strings.Contains(spec.Of(run).Why, "did not arrive") {
		t.Errorf("%+v", spec.Of(run))
	}
	d.Proof = nil
	if spec, _ := figure.Parse("in_time", known); spec.Of(run).Why == "" {
		t.Error("nobody was asked, and it is known what was in time")
	}
}
