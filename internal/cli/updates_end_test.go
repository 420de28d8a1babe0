//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestProofIsUnknownWhenTheServerHangs has a server that reports what it received, and hangs when it is asked for its
// state: the run is saved, and its proof is unknown.
func TestProofIsUnknownWhenTheServerHangs(t *testing.T) {
	t.Parallel()
	server := startKVProcess(t)
	defer server.end(t)
	over := make(chan struct{})
	defer close(over)
	address := lying(t, server.url, func(r *kvapi.Run) {
		if r.State != nil {
			<-over
		}
	})
	dir := filepath.Join(t.TempDir(), "run")
	cmd := exec.CommandContext(t.Context(), "plimsoll", "updates", server.broker, "--kv", address, "--out", dir, "--duration", "200ms",
		"--rate", "200", "--batch", "50", "--warmup-time", "0", "--drain", "1m", "--settle", "5s")
	said := &strings.Builder{}
	cmd.Stderr = said
	err := cmd.Run()
	if failed := (*exec.ExitError)(nil); !errors.As(err, &failed) || !saysIncomplete(failed.ProcessState, said.String()) {
		t.Errorf("ended with %v", err)
	}
	const line = "the proof is unknown: The server could not be asked for all that it knows: it did not answer within 5s. What is told of it is from its last answer\n"
	if !strings.Contains(said.String(), line) {
		t.Error(said.String())
	}
	doc, err := rundoc.ReadFile(filepath.Join(dir, "run.json"))
	if err != nil {
		list, _ := os.ReadDir(dir)
		t.Fatalf("%v: %v", err, list)
	}
	p := doc.Updates().Proof
	if p.Complete || !p.Unknown || p.StateKnown || p.Received != 40 || p.Lost != 0 || p.Applied != 2000 || len(p.Problems) != 1 {
		t.Errorf("%+v", p)
	}
}

// TestInterruptedCheckReportsWhatItKnows has one server that lacks a batch, and one that does not answer.
func TestInterruptedCheckReportsWhatItKnows(t *testing.T) {
	t.Parallel()
	server := startKVProcess(t)
	defer server.end(t)
	dir := filepath.Join(t.TempDir(), "run")
	made := exec.CommandContext(t.Context(), "plimsoll", "updates", server.broker, "--kv", server.url, "--out", dir, "--duration", "200ms",
		"--rate", "200", "--batch", "50", "--warmup-time", "0", "--drain", "1m", "--timeout", "1m")
	if said, err := made.CombinedOutput(); err != nil && made.ProcessState.ExitCode() != 4 {
		t.Fatalf("%v: %s", err, said)
	}
	over := make(chan struct{})
	var asked atomic.Int64
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1); <-over }))
	defer silent.Close()
	defer close(over)
	lacks := lying(t, server.url, func(r *kvapi.Run) {
		r.Publishers[0].Next--
		r.Publishers[0].Batches--
		r.Backlog = 1 // it is worth waiting for
		asked.Add(1)
	})
	for _, c := range []struct {
		address        string
		questions      int64
		stdout, stderr string
	}{
		{lacks, 5, "40 batches published, 39 received", "plimsoll: interrupted in the wait for the server: the proof is unknown: The wait for the server was interrupted: what is missing may still have come."},
		{silent.URL, 0, "", "plimsoll: interrupted before the server had said what it received: nothing was checked"},
	} {
		asked.Store(0)
		p := &updatesProcess{Cmd: exec.CommandContext(t.Context(), "plimsoll", "updates", "--check", filepath.Join(dir, "run.json"), "--kv", c.address, "--settle", "1h")}
		p.Stdout, p.Stderr = &p.stdout, &p.stderr
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		until(t, "question", func() bool { return asked.Load() > c.questions })
		if err := p.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if c.stdout == "" { // the last question is not answered either
			until(t, "last question", func() bool { return asked.Load() > 1 })
			if err := p.Process.Signal(os.Interrupt); err != nil {
				t.Error(err)
			}
		}
		_ = p.Wait()
		if p.ProcessState.ExitCode() != 130 || !strings.Contains(p.stdout.String(), c.stdout) || !strings.Contains(p.stderr.String(), c.stderr) {
			t.Errorf("%v\n%s\n%s", p.ProcessState, p.stdout.String(), p.stderr.String())
		}
	}
}

// TestInterruptedGridShowsWhatItHas interrupts the second run of a grid. The signal may arrive during a later run.
func TestInterruptedGridShowsWhatItHas(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "plimsoll", "updates", "--no-save", "--grid", "--duration", "500ms", "--warmup-time", "0")
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	lines, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	for s := bufio.NewScanner(lines); s.Scan(); {
		if told.WriteString(s.Text() + "\n"); strings.HasPrefix(s.Text(), "run 2 of 8") {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Error(err)
			}
		}
	}
	_ = cmd.Wait()
	said := regexp.MustCompile(`plimsoll: (interrupted after [1-7] of 8 runs: the table has those|in run [2-8] of 8: interrupted)`)
	if cmd.ProcessState.ExitCode() != 130 || !said.MatchString(told.String()) || !strings.Contains(stdout.String(), "1000 × 45") {
		t.Errorf("%v\n%s\n%s", cmd.ProcessState, stdout.String(), told.String())
	}
}
