//go:build unix

package cli

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	broker "github.com/plimsoll/plimsoll/internal/server/nats"
	"github.com/plimsoll/plimsoll/rundoc"
)

// ofSeveral is a short run with servers that run already.
func ofSeveral(topic string, servers ...*kvProcess) []string {
	args := []string{topic, "--rate", "20", "--batch", "50", "--duration", "1s", "--warmup-time", "200ms", "--settle", "30s"}
	for _, s := range servers {
		args = append(args, "--kv", s.url)
	}
	return args
}

// TestUpdatesOfServersThatAreSlow holds the spread against what the servers were told to take: no batch is applied by
// the slower ones before its delay is over, and the slowest of them is the last.
func TestUpdatesOfServersThatAreSlow(t *testing.T) {
	t.Parallel()
	b, err := broker.Start(t.Context(), broker.Config{JetStream: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	const slow, slowest = 300 * time.Millisecond, 2 * time.Second
	var servers []*kvProcess
	for i, delay := range []string{"2s", "0", "300ms"} {
		s := startKVProcess(t, b.URL(), "--subscription", "own-"+string(rune('a'+i)), "--apply-delay", delay, "--listeners", "16")
		defer s.end(t)
		servers = append(servers, s)
	}
	doc, d := startUpdates(t, ofSeveral(b.URL(), servers...)...).end(t, 0)
	total, err := doc.Totals()
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Servers) != 3 || d.Spread == nil || d.Spread.Batches != total.OK || !d.Proof.Complete {
		t.Fatalf("%d servers, spread %+v of %d batches, proof %+v", len(d.Servers), d.Spread, total.OK, d.Proof)
	}
	for i, want := range []time.Duration{slowest, 0, slow} {
		s := d.Alone(i).Stage(rundoc.StageE2EScheduled)
		if s.Summary.Count != total.OK || s.Summary.MinNS < int64(want) {
			t.Errorf("server %d: %d batches, the first after %v, want at least %v", i+1, s.Summary.Count,
				time.Duration(s.Summary.MinNS), want)
		}
		if !d.Servers[i].Proof.Complete || d.Servers[i].Proof.Received != d.Proof.Published {
			t.Errorf("server %d: %+v", i+1, d.Servers[i].Proof)
		}
	}
	if last := d.Stage(rundoc.StageE2EScheduled); last.Summary.MinNS < int64(slowest) {
		t.Errorf("everywhere after %v, and one server takes %v", time.Duration(last.Summary.MinNS), slowest)
	}
	// The server that is told to take two seconds is the last of each batch that no other one took longer for.
	over := int64(0)
	for i := 1; i < 3; i++ {
		if s := d.Alone(i).Stage(rundoc.StageE2EScheduled); s.Summary.MaxNS >= int64(slowest) {
			over += total.OK
		}
	}
	if over == 0 && (d.Servers[0].Last != total.OK || d.Servers[0].First != 0) {
		t.Errorf("the slowest server was last for %d of %d batches, and first for %d", d.Servers[0].Last, total.OK,
			d.Servers[0].First)
	}
}

// TestUpdatesOfServersThatShareASubscription: each of them gets a part of the batches alone, all of them together
// everything, and so nothing arrived everywhere.
func TestUpdatesOfServersThatShareASubscription(t *testing.T) {
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

// TestUpdatesOfServersThatAreStarted has each of them get every batch, with its own message service and with one that
// gives every batch to each subscription; the token of the service is in nobody's arguments.
func TestUpdatesOfServersThatAreStarted(t *testing.T) {
	t.Parallel()
	for _, topic := range [][]string{nil, {"nats+js://"}} {
		args := append(topic, "--servers", "3", "--rate", "20", "--batch", "50", "--duration", "1s", "--warmup-time", "0")
		_, d := startUpdates(t, args...).end(t, 0)
		if len(d.Servers) != 3 || !d.Proof.Complete || d.Spread.Batches+d.Spread.Untold == 0 {
			t.Errorf("%q: %d servers, %+v, %+v", topic, len(d.Servers), d.Proof, d.Spread)
		}
	}
}

// TestTheSameServerTwice is refused, also by another name.
func TestTheSameServerTwice(t *testing.T) {
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
