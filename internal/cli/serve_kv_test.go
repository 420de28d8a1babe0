package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	broker "github.com/plimsoll/plimsoll/internal/server/nats"
	"github.com/plimsoll/plimsoll/internal/topic"
	topics "github.com/plimsoll/plimsoll/internal/topic/known"
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

// kill kills it as a crash would.
func (s *kvProcess) kill(t *testing.T) {
	t.Helper()
	if err := s.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.Wait()
	_ = s.in.Close()
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

// publishing publishes batches of a run to a topic, and knows the state that they lead to.
type publishing struct {
	publisher topic.Publisher
	generator *delta.Generator
	run       uint64
	sent      uint64
	winners   map[string]delta.Row // of one publisher whose commit times rise: what came last
}

func newPublishing(t *testing.T, opened topic.Topic) *publishing {
	t.Helper()
	g, err := delta.NewGenerator(delta.Generation{Seed: 1, Prefix: "k", Batch: 200, KeyLength: 30, ValueLength: 10, Keys: 5000, Deletes: .1})
	if err != nil {
		t.Fatal(err)
	}
	p, err := opened.Publisher(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return &publishing{publisher: p, generator: g, run: rand.Uint64(), winners: make(map[string]delta.Row)}
}

func (p *publishing) publish(ctx context.Context, t *testing.T) {
	t.Helper()
	rows, _ := p.generator.Rows(p.sent, nil, nil)
	h := delta.Header{Publisher: delta.Publisher{Run: p.run}, Sequence: p.sent}
	b, err := delta.Append(nil, &h, rows)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.publisher.Publish(ctx, b); err != nil {
		t.Fatal(err)
	}
	p.sent++
	for _, r := range rows {
		p.winners[string(r.Key)] = r
	}
}

func (p *publishing) state() (s kvapi.State) {
	for _, r := range p.winners {
		if r.Kind == delta.Delete {
			s.Tombstones++
			continue
		}
		s.Live++
		s.Digest += delta.Hash(&r)
	}
	return s
}

// settled waits until all was received, and gives the server's answer about the run.
func (p *publishing) settled(t *testing.T, c *kvapi.Client) kvapi.Run {
	t.Helper()
	for {
		r, err := c.Run(t.Context(), p.run, kvapi.RunOptions{State: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Publishers) == 1 && r.Publishers[0].Next == p.sent && r.Unacked <= 0 {
			return r
		}
		select { // the test's own time limit bounds it
		case <-time.After(50 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatalf("%+v of %d batches", r, p.sent)
		}
	}
}

// TestKilledServerLosesNothing kills the server with SIGKILL in the middle, three times, while
// batches are published to a JetStream, and starts it again with its journal.
func TestKilledServerLosesNothing(t *testing.T) {
	t.Parallel()
	b, err := broker.Start(t.Context(), broker.Config{JetStream: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	url := b.URL() + "&ack_wait=1s"
	opened, err := topics.Open(t.Context(), url, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(t.TempDir(), "journal")
	args := []string{url, "--journal", journal, "--skip-ack", "40", "--subscription", "test"}
	server := startKVProcess(t, args...)
	p := newPublishing(t, opened)
	instances := make(map[string]bool)
	for round := range 4 {
		for range 100 + rand.IntN(50) {
			p.publish(t.Context(), t)
		}
		info, err := server.client.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		instances[info.Instance] = true
		if !info.Journal || !info.AtLeast {
			t.Errorf("%+v", info)
		}
		if round < 3 {
			server.kill(t)
			p.publish(t.Context(), t) // while nobody receives
			server = startKVProcess(t, args...)
		}
	}
	r := p.settled(t, server.client)
	if r.State == nil || *r.State != p.state() {
		t.Errorf("the state is %+v, want %+v", r.State, p.state())
	}
	if n := r.Rows.Applied + r.Rows.Stale; n != int64(p.sent)*200 || r.Publishers[0].Batches != int64(p.sent) || r.Unreadable != 0 {
		t.Errorf("%+v of %d batches", r, p.sent)
	}
	if len(instances) != 4 {
		t.Errorf("%d instances", len(instances))
	}
	server.end(t)
}

// TestCoreNATSLosesWhatIsPublishedMeanwhile shows what the server says of a transport that does
// not deliver again: it does not promise it, and what is missing is named.
func TestCoreNATSLosesWhatIsPublishedMeanwhile(t *testing.T) {
	t.Parallel()
	b, err := broker.Start(t.Context(), broker.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	opened, err := topics.Open(t.Context(), b.URL(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{b.URL(), "--journal", t.TempDir()}
	server := startKVProcess(t, args...)
	p := newPublishing(t, opened)
	for range 20 {
		p.publish(t.Context(), t)
	}
	p.settled(t, server.client)
	server.kill(t)
	for range 5 {
		p.publish(t.Context(), t) // lost
	}
	server = startKVProcess(t, args...)
	defer server.end(t)
	info, err := server.client.Info(t.Context())
	if err != nil || info.AtLeast || !strings.Contains(strings.Join(info.Notes, " "), "20 batches were recovered") {
		t.Errorf("%+v, %v", info, err)
	}
	p.publish(t.Context(), t)
	for {
		r, err := server.client.Run(t.Context(), p.run, kvapi.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Publishers[0]; len(got.Beyond) == 1 {
			if got.Next != 20 || got.Beyond[0] != (kvapi.Span{First: 25, Last: 25}) || got.Batches != 21 {
				t.Errorf("%+v", got)
			}
			return
		}
		if t.Context().Err() != nil {
			t.Fatal("the last batch did not arrive")
		}
	}
}
