//go:build unix

package cli

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	broker "github.com/plimsoll/plimsoll/internal/server/nats"
)

// TestWhyBatchesAreMissing has somebody delete the server's consumer while nobody minds it, publishes, and lets the
// server go on: the check names what the server noticed, and no guess.
func TestWhyBatchesAreMissing(t *testing.T) {
	t.Parallel()
	b, err := broker.Start(t.Context(), broker.Config{JetStream: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	server := startKVProcess(t, b.URL(), "--subscription", "test")
	defer server.end(t)
	if err := server.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Process.Signal(syscall.SIGCONT) }() // before it is ended
	onBroker(t, b.URL(), func(js jetstream.JetStream) {
		names := js.StreamNames(t.Context())
		for name := range names.Name() {
			if err := js.DeleteConsumer(t.Context(), name, "test"); err != nil {
				t.Fatal(err)
			}
		}
		if names.Err() != nil {
			t.Fatal(names.Err())
		}
	})
	state := t.TempDir()
	plimsoll := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), "plimsoll", append([]string{"updates"}, args...)...)
		cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
		return cmd.CombinedOutput()
	}
	text, err := plimsoll(b.URL(), "--publish-only", "--rate", "300", "--batch", "20", "--duration", "200ms", "--warmup-time", "0")
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) && failed.ExitCode() != 4 {
		t.Fatalf("%v: %s", err, text)
	}
	if err := server.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	until(t, "new consumer", func() bool {
		got, err := server.client.Run(t.Context(), 1, kvapi.RunOptions{})
		return err == nil && slices.ContainsFunc(got.Events, func(e kvapi.Event) bool { return e.Kind == "remade" })
	})
	text, err = plimsoll("--check", "last", "--kv", server.url, "--timeout", "1m", "--settle", "1s")
	const want = "The server noticed: the consumer test was deleted, and made again: what was published meanwhile it does not get"
	if failed := (*exec.ExitError)(nil); !errors.As(err, &failed) || failed.ExitCode() != 3 ||
		!strings.Contains(strings.Join(strings.Fields(string(text)), " "), want) {
		t.Errorf("%v: %s", err, text)
	}
}
