//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	broker "github.com/plimsoll/plimsoll/internal/server/nats"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// TestTheLargestRateIsALoadLine searches from a rate that a machine sustains which does nothing else. One that does may
// sustain no rate at all, or keep the publisher from its time.
func TestTheLargestRateIsALoadLine(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes all processors")
	}
	p := startUpdates(t, "--max", "--rate", "10", "--batch", "20000", "--duration", "500ms", "--warmup-time", "0", "--listeners", "1",
		"--threshold", "visibility.max<10s")
	_ = p.Wait() // its status is looked at below
	status, said := p.ProcessState.ExitCode(), p.stderr.String()
	var set setdoc.Set
	if err := json.Unmarshal(p.stdout.Bytes(), &set); err != nil || set.Loadline == nil {
		t.Fatalf("%v: %s", err, said)
	}
	l := set.Loadline
	found := slices.Contains([]string{setdoc.LineFound, setdoc.LineWide}, l.Ending) && l.Range[0] >= 2 && (status == 0 || status == 4)
	gaveUp := l.Ending == setdoc.LineBelow && status >= 3 || l.Ending == setdoc.LineGenerator && status == 4
	if !found && !gaveUp || l.Probes[0].Load != 10 || l.Workload != "updates" || len(l.SLO) != 5 || l.LongestNS != 5e8 {
		t.Errorf("status %d, %s of %d probes: %+v\n%s", status, l.Ending, len(l.Probes), l.SLO, said)
	}
	if l.Ending != setdoc.LineGenerator && !strings.Contains(l.Processors, "the lowest load that failed, the generator used ") {
		t.Errorf("nothing is said of the processors: %q", l.Processors)
	}
}

// TestASearchThatIsInterruptedShowsWhatItFound interrupts it after the second probe.
func TestASearchThatIsInterruptedShowsWhatItFound(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "plimsoll", "updates", "--no-save", "--max", "--rate", "10", "--batch", "10", "--duration", "300ms", "--warmup-time", "0")
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
		if told.WriteString(s.Text() + "\n"); strings.HasPrefix(s.Text(), "probe 2: ") {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Error(err)
			}
		}
	}
	err = cmd.Wait()
	if failed := (*exec.ExitError)(nil); !errors.As(err, &failed) || failed.ExitCode() != 130 {
		t.Errorf("%v\n%s", err, told.String())
	}
	for _, want := range []string{"Load line not found", "The search was cut short.", "failed<=0"} {
		if !strings.Contains(strings.Join(strings.Fields(stdout.String()), " "), want) {
			t.Errorf("no %q:\n%s\n%s", want, stdout.String(), told.String())
		}
	}
	if !strings.Contains(told.String(), "interrupted: the set has what was measured until then, in ") {
		t.Error(told.String())
	}
}

// TestAGridThatCannotGoOnShowsWhatItHas stops the broker after the first run.
func TestAGridThatCannotGoOnShowsWhatItHas(t *testing.T) {
	t.Parallel()
	b, err := broker.Start(t.Context(), broker.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	cmd := exec.CommandContext(t.Context(), "plimsoll", "updates", b.URL(), "--no-save", "--grid", "--duration", "300ms", "--warmup-time", "0")
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
		if told.WriteString(s.Text() + "\n"); strings.HasPrefix(s.Text(), "run 3 of 8") {
			_ = b.Close()
		}
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(stdout.String(), "1,000") && !strings.Contains(stdout.String(), "1000 × 45") {
		t.Errorf("%v\n%s\n%s", err, stdout.String(), told.String())
	}
}

// TestASearchThatFindsNothingSaysWhy has a server without the memory for one batch.
func TestASearchThatFindsNothingSaysWhy(t *testing.T) {
	t.Parallel()
	p := startUpdates(t, "--max", "--rate", "2", "--batch", "9000", "--key-length", "60", "--value-length", "800", "--target-flag", "memory=32m",
		"--duration", "3s", "--warmup-time", "0", "--settle", "100ms")
	_ = p.Wait()
	var set setdoc.Set
	if err := json.Unmarshal(p.stdout.Bytes(), &set); err != nil || set.Loadline == nil {
		t.Fatalf("%v: %s", err, p.stderr.String())
	}
	want := 3
	if set.Verdict.Validity == rundoc.Invalid { // a busy machine
		want = 4
	}
	if got := p.ProcessState.ExitCode(); got != want {
		t.Errorf("exit status %d: %s", got, p.stderr.String())
	}
	l := set.Loadline
	if l.Ending != setdoc.LineBelow || len(l.Limits) == 0 || !strings.Contains(l.Why, "The SLO is not met at 2.00 batches/s, the lowest load: ") {
		t.Errorf("%s: %s: %+v", l.Ending, l.Why, l.Limits)
	}
}
