package overhead

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/runtest"
	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/services"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// What all kinds have in common, for the SDK and for a program of --exec.
func TestOutcomes(t *testing.T) {
	measured := &rundoc.OverheadDetail{Rows: []rundoc.OverheadRow{{Operation: "HeadObject", SDKTime: rundoc.Sample{N: 1}}}}
	runtest.Outcomes(t, measured, fault.OK, (&oneRun{c: &Command{}}).Conclude)
	runtest.Outcomes(t, measured, fault.OK, (&foreignRun{c: &Command{}}).Conclude)
}

// The exit status is what a release is held on.
func TestOverheadOutcome(t *testing.T) {
	failed := &services.Failure{Operation: "HeadObject", Cause: "refused", Err: os.ErrClosed}
	for _, test := range []struct {
		name   string
		change func(*oneRun, *rundoc.Run)
		want   fault.Code
	}{
		{"well", func(*oneRun, *rundoc.Run) {}, fault.OK},
		{"interrupted", func(_ *oneRun, d *rundoc.Run) { d.Interrupted = true }, fault.Interrupted},
		{"set-up failed", func(r *oneRun, _ *rundoc.Run) { r.result.Failure = failed }, fault.RunFailed},
		{"calls failed", func(r *oneRun, _ *rundoc.Run) { r.result.Failed = failed }, fault.RunFailed},
		{"invalid", func(_ *oneRun, d *rundoc.Run) { d.Verdict.Validity = rundoc.Invalid }, fault.Untrusted},
		{"nothing was measured", func(_ *oneRun, d *rundoc.Run) {
			d.Detail = rundoc.DecodeDetail(rundoc.WorkloadOverhead, []byte(`{"mode":"sdk","rows":[{"operation":"HeadObject"}]}`))
		}, fault.RunFailed},
		{"a call was measured", func(_ *oneRun, d *rundoc.Run) {
			d.Detail = rundoc.DecodeDetail(rundoc.WorkloadOverhead, []byte(`{"mode":"exec","rows":[{"operation":"HeadObject","sdk_time":{"n":1}}]}`))
		}, fault.OK},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, doc := &oneRun{c: &Command{}}, &rundoc.Run{Operations: []rundoc.Operation{{OK: 1}}}
			test.change(r, doc)
			if got := fault.CodeOf(run.Outcome(doc, "calls", r.Conclude(doc))); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

func TestWorseExitCode(t *testing.T) {
	for _, test := range []struct {
		name    string
		outcome stats.Outcome
		absent  string
		unlike  []string
		want    fault.Code
		hint    string
	}{
		{"worse", stats.Worse, "", nil, fault.Missed, ""},
		{"better", stats.Better, "", nil, fault.OK, ""},
		{"cannot tell", stats.CannotTell, "", nil, fault.OK, ""},
		{"nothing in common", show.OnlyNow, "", nil, fault.Untrusted, "record a baseline with the same operations"},
		{"unlike", stats.CannotTell, "", []string{"mode"}, fault.Untrusted, "record a baseline with the same operations"},
		{"drift", stats.CannotTell, "its values drift", nil, fault.Untrusted, "make more calls"},
		{"an old baseline", stats.CannotTell, "the baseline was saved without individual values", nil, fault.Untrusted,
			"record the baseline again"},
	} {
		row := show.ComparedRow{Service: "S3", Operation: "HeadObject", Outcome: test.outcome}
		row.Shift.Absent = test.absent
		err := worse(&show.Comparison{Rows: []show.ComparedRow{row}, Unlike: test.unlike})
		if got := fault.CodeOf(err); got != test.want || !strings.Contains(fault.HintOf(err), test.hint) {
			t.Errorf("%s: %v with the hint %q, want %v with %q", test.name, got, fault.HintOf(err), test.want, test.hint)
		}
	}
}

// A run that is worse than its baseline must not become it.
func TestSameFile(t *testing.T) {
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

// Who agrees to calls of AWS knows how many there will be.
func TestConsequences(t *testing.T) {
	p := DefaultPlan()
	p.Operations, p.Profile = []string{"STS/GetCallerIdentity"}, "dev"
	if got := consequences(&p); !strings.Contains(got, "each operation is called for 15s, after 5s of warm-up, and up to 100 more times") {
		t.Error(got)
	}
	p.Calls = 1000
	if got := consequences(&p); !strings.Contains(got, "is called 1000 times, after 5s of warm-up") {
		t.Error(got)
	}
}

// A list is no run of a set, and nobody is asked before each of several runs.
func TestJobRejectsSeveralRuns(t *testing.T) {
	for want, set := range map[string]func(*Plan){
		"--list does not make a run": func(p *Plan) { p.List = true },
		"these runs call AWS":        func(p *Plan) { p.Region = "eu-west-1" },
		"cannot read the run:":       func(p *Plan) { p.Baseline = "nowhere/run.json" },
	} {
		c := &Command{}
		env := &run.Env{LookupEnv: func(string) (string, bool) { return "/nowhere", true }}
		if job, err := c.Job(env); err != nil || job.Work == nil {
			t.Fatal(err)
		}
		set(&c.Plan)
		if _, err := c.Job(env); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
