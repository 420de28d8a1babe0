package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/internal/workload/overhead"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The exit status is what a release is held on.
func TestOverheadOutcome(t *testing.T) {
	told := func(o stats.Outcome) *report.OverheadComparison {
		return &report.OverheadComparison{Rows: []report.ComparedRow{{Service: "S3", Operation: "HeadObject", Outcome: o}}}
	}
	failed := &overhead.Failure{Operation: "HeadObject", Cause: "refused", Err: os.ErrClosed}
	for _, test := range []struct {
		name   string
		change func(*overheadRun, *rundoc.Run)
		want   fault.Code
	}{
		{"well", func(*overheadRun, *rundoc.Run) {}, fault.OK},
		{"interrupted", func(_ *overheadRun, d *rundoc.Run) { d.Interrupted = true }, fault.Interrupted},
		{"set-up failed", func(r *overheadRun, _ *rundoc.Run) { r.result.Failure = failed }, fault.RunFailed},
		{"calls failed", func(r *overheadRun, _ *rundoc.Run) { r.result.Failed = failed }, fault.RunFailed},
		{"the command failed", func(r *overheadRun, _ *rundoc.Run) { r.ended = ending{status: 3}.fault() }, fault.RunFailed},
		{"invalid", func(_ *overheadRun, d *rundoc.Run) { d.Verdict.Validity = rundoc.Invalid }, fault.Untrusted},
		{"nothing was measured", func(_ *overheadRun, d *rundoc.Run) {
			d.Detail = rundoc.DecodeDetail(rundoc.WorkloadOverhead, []byte(`{"mode":"sdk","rows":[{"operation":"HeadObject"}]}`))
		}, fault.RunFailed},
		{"a call was measured", func(_ *overheadRun, d *rundoc.Run) {
			d.Detail = rundoc.DecodeDetail(rundoc.WorkloadOverhead, []byte(`{"mode":"exec","rows":[{"operation":"HeadObject","sdk_time":{"n":1}}]}`))
		}, fault.OK},
		{"worse", func(r *overheadRun, _ *rundoc.Run) { r.comparison = told(stats.Worse) }, fault.Missed},
		{"better", func(r *overheadRun, _ *rundoc.Run) { r.comparison = told(stats.Better) }, fault.OK},
		{"cannot tell", func(r *overheadRun, _ *rundoc.Run) { r.comparison = told(stats.CannotTell) }, fault.OK},
		{"nothing in common", func(r *overheadRun, _ *rundoc.Run) { r.comparison = told(report.OnlyNow) }, fault.Untrusted},
		{"unlike", func(r *overheadRun, _ *rundoc.Run) {
			r.comparison = told(stats.CannotTell)
			r.comparison.Unlike = []string{"mode"}
		}, fault.Untrusted},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, doc := &overheadRun{o: &overheadOptions{}}, &rundoc.Run{}
			test.change(r, doc)
			if got := fault.CodeOf(r.outcome(doc)); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

// A run that is worse than its baseline must not become it.
func TestBaselineIsNotReplaced(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "b.json")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if !sameFile(path, path) || !sameFile(path, link) || sameFile(path, filepath.Join(dir, "c.json")) || sameFile("", "") {
		t.Error("which file is which")
	}
}

// What was counted is in the document.
func TestOverheadRow(t *testing.T) {
	got := overheadRow(&overhead.Row{
		Service: "S3", Operation: "HeadObject", Failed: 3, Unseen: 4, Resent: 5, Connections: 6, Allocations: 7, AllocatedBytes: 8,
		Overhead: &overhead.Series{N: 2, Min: 1, Max: 3, Sum: 4, Values: []int64{3, 1}}, SDKTime: &overhead.Series{},
	})
	want := &rundoc.OverheadRow{
		Service: "S3", Operation: "HeadObject", Failed: 3, Unseen: 4, Resent: 5, Connections: 6, AllocationsPerCall: 7, BytesPerCall: 8,
		Overhead: rundoc.Sample{N: 2, MinNS: 1, AvgNS: 2, MedNS: 2, P90NS: 2.8, P99NS: 2.98, MaxNS: 3, Values: []int64{3, 1}},
		SDKTime:  rundoc.Sample{Values: []int64{}},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Error(diff)
	}
}

// What a server sends does not command the terminal.
func TestOneLine(t *testing.T) {
	got := oneLine("a\nb\x1b[31mred\x1b]0;owned\x07 \u202e\u009b é\t…")
	if strings.ContainsAny(got, "\x1b\x07\u202e\u009b\n") || !strings.HasSuffix(got, "é\t…") {
		t.Errorf("%q", got)
	}
}

// Who agrees to calls of AWS knows how many there will be.
func TestConsequences(t *testing.T) {
	p := plan.DefaultOverhead()
	p.Operations, p.Profile = []string{"STS/GetCallerIdentity"}, "dev"
	if got := consequences(&p); !strings.Contains(got, "each operation is called for 15s, for 5s before that to warm it up, and up to 100 times to count allocations") {
		t.Error(got)
	}
	p.Calls = 1000
	if got := consequences(&p); !strings.Contains(got, "is called 1000 times, for 5s before that") {
		t.Error(got)
	}
}
