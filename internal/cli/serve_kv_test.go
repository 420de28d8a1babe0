package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/run"
	kvtarget "github.com/plimsoll/plimsoll/internal/server/kv"
)

// kvProcess is a 'plimsoll serve kv' in a process of its own.
type kvProcess struct {
	*exec.Cmd
	in     io.Closer
	stderr strings.Builder
	url    string
	broker string // with its token; "" when the topic is elsewhere
	client *kvapi.Client
}

func startKVProcess(t *testing.T, args ...string) *kvProcess {
	t.Helper()
	s := &kvProcess{Cmd: exec.Command("plimsoll", append([]string{"serve", "kv", "--child", "--listen", "127.0.0.1:0"}, args...)...)}
	s.Stderr = &s.stderr
	in, err := s.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.in = in
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	var ready struct{ URL, Broker string }
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err != nil {
		_ = s.Process.Kill()
		_ = s.Wait()
		t.Fatalf("the server did not start: %v: %s", err, s.stderr.String())
	}
	s.url, s.broker = ready.URL, ready.Broker
	if s.client, err = kvapi.NewClient(ready.URL, time.Minute); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.client.Close)
	return s
}

// end ends the server as its parent does.
func (s *kvProcess) end(t *testing.T) {
	t.Helper()
	_ = s.in.Close()
	if err := s.Wait(); err != nil {
		t.Errorf("the server ended with %v: %s", err, s.stderr.String())
	}
}

// TestAChildNeedsSomebodyWhoHoldsItsStdin: without one it would leave at once, and say nothing.
func TestAChildNeedsSomebodyWhoHoldsItsStdin(t *testing.T) {
	t.Parallel()
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cmd := exec.CommandContext(t.Context(), "plimsoll", "serve", "kv", "--child")
	cmd.Stdin = file
	said, err := cmd.CombinedOutput()
	if failed := (*exec.ExitError)(nil); !errors.As(err, &failed) || failed.ExitCode() != 2 || !strings.Contains(string(said), "--child needs a pipe on stdin") {
		t.Errorf("%v: %s", err, said)
	}
}

// kill kills the server as a crash would.
func (s *kvProcess) kill(t *testing.T) {
	t.Helper()
	if err := s.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.Wait()
	_ = s.in.Close()
}

// lineWriter calls seen with each line written to it.
type lineWriter struct{ seen func(string) }

func (w lineWriter) Write(p []byte) (int, error) {
	w.seen(string(p))
	return len(p), nil
}

// TestServeKVAnnouncesItself checks that a server which is no child reports its address and that of its topic.
func TestServeKVAnnouncesItself(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all strings.Builder
	code := Main(ctx, Env{
		Args:      []string{"serve", "kv", "nats+js://?storage=memory", "--skip-ack", "10", "--listen", "127.0.0.1:0"},
		LookupEnv: func(string) (string, bool) { return "", false },
		Stdin:     strings.NewReader(""), Stdout: io.Discard,
		Stderr: lineWriter{func(line string) {
			all.WriteString(line)
			if strings.Contains(line, "/v1/getvalues?keys=") {
				cancel()
			}
		}},
		IsTerminal: func(io.Writer) bool { return false },
		Signals:    func() (<-chan os.Signal, func()) { return nil, func() {} },
	})
	for _, want := range []string{"serving keys and values at http://127.0.0.1:", "publishers on this machine: nats+js://"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("exit status %d, no %q in %s", code, want, all.String())
		}
	}
}

// TestLoadingProgress checks the progress that is shown while a server loads its data.
func TestLoadingProgress(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		loading kvtarget.Loading
		want    run.Live
	}{
		{kvtarget.Loading{}, run.Live{Done: -1, Left: -1}},
		{kvtarget.Loading{Batches: 1200}, run.Live{Phase: "reading the journal", Count: "1,200 batches", Done: -1, Left: -1}},
		{kvtarget.Loading{Files: 1, Of: 4, Rows: 1}, run.Live{Phase: "loading the data", Count: "1 of 4 files", What: "1 row", Done: 0.25, Left: -1}},
	} {
		if diff := cmp.Diff(tt.want, loadingLive(tt.loading)); diff != "" {
			t.Error(diff)
		}
	}
}
