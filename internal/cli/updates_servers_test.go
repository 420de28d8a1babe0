//go:build unix

package cli

import (
	"os/exec"
	"strings"
	"testing"

	broker "github.com/plimsoll/plimsoll/internal/server/nats"
)

// ofSeveral returns the arguments of a short run with servers that run already.
func ofSeveral(topic string, servers ...*kvProcess) []string {
	args := []string{topic, "--rate", "40", "--batch", "20", "--duration", "500ms", "--warmup-time", "0", "--drain", "1m", "--settle", "1m"}
	for _, s := range servers {
		args = append(args, "--kv", s.url)
	}
	return args
}

// TestUpdatesOfASharedSubscription checks that the proof names what each server lacks when two share a subscription: each
// receives a part of the batches, and so none arrives everywhere.
func TestUpdatesOfASharedSubscription(t *testing.T) {
	t.Parallel()
	b, err := broker.Start(t.Context(), broker.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	var servers []*kvProcess
	for range 2 {
		s := startKVProcess(t, b.URL(), "--subscription", "same")
		defer s.end(t)
		servers = append(servers, s)
	}
	_, d := startUpdates(t, ofSeveral(b.URL(), servers...)...).end(t, 3)
	if len(d.Servers) != 2 {
		t.Fatalf("%d servers", len(d.Servers))
	}
	one, two, all := d.Servers[0].Proof, d.Servers[1].Proof, d.Proof
	if one.Received+two.Received != all.Published || one.Lost != two.Received || two.Lost != one.Received ||
		all.Lost != all.Published || all.Received != 0 || all.Complete || d.Spread.Batches != 0 {
		t.Errorf("published %d, received %d and %d, lost %d and %d, everywhere received %d and lost %d", all.Published,
			one.Received, two.Received, one.Lost, two.Lost, all.Received, all.Lost)
	}
	if len(all.Problems) < 2 || !strings.Contains(strings.Join(all.Problems, " "), "server 2 ("+servers[1].url+"): ") {
		t.Errorf("problems: %q", all.Problems)
	}
}

// TestUpdatesStartsServers checks that each server that a run starts receives every batch.
func TestUpdatesStartsServers(t *testing.T) {
	t.Parallel()
	_, d := startUpdates(t, "nats+js://", "--servers", "3", "--rate", "40", "--batch", "20", "--duration", "500ms",
		"--warmup-time", "0", "--drain", "1m", "--settle", "1m").end(t, 0)
	if len(d.Servers) != 3 || !d.Proof.Complete || d.Spread.Batches+d.Spread.Untold == 0 {
		t.Errorf("%d servers, %+v, %+v", len(d.Servers), d.Proof, d.Spread)
	}
}

func TestUpdatesRefusesTheSameServerTwice(t *testing.T) {
	t.Parallel()
	server := startKVProcess(t)
	defer server.end(t)
	other := strings.Replace(server.url, "127.0.0.1", "localhost", 1)
	said, err := exec.CommandContext(t.Context(), "plimsoll", "updates", server.broker, "--kv", server.url, "--kv", other,
		"--timeout", "1m").CombinedOutput()
	if err == nil || !strings.Contains(string(said), "are the same server") {
		t.Errorf("%v: %s", err, said)
	}
}
