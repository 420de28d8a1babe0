//go:build linux

package cli_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/runtest"
	"github.com/plimsoll/plimsoll/rundoc"
)

// interrupt ends a run in order, and is its document as it was saved.
func (r *running) interrupt(t *testing.T) *rundoc.Run {
	t.Helper()
	if err := r.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	return r.interrupted(t)
}

// interrupted waits for the end of a run that was interrupted, and is its document as it was saved.
func (r *running) interrupted(t *testing.T) *rundoc.Run {
	t.Helper()
	var exit *exec.ExitError
	if err := r.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Fatalf("ended with %v, want exit status 130\n%s", err, &r.stderr)
	}
	doc, err := rundoc.ReadFile(filepath.Join(r.dir, "out", "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !doc.Interrupted {
		t.Error("the document does not say that it was interrupted")
	}
	return doc
}

// TestIgnoredSignalsStayIgnored checks that a run and its target keep ignoring SIGHUP, as nohup needs, and SIGINT, as a
// shell without job control needs for background jobs.
func TestIgnoredSignalsStayIgnored(t *testing.T) {
	for name, sig := range map[string]syscall.Signal{"HUP": syscall.SIGHUP, "INT": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			r := startBy(t, nil, "sh", "-c", `trap "" `+name+`; exec "$0" "$@"`, "plimsoll")
			target := children(t, r.Process.Pid)[0]
			for _, pid := range []int{r.Process.Pid, target} {
				if err := syscall.Kill(pid, sig); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 { // what is written after the signal may be of before it, once
				n := r.samples()
				await(t, "more samples", func() bool { return r.samples() > n || !alive(r.Process.Pid) })
			}
			if !alive(r.Process.Pid) || !alive(target) {
				t.Fatalf("the run is alive: %v, its target: %v", alive(r.Process.Pid), alive(target))
			}
			r.interrupt(t)
		})
	}
}

// TestHangUpEndsTheRun checks that a run ends in order when its terminal is closed.
func TestHangUpEndsTheRun(t *testing.T) {
	// Where the tests themselves run with the signal ignored, as by nohup, the run would ignore it as well.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP)
	defer signal.Stop(heard)
	tty := newTerminal(t, 80, 24)
	r := startBy(t, func(r *running) {
		r.Stdin, r.Stdout, r.Stderr = tty.File, tty.File, tty.File
		r.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	}, "plimsoll")
	target := children(t, r.Process.Pid)[0]
	await(t, "bar", func() bool { return tty.sofar() != "" })
	tty.hangUp()
	doc := r.interrupted(t)
	if total, err := doc.Totals(); err != nil || total.OK == 0 {
		t.Errorf("%d ok, %v", total.OK, err)
	}
	if alive(target) {
		t.Error("the target outlived the run")
	}
}

// TestStoppedRunReportsTheGap checks that a run which was stopped, as by Ctrl-Z, and continued later reports the gap, and
// that its target, which was not stopped, is still there.
func TestStoppedRunReportsTheGap(t *testing.T) {
	r := startBy(t, func(r *running) {
		// A group in the session of whoever runs the tests: in an orphan nothing can be stopped by a terminal.
		r.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}, "plimsoll")
	target := children(t, r.Process.Pid)[0]
	if err := syscall.Kill(-r.Process.Pid, syscall.SIGSTOP); err != nil { // of which SIGTSTP is the kind one
		t.Fatal(err)
	}
	await(t, "stop", func() bool { return state(r.Process.Pid) == "T" })
	const long = 700 * time.Millisecond // what is tested is that it is seen, and not how long it was
	stopped := time.Now()
	await(t, "some time", func() bool { return time.Since(stopped) > long })
	if !alive(target) || state(target) == "T" {
		t.Errorf("the target's state is %q", state(target))
	}
	if err := syscall.Kill(-r.Process.Pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	r.awaitSamples(t, r.samples()+1)
	doc := r.interrupt(t)
	if !strings.Contains(strings.Join(doc.Verdict.Reasons, " "), "was paused for") {
		t.Errorf("%s: %q", doc.Verdict.Validity, doc.Verdict.Reasons)
	}
}

// state returns the kernel's letter for the state of a process.
func state(pid int) string {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if err != nil || len(fields) == 0 {
		return ""
	}
	return fields[0]
}

// TestRunSurvivesClosedPipes checks that a run whose stdout and stderr are closed ends as usual, and is saved.
func TestRunSurvivesClosedPipes(t *testing.T) {
	for _, args := range [][]string{{}, {"--json"}, {"--markdown"}} {
		dir := t.TempDir()
		cmd := exec.CommandContext(t.Context(), "plimsoll", append([]string{
			"chat", "--messages", "200", "--clients", "2", "--warmup-clients", "0", "--out", "out", "--html", "page.html"}, args...)...)
		cmd.Dir = dir
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(stdout.Close(), stderr.Close()); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); !runtest.Completed(err) {
			t.Errorf("%q: %v", args, err)
		}
		if _, err := rundoc.ReadFile(filepath.Join(dir, "out", "run.json")); err != nil {
			t.Errorf("%q: %v", args, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "page.html")); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
}
