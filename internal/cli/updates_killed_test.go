//go:build unix

package cli

import (
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/saved"
	broker "github.com/plimsoll/plimsoll/internal/server/nats"
	"github.com/plimsoll/plimsoll/internal/workload/updates/manifest"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestAKilledRunIsChecked kills a publisher with SIGKILL in the middle of its run, behind one that ended well. What it
// had published by the broker's own count is what the check of the last run finds, and says that it is of that run.
func TestAKilledRunIsChecked(t *testing.T) {
	t.Parallel()
	b, err := broker.Start(t.Context(), broker.Config{JetStream: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	server := startKVProcess(t, b.URL(), "--subscription", "test")
	defer server.end(t)
	state := t.TempDir()
	plimsoll := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), "plimsoll", append([]string{"updates", "--kv", server.url, "--timeout", "1m"}, args...)...)
		cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
		return cmd
	}
	load := []string{b.URL(), "--json", "--rate", "300", "--batch", "20", "--hot-keys", "700", "--deletes", "10%", "--warmup-time", "0"}
	said, err := plimsoll(append(load, "--duration", "200ms")...).Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) && failed.ExitCode() != 4 || len(said) == 0 {
		t.Fatalf("%v: %s", err, said)
	}
	before := stored(t, b.URL())
	run := plimsoll(append(load, "--duration", "1m", "--drain", "1m")...)
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	var head manifest.Head
	until(t, "manifest", func() bool {
		found, _ := filepath.Glob(filepath.Join(state, "plimsoll", "runs", "*", saved.UnfinishedFile))
		if len(found) == 1 {
			head, _ = manifest.ReadHead(found[0]) // it goes on
		}
		return head.ID != ""
	})
	until(t, "batch", func() bool {
		got, err := server.client.Run(t.Context(), head.Run, kvapi.RunOptions{})
		return err == nil && got.Rows.Applied > 500
	})
	text, err := plimsoll("--verify", "last").CombinedOutput()
	if err == nil || !strings.Contains(string(text), "run "+head.ID+" is still running") {
		t.Errorf("while it goes on: %v: %s", err, text)
	}
	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait()
	out, err := plimsoll("--verify", "last", "--json").Output()
	var got struct {
		Run    string
		Killed bool
		rundoc.Proof
	}
	if bad := json.Unmarshal(out, &got); err != nil || bad != nil {
		t.Fatalf("%v: %s", errors.Join(err, bad), out)
	}
	if count := stored(t, b.URL()) - before; !got.Complete || !got.StateKnown || got.Run != head.ID || !got.Killed ||
		got.Received != count || got.Published+got.Unsure != count || got.Published == 0 || got.Updates != 20*count {
		t.Errorf("%d batches at the broker, %+v", count, got)
	}
	text, err = plimsoll("--verify", "last").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(text), "Run "+head.ID+" (killed) at "+server.url+": no losses") {
		t.Errorf("%v: %s", err, text)
	}
	text, err = plimsoll("--verify", "last~1").CombinedOutput()
	if err != nil || strings.Contains(string(text), head.ID) || strings.Contains(string(text), "killed") {
		t.Errorf("the run before: %v: %s", err, text)
	}
}

// stored is how many messages a broker has ever stored in its only stream, by its own count.
func stored(t *testing.T, address string) int64 {
	t.Helper()
	var last uint64
	onBroker(t, address, func(js jetstream.JetStream) {
		streams := js.ListStreams(t.Context())
		for s := range streams.Info() {
			last += s.State.LastSeq
		}
		if streams.Err() != nil {
			t.Fatal(streams.Err())
		}
	})
	return int64(last)
}

// onBroker does something at a broker, as somebody else.
func onBroker(t *testing.T, address string, do func(jetstream.JetStream)) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := nats.Connect("nats://"+u.Host, nats.Token(u.User.Username()), nats.Timeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	do(js)
}
