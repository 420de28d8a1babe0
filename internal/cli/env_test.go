//go:build unix

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A reader of stdout that has gone, as head does, is nobody's failure: the command says nothing
// of it, and its exit status is its own.
func TestStdoutIsNotReadToItsEnd(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]int{
		"version": 0, "--help": 0, "version --json": 0, "runs": 0, "overhead --list": 0,
		"bandwidth 1m mem: --no-save --quiet --json":           0,
		"bandwidth 1m mem: --no-save --quiet --markdown":       0,
		"bandwidth 1m file:/no/such/place/x --no-save --quiet": 1,
		"bandwidth 1m mem: --no-save --quiet --block 0":        2,
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Close()
		cmd := exec.Command("plimsoll", strings.Fields(args)...)
		cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = w, &stderr
		err = cmd.Run()
		_ = w.Close()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		if got := cmd.ProcessState.ExitCode(); got != want || strings.Contains(stderr.String(), "pipe") {
			t.Errorf("%s: status %d, want %d; %s", args, got, want, &stderr)
		}
	}
}
