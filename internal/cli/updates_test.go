//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/runtest"
	broker "github.com/plimsoll/plimsoll/internal/server/nats"
	"github.com/plimsoll/plimsoll/rundoc"
)

// updatesProcess is a 'plimsoll updates' in a process of its own.
type updatesProcess struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
}

// startUpdates starts one whose questions are answered in time, also where a busy machine holds them up for seconds.
func startUpdates(t *testing.T, args ...string) *updatesProcess {
	t.Helper()
	p := &updatesProcess{Cmd: exec.CommandContext(t.Context(), "plimsoll", append([]string{"updates", "--no-save", "--json", "--timeout", "1m"}, args...)...)}
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// saysIncomplete reports whether a run ended as one whose proof is incomplete: with 3, or with 4 on a busy machine if the
// error names both.
func saysIncomplete(state *os.ProcessState, said string) bool {
	return state.ExitCode() == 3 || state.ExitCode() == 4 && strings.Contains(said, "; and proof ")
}

// end waits for the end of the run, and returns its document and detail. Instead of 0 or 3 the exit status may be 4.
func (p *updatesProcess) end(t *testing.T, exit int) (doc rundoc.Run, d rundoc.UpdatesDetail) {
	t.Helper()
	err := p.Wait()
	var failed *exec.ExitError
	doubted := errors.As(err, &failed) && failed.ExitCode() == 4 &&
		(exit == 0 || exit == 3 && saysIncomplete(failed.ProcessState, p.stderr.String()))
	switch {
	case err == nil && exit != 0, failed != nil && failed.ExitCode() != exit && !doubted:
		t.Fatalf("ended with %v, want status %d: %s", err, exit, p.stderr.String())
	case err != nil && failed == nil:
		t.Fatal(err)
	}
	if err := json.Unmarshal(p.stdout.Bytes(), &doc); err != nil {
		t.Fatalf("%v: %s", err, p.stdout.String())
	}
	runtest.CheckInvariants(t, &doc)
	if found := doc.Updates(); found == nil || found.Proof == nil {
		t.Fatalf("no proof in %s", p.stdout.String())
	}
	return doc, *doc.Updates()
}

// lying starts a server that answers like another one, except for what change does to its answers about a run.
func lying(t *testing.T, truth string, change func(*kvapi.Run)) string {
	t.Helper()
	u, err := url.Parse(truth)
	if err != nil {
		t.Fatal(err)
	}
	// It does not say that it is a proxy, which would not be told of the broker.
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(u) }}
	proxy.ModifyResponse = func(r *http.Response) error {
		if r.Request.Method != http.MethodGet || !strings.HasPrefix(r.Request.URL.Path, "/v1/runs/") {
			return nil
		}
		var run kvapi.Run
		if err := json.NewDecoder(r.Body).Decode(&run); err != nil {
			return err
		}
		if len(run.Publishers) > 0 {
			change(&run)
		}
		b, err := json.Marshal(run)
		if err != nil {
			return err
		}
		r.Body = io.NopCloser(bytes.NewReader(b))
		r.ContentLength = int64(len(b))
		r.Header.Set("Content-Length", strconv.Itoa(len(b)))
		return nil
	}
	s := httptest.NewServer(proxy)
	t.Cleanup(s.Close)
	return s.URL
}

// TestUpdatesFindsAWrongServer checks the proof of a run whose server reports something missing, excess or different.
func TestUpdatesFindsAWrongServer(t *testing.T) {
	t.Parallel()
	server := startKVProcess(t)
	defer server.end(t)
	for _, c := range []struct {
		name   string
		change func(*kvapi.Run)
		line   string
		check  func(*rundoc.Proof) bool
	}{
		{"nothing", func(*kvapi.Run) {}, "", func(p *rundoc.Proof) bool { return p.Complete && p.Lost == 0 }},
		{"a batch", func(r *kvapi.Run) { r.Publishers[0].Next--; r.Publishers[0].Batches-- },
			" batches acknowledged by the broker were not received: publisher 0: ",
			func(p *rundoc.Proof) bool { return p.Lost == 1 && len(p.LostSpans) == 1 }},
		{"the digest", func(r *kvapi.Run) {
			if r.State != nil {
				r.State.Digest++
			}
		}, "proof incomplete: The state of the server is wrong: ",
			func(p *rundoc.Proof) bool { return p.Lost == 0 && p.Expected.Digest+1 == p.Found.Digest }},
		{"an update", func(r *kvapi.Run) { r.Rows.Applied-- }, " updates were received, but only ",
			func(p *rundoc.Proof) bool { return p.Applied == 50*p.Published-1 }},
		{"a batch too much", func(r *kvapi.Run) {
			r.Publishers[0].Beyond = append(r.Publishers[0].Beyond, kvapi.Span{First: 9000, Last: 9000})
			r.Publishers[0].Batches++
		}, "The server received 1 batch ", func(p *rundoc.Proof) bool { return p.Foreign == 1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := startUpdates(t, server.broker, "--kv", lying(t, server.url, c.change), "--duration", "200ms", "--rate", "200", "--batch", "50",
				"--warmup-time", "0", "--drain", "1m", "--settle", "1m")
			exit := 0
			if c.line != "" {
				exit = 3
			}
			_, d := p.end(t, exit)
			if !c.check(d.Proof) || d.Proof.Complete != (exit == 0) || !strings.Contains(p.stderr.String(), c.line) {
				t.Errorf("%+v\n%s", d.Proof, p.stderr.String())
			}
		})
	}
}

// TestInterruptEndsTheWaitForTheServer has a server that never receives its last batch. The first interrupt ends the wait
// for it, the second one also the last request.
func TestInterruptEndsTheWaitForTheServer(t *testing.T) {
	t.Parallel()
	server := startKVProcess(t)
	defer server.end(t)
	for _, hangs := range []bool{false, true} {
		t.Run(fmt.Sprint("hangs: ", hangs), func(t *testing.T) {
			var questions, last atomic.Int64
			over := make(chan struct{})
			address := lying(t, server.url, func(r *kvapi.Run) {
				r.Publishers[0].Next--
				r.Publishers[0].Batches--
				r.Backlog = 1 // it is worth waiting for
				questions.Add(1)
				if r.State != nil {
					last.Add(1)
					if hangs {
						<-over
					}
				}
			})
			p := startUpdates(t, server.broker, "--kv", address, "--duration", "200ms", "--rate", "200", "--batch", "50", "--warmup-time", "0", "--drain", "1m", "--settle", "1h")
			signal := func() {
				if err := p.Process.Signal(os.Interrupt); err != nil {
					t.Error(err)
				}
			}
			until(t, "question", func() bool { return questions.Load() > 5 })
			signal()
			if hangs {
				until(t, "last question", func() bool { return last.Load() > 0 })
				signal()
			}
			doc, d := p.end(t, 130)
			close(over)
			if doc.Interrupted || !d.Proof.Interrupted || d.Proof.Complete || d.Proof.Received != d.Proof.Published-1 || d.Proof.Lost != 1 ||
				!strings.Contains(d.Proof.Problems[0], "wait for the server was interrupted") {
				t.Errorf("%+v", d.Proof)
			}
			if timed := d.Stage(rundoc.StageApply) != nil; timed == hangs {
				t.Errorf("with times: %t\n%+v", timed, d.Proof)
			}
			if warned := strings.Contains(fmt.Sprint(doc.Warnings), "The wait for the server after the window was interrupted"); !warned {
				t.Errorf("%+v", doc.Warnings)
			}
		})
	}
}

// samplesOf counts the batches of a run that goes on.
func samplesOf(file string) int {
	text, _ := os.ReadFile(file)
	return bytes.Count(text, []byte("\n"))
}

// until waits for something that happens in another process. The test's own time limit bounds it.
func until(t *testing.T, what string, happened func() bool) {
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

// TestUpdatesOutliveTheServer kills the server with SIGKILL in the middle of a run, and starts another
// one with its journal behind the same address.
func TestUpdatesOutliveTheServer(t *testing.T) {
	t.Parallel()
	b, err := broker.Start(t.Context(), broker.Config{JetStream: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	topic := b.URL() + "&ack_wait=1s"
	args := []string{topic, "--journal", filepath.Join(t.TempDir(), "journal"), "--subscription", "test"}
	var behind atomic.Pointer[url.URL]
	begin := func() *kvProcess {
		server := startKVProcess(t, args...)
		u, err := url.Parse(server.url)
		if err != nil {
			t.Fatal(err)
		}
		behind.Store(u)
		return server
	}
	server := begin()
	// A port that was free, or a server's until it was killed, may be another program's the next moment.
	front := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:  func(r *httputil.ProxyRequest) { r.SetURL(behind.Load()) },
		ErrorLog: log.New(io.Discard, "", 0), // for a while nobody is behind it
	})
	t.Cleanup(front.Close)
	samples := filepath.Join(t.TempDir(), "samples.csv")
	p := startUpdates(t, topic, "--kv", front.URL, "--rate", "60", "--batch", "100", "--hot-keys", "500", "--deletes", "10%",
		"--duration", "1m", "--warmup-time", "0", "--drain", "1m", "--samples", samples)
	until(t, "batch", func() bool { return samplesOf(samples) > 20 })
	server.kill(t)
	before := samplesOf(samples)
	until(t, "batch without a server", func() bool { return samplesOf(samples) > before })
	server = begin()
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_, d := p.end(t, 130)
	server.end(t)
	proof := d.Proof
	if d.AppliedPerS != 0 {
		t.Errorf("%v updates a second, by a server that was there for a part of the run", d.AppliedPerS)
	}
	if !proof.Complete || !proof.Restarted || proof.Published < int64(before) || proof.Received != proof.Published ||
		proof.Applied+proof.Stale != 100*proof.Published {
		t.Errorf("%+v", proof)
	}
}

// TestUpdatesDoesNotWaitForADeadServer kills the embedded server, and its broker with it, with SIGKILL.
func TestUpdatesDoesNotWaitForADeadServer(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("it finds the child in /proc")
	}
	samples := filepath.Join(t.TempDir(), "samples.csv")
	p := startUpdates(t, "--duration", "1m", "--warmup-time", "0", "--batch", "100", "--rate", "100", "--samples", samples,
		"--settle", "1h", "--max-retries", "1", "--drain", "100ms", "--chart", filepath.Join(filepath.Dir(samples), "chart.png"))
	until(t, "batch", func() bool { return samplesOf(samples) > 20 })
	if err := syscall.Kill(childOf(t, p.Process.Pid), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := p.Process.Signal(os.Interrupt); err != nil { // ends the window; the wait for the server is to end by itself
		t.Fatal(err)
	}
	_, d := p.end(t, 130)
	if d.Proof.Complete || d.Proof.Interrupted || d.Proof.StateKnown || len(d.Proof.Problems) != 1 || d.Manifest.Batches < 20 ||
		!strings.HasPrefix(d.Proof.Problems[0], "The server could not be queried: it has exited") {
		t.Errorf("%+v\n%s", d.Proof, p.stderr.String())
	}
}

// childOf is the process that pid started.
func childOf(t *testing.T, pid int) int {
	t.Helper()
	path := filepath.Join("/proc", strconv.Itoa(pid), "task")
	tasks, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		text, err := os.ReadFile(filepath.Join(path, task.Name(), "children"))
		if err != nil {
			t.Skip("the system does not tell children")
		}
		if fields := strings.Fields(string(text)); len(fields) > 0 {
			child, err := strconv.Atoi(fields[0])
			if err != nil {
				t.Fatal(err)
			}
			return child
		}
	}
	t.Fatal("no child")
	return 0
}

// TestUpdatesAcks checks that --acks reaches the broker, and is refused where the message service has no such setting.
func TestUpdatesAcks(t *testing.T) {
	t.Parallel()
	server := startKVProcess(t, "nats+js://")
	defer server.end(t)
	p := startUpdates(t, server.broker, "--acks", "0", "--kv", server.url, "--duration", "200ms", "--rate", "50", "--batch", "10", "--warmup-time", "0",
		"--drain", "1m", "--settle", "1m")
	doc, d := p.end(t, 0)
	if d.AtLeastOnce || !d.Proof.Complete || !strings.Contains(string(doc.Plan), `"acks": "0"`) && !strings.Contains(string(doc.Plan), `"acks":"0"`) ||
		!strings.Contains(strings.Join(d.Notes, " "), "With acks=0") {
		t.Errorf("%s, %s, %+v", doc.Plan, doc.Target.URL, d)
	}
	for arguments, want := range map[string]string{
		"nats+js:// --linger 5ms": "--linger is not supported for nats+js://",
		"--acks 1":                "--acks: nats:// has no publish options",
		server.broker + " --acks 1 --kv " + server.url: `acks="1" is not all or 0`,
	} {
		cmd := exec.CommandContext(t.Context(), "plimsoll", append([]string{"updates", "--no-save"}, strings.Fields(arguments)...)...)
		if said, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(said), want) {
			t.Errorf("%s: %v, want %q: %s", arguments, cmd.ProcessState, want, said)
		}
	}
}
