//go:build linux

package cli_test

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
)

// running is a plimsoll in a process of its own.
type running struct {
	*exec.Cmd
	dir            string
	stdout, stderr bytes.Buffer
}

// start starts a run that would go on for an hour, and waits until a sample is on disk.
func start(t *testing.T, args ...string) *running {
	t.Helper()
	return startBy(t, nil, append([]string{"plimsoll"}, args...)...)
}

// startBy is start by a command line, which ends in the name of the program and more arguments.
func startBy(t *testing.T, prepare func(*running), line ...string) *running {
	t.Helper()
	at := slices.Index(line, "plimsoll")
	run := append(slices.Clone(line[:at+1]),
		"chat", "--duration", "1h", "--clients", "4", "--think-time", "5ms", "--warmup-clients", "0",
		"--samples", "samples.csv", "--buckets", "buckets.csv", "--out", "out", "--json")
	run = append(run, line[at+1:]...)
	r := &running{dir: t.TempDir()}
	r.Cmd = exec.CommandContext(t.Context(), run[0], run[1:]...)
	r.Dir, r.Stdout, r.Stderr = r.dir, &r.stdout, &r.stderr
	if prepare != nil {
		prepare(r)
	}
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	r.awaitSamples(t, 1)
	return r
}

// awaitSamples waits until so many samples are on disk.
func (r *running) awaitSamples(t *testing.T, n int) {
	t.Helper()
	await(t, "samples on disk", func() bool { return r.samples() >= n })
}

// samples counts those on disk.
func (r *running) samples() int {
	text, _ := os.ReadFile(filepath.Join(r.dir, "samples.csv"))
	return bytes.Count(text, []byte("\n")) - 1 // without the header
}

// await waits for something that happens in another process. The test's own time limit
// bounds it.
func await(t *testing.T, what string, happened func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !happened() {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatalf("no %s before the end of the test", what)
		}
	}
}

// children are the processes that pid started and that live.
func children(t *testing.T, pid int) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var found []int
	for _, e := range entries {
		child, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			found = append(found, child)
		}
	}
	return found
}

// alive reports whether a process runs; one that has ended and that nobody waited for does
// not.
func alive(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	return !bytes.HasPrefix(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" Z"))
}

// rows reads a file of samples, whose rows must all be whole.
func rows(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(bufio.NewReader(f)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all[1:]
}

// An interrupt loses nothing: the report is complete, the files are whole, the target is
// gone.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			r := start(t)
			targets := children(t, r.Process.Pid)
			if len(targets) != 1 {
				t.Fatalf("%d child processes, want the target alone", len(targets))
			}
			if err := r.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := r.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
				t.Fatalf("ended with %v, want exit status 130\n%s", err, &r.stderr)
			}
			if !strings.HasPrefix(r.stderr.String(), "plimsoll: interrupted: the report covers") {
				t.Errorf("stderr: %s", &r.stderr)
			}
			if alive(targets[0]) {
				t.Error("the target outlived the run")
			}
			doc, err := rundoc.Read(&r.stdout)
			if err != nil {
				t.Fatal(err)
			}
			total, err := doc.Totals()
			if err != nil || !doc.Interrupted || total.OK == 0 {
				t.Errorf("the document: interrupted %v, %d ok, %v", doc.Interrupted, total.OK, err)
			}
			if n := int64(len(rows(t, filepath.Join(r.dir, "samples.csv")))); n != total.Scheduled-total.Unsent {
				t.Errorf("%d samples of %d messages", n, total.Scheduled-total.Unsent)
			}
			for _, file := range []string{"buckets.csv", filepath.Join("out", "run.json")} {
				if info, err := os.Stat(filepath.Join(r.dir, file)); err != nil || info.Size() == 0 {
					t.Errorf("%s: %v", file, err)
				}
			}
		})
	}
}

// A second signal stops at once, although the target answers nothing but the first message and the
// drain would take an hour.
func TestSecondInterrupt(t *testing.T) {
	t.Parallel()
	r := start(t, "--target-flag", "stall-after=1ns", "--target-flag", "stall-for=1h", "--timeout", "1h", "--drain", "1h")
	target := children(t, r.Process.Pid)[0]
	// Two of one kind that come at once may merge into one.
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		if err := r.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
	}
	err := r.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("ended with %v, want exit status 130\n%s", err, &r.stderr)
	}
	if alive(target) {
		t.Error("the target outlived the run")
	}
}

// A target that dies under the load is said at once, and the run ends as it should.
func TestTargetDies(t *testing.T) {
	t.Parallel()
	r := start(t, "--max-retries", "0")
	if err := syscall.Kill(children(t, r.Process.Pid)[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	failed := filepath.Join(r.dir, "samples.csv")
	await(t, "failures", func() bool {
		text, _ := os.ReadFile(failed)
		return bytes.Contains(text, []byte(",refused,"))
	})
	if err := r.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := r.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("ended with %v, want exit status 130\n%s", err, &r.stderr)
	}
	for _, want := range []string{"the demo server has exited", "signal: killed", "interrupted"} {
		if !strings.Contains(r.stderr.String(), want) {
			t.Errorf("stderr does not say %q: %s", want, &r.stderr)
		}
	}
}

// A server ends with status 0 when it is told to.
func TestServeInterrupt(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "plimsoll", "serve", "chat", "--listen", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "serving the chat at ws://127.0.0.1:") {
		t.Errorf("it said %q", lines.Text())
	}
	if !lines.Scan() || !strings.Contains(lines.Text(), "/metrics") {
		t.Errorf("it said %q", lines.Text())
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if lines.Scan() {
		t.Errorf("it said %q", lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// What a killed run has measured is on disk: samples have come there while it went on, and are whole.
// (That they come every second is tested where they are written.) Its target is gone.
func TestKill(t *testing.T) {
	t.Parallel()
	r := start(t)
	target := children(t, r.Process.Pid)[0]
	r.awaitSamples(t, r.samples()+1)
	before := r.samples()
	if err := r.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = r.Wait() // it was killed
	await(t, "end of the target", func() bool { return !alive(target) })
	text, err := os.ReadFile(filepath.Join(r.dir, "samples.csv"))
	if err != nil {
		t.Fatal(err)
	}
	// The last row may be cut off; those before it are whole.
	lines := strings.Split(string(text), "\n")
	lines = lines[1 : len(lines)-1]
	for _, line := range lines {
		if _, err := time.Parse(time.RFC3339Nano, strings.SplitN(line, ",", 2)[0]); err != nil || strings.Count(line, ",") != 4 {
			t.Fatalf("a row is not whole: %q", line)
		}
	}
	if len(lines) < before {
		t.Errorf("%d samples are left of %d", len(lines), before)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "out", "run.json")); err == nil {
		t.Error("a killed run has a document")
	}
}

// Of samples that were to be Parquet a killed run leaves the CSV that they are made of, from which a command makes them.
func TestKillBeforeParquet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "plimsoll", "chat", "--duration", "1h", "--clients", "4", "--warmup-clients", "0",
		"--samples", "s.parquet", "--no-save", "--json", "--quiet")
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	csv := filepath.Join(dir, "s.parquet.csv")
	await(t, "samples on disk", func() bool {
		text, _ := os.ReadFile(csv)
		return bytes.Count(text, []byte("\n")) > 1
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if _, err := os.Stat(filepath.Join(dir, "s.parquet")); err == nil {
		t.Error("a killed run has a Parquet file")
	}
	text, err := os.ReadFile(csv)
	if err != nil {
		t.Fatal(err)
	}
	convert := exec.CommandContext(t.Context(), "plimsoll", "samples", "convert", "s.parquet.csv", "s.parquet")
	convert.Dir = dir
	want := bytes.Count(text, []byte("\n")) - 1
	said, err := convert.Output()
	if n := strings.ReplaceAll(strings.Fields(string(said) + " - -")[1], ",", ""); err != nil || n != strconv.Itoa(want) {
		t.Errorf("%q, %v, want %d samples", said, err, want)
	}
}
