//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/runtest"
)

// TestInterruptedSearchShowsWhatItFound interrupts a search after its first probe. On a busy machine the search may have
// ended by itself.
func TestInterruptedSearchShowsWhatItFound(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "plimsoll", "loadline", "http", "--no-save", "--vary", "clients",
		"--slo", "p50<1h,failed<100%", "--start", "1", "--highest", "100000", "--max-probe", "1s")
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	lines, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	for s := bufio.NewScanner(lines); s.Scan(); {
		if told.WriteString(s.Text() + "\n"); strings.HasPrefix(s.Text(), "probe 1: ") {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Error(err)
			}
		}
	}
	err = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		if code != 3 && !runtest.CompletedStatus(code) {
			t.Errorf("%v\n%s", err, told.String())
		}
		return
	}
	for _, want := range []string{"Result No result", "The search was interrupted.", "failed<100%"} {
		if !strings.Contains(strings.Join(strings.Fields(stdout.String()), " "), want) {
			t.Errorf("no %q:\n%s\n%s", want, stdout.String(), told.String())
		}
	}
	if !strings.Contains(told.String(), "interrupted: the results so far are saved (") {
		t.Error(told.String())
	}
}
