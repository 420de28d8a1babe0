//go:build linux

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/plimsoll/plimsoll/setdoc"
)

// threeRuns are a run that ends soon, one that would go on for an hour, and one that is never reached.
const threeRuns = `plan: plimsoll.plan/v1
defaults: {warmup-time: 0s, clients: 2, think-time: 20ms}
runs:
  - {name: short, kind: chat, settings: {messages: 20, rooms: 1}}
  - {name: long, kind: chat, settings: {duration: 1h, samples: samples.csv}}
  - {name: never, kind: chat, settings: {duration: 100ms}}
`

// startPlan starts the three runs, and waits until the second goes on.
func startPlan(t *testing.T) *running {
	t.Helper()
	r := &running{dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(r.dir, "plan.yaml"), []byte(threeRuns), 0o600); err != nil {
		t.Fatal(err)
	}
	r.Cmd = exec.CommandContext(t.Context(), "plimsoll", "run", "plan.yaml", "--out", "set")
	r.Dir, r.Stdout, r.Stderr = r.dir, &r.stdout, &r.stderr
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	r.awaitSamples(t, 1)
	return r
}

// set is what it has saved.
func (r *running) set(t *testing.T) *setdoc.Set {
	t.Helper()
	set, err := setdoc.ReadFile(filepath.Join(r.dir, "set", "set.json"))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// An interrupt ends the run that goes on, and all that were to come; what was measured is kept and shown.
func TestInterruptOfAPlan(t *testing.T) {
	t.Parallel()
	for name, signals := range map[string][]os.Signal{
		"interrupt": {syscall.SIGINT}, "terminated": {syscall.SIGTERM}, "twice": {syscall.SIGINT, syscall.SIGTERM},
	} {
		t.Run(name, func(t *testing.T) {
			r := startPlan(t)
			targets := children(t, r.Process.Pid)
			for _, s := range signals {
				if err := r.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.Wait(); r.ProcessState.ExitCode() != 130 {
				t.Fatalf("ended with %v, want exit status 130\n%s", err, &r.stderr)
			}
			if !strings.Contains(r.stderr.String(), "\nplimsoll: interrupted in run 2 of 3: the results so far are saved") {
				t.Errorf("stderr: %s", &r.stderr)
			}
			set := r.set(t)
			if len(set.Members) != 2 || set.Planned != 3 || !set.Interrupted || set.Members[1].Exit != 130 {
				t.Errorf("the set: %d of %d, interrupted %v: %+v", len(set.Members), set.Planned, set.Interrupted, set.Members)
			}
			if len(set.Members) == 2 && set.Members[1].RatePerS == nil {
				t.Error("nothing is kept of the run that was interrupted")
			}
			for _, want := range []string{"2 runs · interrupted · ", "\n  long ", "2 of 3 planned"} {
				if !strings.Contains(r.stdout.String(), want) {
					t.Errorf("%q is not in\n%s", want, &r.stdout)
				}
			}
			for _, pid := range targets {
				if alive(pid) {
					t.Error("the target outlived the run")
				}
			}
		})
	}
}

// A plan that was killed leaves the set as far as it was, which is shown as what it is.
func TestKillOfAPlan(t *testing.T) {
	t.Parallel()
	r := startPlan(t)
	targets := children(t, r.Process.Pid)
	if err := r.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = r.Wait() // it was killed
	for _, pid := range targets {
		await(t, "end of the target", func() bool { return !alive(pid) })
	}
	if set := r.set(t); len(set.Members) != 1 || set.Planned != 3 || set.Interrupted || set.Members[0].RatePerS == nil {
		t.Errorf("the set: %d of %d, interrupted %v: %+v", len(set.Members), set.Planned, set.Interrupted, set.Members)
	}
	cmd := exec.CommandContext(t.Context(), "plimsoll", "report", "set")
	cmd.Dir = r.dir
	text, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(text), "1 of 3 planned") {
		t.Errorf("%v\n%s", err, text)
	}
}
