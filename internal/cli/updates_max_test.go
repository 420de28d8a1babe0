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

	broker "github.com/plimsoll/plimsoll/internal/server/nats"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestTheLargestRateIsSearchedAndMeasured searches from a rate that a machine sustains which does
// nothing else. One that does may sustain no rate at all, or none for as long as the measurement lasts.
func TestTheLargestRateIsSearchedAndMeasured(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes all processors")
	}
	p := startUpdates(t, "--max", "--rate", "10", "--batch", "20000", "--duration", "500ms", "--warmup-time", "0", "--listeners", "1")
	_ = p.Wait() // its status is looked at below
	status, said := p.ProcessState.ExitCode(), p.stderr.String()
	var doc rundoc.Run
	if err := json.Unmarshal(p.stdout.Bytes(), &doc); err != nil || doc.Updates() == nil || len(doc.Updates().Search) < 3 {
		t.Fatalf("%v: %+v: %s", err, doc.Detail, said)
	}
	d := doc.Updates()
	var planned struct {
		Load struct {
			Rate float64 `json:"rate_per_s"`
		} `json:"load"`
	}
	if err := json.Unmarshal(doc.Plan, &planned); err != nil {
		t.Fatal(err)
	}
	last := d.Search[len(d.Search)-1]
	measured := last.Sustained && d.Proof.Complete && doc.Verdict.Validity != rundoc.Invalid && planned.Load.Rate == last.RatePerS && (status == 0 || status == 4)
	gaveUp := !last.Sustained && planned.Load.Rate >= last.RatePerS && status == 1 && strings.Contains(said, "plimsoll: not even ")
	if d.Search[0].RatePerS != 10 || !measured && !gaveUp {
		t.Errorf("status %d, of the rate %v: %+v\n%+v\n%s", status, planned.Load.Rate, d.Search, d.Proof, said)
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
	second := "10.0" // the rate that is tried then: a busy machine may not sustain the first one at once
	for s := bufio.NewScanner(lines); s.Scan(); {
		if told.WriteString(s.Text() + "\n"); strings.HasPrefix(s.Text(), "trial 2: 20 ") {
			second = "20.0"
		}
		if strings.HasPrefix(s.Text(), "trial 2: ") {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Error(err)
			}
		}
	}
	err = cmd.Wait()
	if failed := (*exec.ExitError)(nil); !errors.As(err, &failed) || failed.ExitCode() != 130 {
		t.Errorf("%v\n%s", err, told.String())
	}
	for _, want := range []string{"The search for the largest rate ended early, after ", "interrupted in the search", second + " ", "Proof"} {
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

// TestASearchThatFindsNothingShowsItsTrials has a server without the memory for one batch.
func TestASearchThatFindsNothingShowsItsTrials(t *testing.T) {
	p := startUpdates(t, "--max", "--rate", "2", "--batch", "9000", "--key-length", "60", "--value-length", "800", "--target-flag", "memory=32m",
		"--duration", "3s", "--warmup-time", "0", "--settle", "100ms")
	_, d := p.end(t, 1)
	if len(d.Search) != 2 || d.Search[1].Sustained || d.Proof.Complete {
		t.Errorf("%+v\n%+v", d.Search, d.Proof)
	}
	if notes := strings.Join(d.Notes, " "); !strings.Contains(notes, "found none, after 2 trials") || !strings.Contains(notes, "of a rate that was not sustained") {
		t.Error(notes)
	}
	if !strings.Contains(p.stderr.String(), "plimsoll: not even 2 batches a second were sustained: ") {
		t.Error(p.stderr.String())
	}
}
