//go:build unix

package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
	const line = "proof unknown: The final query of the server failed: no response within 5s."
	if !strings.Contains(said.String(), line) {
		t.Error(said.String())
	}
	doc, err := rundoc.ReadFile(filepath.Join(dir, "run.json"))
	if err != nil {
		list, _ := os.ReadDir(dir)
		t.Fatalf("%v: %v", err, list)
	}
	p := doc.Updates().Proof
	if p.Complete || !p.Unknown || p.StateKnown || p.Received > p.Published {
		t.Errorf("%+v", p)
	}
}
