package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/kvapi"
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
	if failed := (*exec.ExitError)(nil); !errors.As(err, &failed) || failed.ExitCode() != 2 || !strings.Contains(string(said), "--child is for a program that starts this one") {
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
