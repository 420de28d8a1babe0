package show_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Reasons, notes and what held a transfer up leave the times of the blocks whole. What those are without the generator's
// own delay goes before them.
func TestBriefKeepsBlockTimes(t *testing.T) {
	run := fixture(t, "bandwidth-stall")
	long := strings.Repeat("a sentence that goes on and on, ", 15)
	d := run.Bandwidth()
	d.Limits = []rundoc.Limit{
		{Transfer: "upload", What: "client", Share: 0.7, Message: long},
		{Transfer: "download", What: "client", Share: 0.7, Message: long},
	}
	for _, moved := range d.Transfers() {
		free := moved.Block
		half := *free.P50NS / 2
		free.P50NS, free.MaxNS = &half, free.MaxNS/2
		moved.Transfer.Block.Free = &free
	}
	run.Generator.CPUShare = 0.99
	run.Conclude() // a broken law: the operations know nothing of those halves
	for i := range run.Verdict.Reasons {
		run.Verdict.Reasons[i] += long // as many as there are: it would be judged anew
	}
	kind := show.Kind()
	for _, width := range []int{40, 48, 56, 66, 80, 120} {
		opt := report.Options{Width: width, Rest: reporttest.Rest}
		brief := reporttest.BriefOf(t, run, kind, opt)
		flat := strings.Join(strings.Fields(brief), " ")
		for _, want := range []string{
			"67.9 MB/s (543 Mbit/s): 400 MiB in 6.18 s", "135 MB/s (1,077 Mbit/s): 400 MiB in 3.12 s",
			"min 21.6 ms", "p50 39.1 ms", "max 2.03 s", "p50 29.9 ms", "max 55.1 ms", "INVALID: do not use these figures - broken law",
		} {
			if !strings.Contains(flat, want) {
				t.Errorf("no %q at %d columns:\n%s", want, width, brief)
			}
		}
	}
	reporttest.BriefFits(t, "long sentences", run, kind, 40, 48, 56, 66, 80, 120)
}

// A rate of a steady part is not said to be that of all that was moved.
func TestBriefOfASteadyPart(t *testing.T) {
	run := fixture(t, "bandwidth-stall")
	d := run.Bandwidth()
	d.Upload.Steady = &rundoc.SteadyPart{FromNS: 5e8, DurationNS: 5e9, Bytes: 400_000_000}
	d.Upload.BytesPerS = 8e7
	opt := report.Options{Width: 100, Rest: reporttest.Rest}
	flat := strings.Join(strings.Fields(reporttest.BriefOf(t, run, show.Kind(), opt)), " ")
	for _, want := range []string{
		"80.0 MB/s (640 Mbit/s) over 5.00 s; 400 MiB in 6.18 s in all", "400 MiB, again and again ·",
		"135 MB/s (1,077 Mbit/s): 400 MiB in 3.12 s",
	} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q:\n%s", want, flat)
		}
	}
}

// A command that makes less load is whole, or is not there.
func TestBriefHasWholeCommands(t *testing.T) {
	run := fixture(t, "bandwidth-stall")
	kind := show.Kind()
	kind.Less = func(*rundoc.Run, float64) string { return "plimsoll bandwidth --target-flag bandwidth=0.0128MB" }
	run.Generator.CPUShare = 0.99
	run.Conclude()
	if len(run.OwnReasons()) == 0 {
		t.Fatalf("its own machine did not limit it: %v", run.Verdict)
	}
	for _, width := range []int{40, 56, 60, 80, 200} {
		brief := reporttest.BriefOf(t, run, kind, report.Options{Width: width, Rest: reporttest.Rest})
		before, tail, _ := strings.Cut(brief, "\nNext")
		flat := strings.Join(strings.Fields(strings.ReplaceAll(tail, "\\\n", " ")), " ")
		if strings.Contains(before, "plimsoll bandwidth --") || !strings.HasSuffix(flat, kind.Less(nil, 0)) {
			t.Errorf("at %d columns:\n%s", width, brief)
		}
		if width >= 80 && !strings.Contains(before, "for a VALID one: see Next") {
			t.Errorf("at %d columns nothing leads to the next command:\n%s", width, brief)
		}
	}
}

// Many small files are told by how many there were in a second, and by the stages of their requests; few are not, nor
// large ones.
func TestBriefOfSmallFiles(t *testing.T) {
	brief := func(run *rundoc.Run) string {
		opt := report.Options{Width: 100, Rest: reporttest.Rest}
		return strings.Join(strings.Fields(reporttest.BriefOf(t, run, show.Kind(), opt)), " ")
	}
	run := fixture(t, "bandwidth-small")
	d := run.Bandwidth()
	d.Upload.DurationNS, d.Upload.BytesPerS = 12e9, 1200*4096/12.
	flat := brief(run)
	for _, want := range []string{
		"Upload 100 files/s (0.410 MB/s): 1,200 of 4 KiB in 12.0 s", "PutObject, p50 / p99: setup 8.0", "wait 3.9",
		"GetObject, p50 / p99: setup", "open: p50 4.0", "block: p50 5.0",
	} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q:\n%s", want, flat)
		}
	}
	for name, change := range map[string]func(){
		"few":   func() { d.Upload.Files, d.Upload.Bytes = 19, 19*4096 },
		"large": func() { d.Upload.Files, d.SizeBytes = 1200, 1<<20+1 },
	} {
		change()
		if got := brief(run); strings.Contains(got, "Upload 100 files/s") {
			t.Errorf("%s files: %s", name, got)
		}
	}
}
