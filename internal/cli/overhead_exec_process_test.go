//go:build linux

package cli

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/runtest"
)

// started runs the command by plimsoll, until the command says "here", and gives what the command's
// output comes by.
func started(t *testing.T, command string) (*exec.Cmd, *os.File) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = read.Close() })
	cmd := exec.Command("plimsoll", "overhead", "--no-save", "--quiet", "--exec", command)
	cmd.Stderr = write
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	for said := ""; !strings.Contains(said, "here\n"); {
		text := make([]byte, 100)
		n, err := read.Read(text)
		if said += string(text[:n]); err != nil {
			t.Fatalf("%v after %q", err, said)
		}
	}
	return cmd, read
}

// ended reports whether all processes have ended that could write to the other end of a pipe.
func ended(pipe *os.File) bool {
	_ = pipe.SetReadDeadline(time.Now().Add(runtest.Patience))
	_, err := io.Copy(io.Discard, pipe)
	return err == nil
}

// The command ends with us, even if we are killed, and so does what it has started.
func TestOverheadExecIsKilledWithUs(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"echo here >&2; exec sleep 600", "sh -c 'sleep 600; :' & echo here >&2; trap '' INT TERM HUP; wait"} {
		cmd, pipe := started(t, command)
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		if !ended(pipe) {
			t.Errorf("goes on: %s", command)
		}
	}
}

// What the command has left behind is ended with it.
func TestOverheadExecLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	cmd, pipe := started(t, "sleep 600 & echo here >&2")
	if err := cmd.Wait(); err == nil {
		t.Error("a command without a request went well")
	}
	if !ended(pipe) {
		t.Error("what the command has started goes on")
	}
}
