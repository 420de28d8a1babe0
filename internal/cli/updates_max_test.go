//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	broker "github.com/plimsoll/plimsoll/internal/target/nats"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestTheLargestRateIsSearchedAndMeasured searches from a rate that any machine sustains.
func TestTheLargestRateIsSearchedAndMeasured(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes all processors")
	}
	p := startUpdates(t, "--max", "--rate", "10", "--batch", "20000", "--duration", "500ms", "--warmup-time", "0", "--listeners", "1")
	if err := p.Wait(); err != nil && strings.Contains(p.stderr.String(), "not even") {
		t.Skipf("this machine is too busy: %s", p.stderr.String())
	}
	var doc rundoc.Run
	var d rundoc.UpdatesDetail
	if err := errors.Join(json.Unmarshal(p.stdout.Bytes(), &doc), json.Unmarshal(doc.Detail, &d)); err != nil {
		t.Fatalf("%v: %s", err, p.stderr.String())
	}
	n := len(d.Search)
	if n < 3 || !d.Search[0].Sustained || !d.Search[n-1].Sustained || d.Search[0].RatePerS != 10 || !d.Proof.Complete {
		t.Errorf("%+v\n%+v", d.Search, d.Proof)
	}
	var planned struct {
		Load struct {
			Rate float64 `json:"rate_per_s"`
		} `json:"load"`
	}
	if err := json.Unmarshal(doc.Plan, &planned); err != nil || planned.Load.Rate != d.Search[n-1].RatePerS {
		t.Errorf("%v: the plan has the rate %v, the search found %v", err, planned.Load.Rate, d.Search[n-1].RatePerS)
	}
	if !strings.Contains(strings.Join(d.Notes, " "), "the lowest rate that was not sustained") {
		t.Errorf("nothing is said of what was the limit: %q", d.Notes)
	}
}

// TestASearchThatIsInterruptedShowsWhatItFound interrupts it after the second trial.
func TestASearchThatIsInterruptedShowsWhatItFound(t *testing.T) {
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
		if told.WriteString(s.Text() + "\n"); strings.HasPrefix(s.Text(), "trial 2: ") {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Error(err)
			}
		}
	}
	err = cmd.Wait()
	if failed := (*exec.ExitError)(nil); !errors.As(err, &failed) || failed.ExitCode() != 130 {
		t.Errorf("%v\n%s", err, told.String())
	}
	for _, want := range []string{"The search for the largest rate ended early, after ", "interrupted in the search", "20.0", "Proof"} {
		if !strings.Contains(strings.Join(strings.Fields(stdout.String()), " "), want) {
			t.Errorf("no %q:\n%s\n%s", want, stdout.String(), told.String())
		}
	}
}

// TestAGridThatCannotGoOnShowsWhatItHas stops the broker after the first run.
func TestAGridThatCannotGoOnShowsWhatItHas(t *testing.T) {
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
