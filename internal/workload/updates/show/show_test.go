package show_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/updates/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

var update = flag.Bool("update", false, "write the golden files")

// fixtures are the run documents under testdata.
var fixtures = []reporttest.Fixed{
	{Name: "updates"}, {Name: "updates-lost"}, {Name: "updates-clocks"}, {Name: "updates-restarted"},
	{Name: "updates-publish"}, {Name: "updates-max"}, {Name: "updates-few"}, {Name: "updates-bare"}, {Name: "updates-read"},
}

func setUpdates(run *rundoc.Run, d *rundoc.UpdatesDetail) { run.Detail = d }

func TestGolden(t *testing.T) {
	all := append(reporttest.Renderings(show.Kind()), reporttest.Buckets())
	reporttest.Goldens(t, fixtures, append(all, reporttest.Briefs(show.Kind())...), *update)
}

func TestReportFitsEachWidth(t *testing.T) {
	for _, f := range fixtures[:4] {
		reporttest.FitsEachWidth(t, f.Name, reporttest.Document(t, f.Name), show.Kind())
	}
}

func TestDocumentsHaveTheirVerdict(t *testing.T) {
	reporttest.MakeDocuments(t, fixtures, false)
}

func TestTextFitsTheScreen(t *testing.T) {
	for _, f := range fixtures {
		reporttest.FitsTheScreen(t, f.Name, reporttest.Document(t, f.Name), show.Kind(), "Proof ", "Batches ", "Verdict ")
	}
}

func TestChart(t *testing.T) {
	for _, f := range fixtures {
		if f.Name == "updates-few" { // it has no seconds of the server
			continue
		}
		run := reporttest.Document(t, f.Name)
		wanted := []string{"Throughput", "Response time"}
		if d := run.Updates(); d != nil && d.Proof != nil {
			wanted = []string{"Applied, updates/s", "End-to-end time from intended start", "time since window start"}
		}
		reporttest.SVG(t, f.Name, run, show.Kind(), wanted...)
	}
}

// The answer stands in the words that scripts and people look for.
func TestReportHasKeyPhrases(t *testing.T) {
	for name, wanted := range map[string][]string{
		"updates": {"\nProof          no losses, no duplicates, final state matches\n", "p99.9 ", " updates/s, 52,500 scheduled", "\nScheduled      10,500 batches = 10,500 in time\n"},
		"updates-lost": {"\nProof          INCOMPLETE: 48 batches of 472 lost\n", "\nScheduled      450 batches = 402 in time + 48 lost\n", "p50 663 µs · p90 never · max never from intended start, over all",
			"\n          0     11    12        2\n", "4 more ranges not shown; see the run document."},
		"updates-clocks":    {"The clock of the server was 72.3 s behind", `Negative values in "transit": `, "21 batches are without end-to-end times", "1,029 in time + 21 unknown (21 applied"},
		"updates-restarted": {"– (the server restarted during the run)"},
		"updates-publish":   {"\nPublished      45,000 updates/s: ", "\nScheduled      450 batches = 450 unknown\n", "\nProof          – (the run only published;"},
		"updates-max":       {"Search for the largest rate", "not sustained: the last batch", "1,180  ", "batches/s sustained"},
		"updates-few":       {"UNKNOWN: the server did not report what it received", " · interrupted · "},
		"updates-bare":      {"no data about the updates"},
	} {
		var out bytes.Buffer
		if err := report.Text(&out, reporttest.Document(t, name), show.Kind(), reporttest.Options()); err != nil {
			t.Fatal(err)
		}
		for _, want := range wanted {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", name, want, out.String())
			}
		}
		if name != "updates" && name != "updates-clocks" && name != "updates-restarted" && name != "updates-max" && strings.Contains(out.String(), "no losses") {
			t.Errorf("%s claims that nothing was lost", name)
		}
	}
}

// A server that stopped answering has not lost what it was not seen to have.
func TestReportOfUnknownProof(t *testing.T) {
	run := reporttest.Document(t, "updates-lost")
	d := run.Updates()
	d.Proof.Unknown, d.Proof.StateKnown, d.Proof.Problems = true, false, []string{"It did not answer within 30s."}
	setUpdates(run, d)
	var out, drawn bytes.Buffer
	if err := errors.Join(report.Text(&out, run, show.Kind(), reporttest.Options()), report.Chart(&drawn, run, show.Kind(), chart.SVG)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"UNKNOWN: 48 batches of 472 had not arrived when the server last responded", "Missing batches, by publisher", "not received when the server last",
	} {
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "INCOMPLETE") || !strings.Contains(drawn.String(), "proof UNKNOWN") {
		t.Errorf("it is called incomplete:\n%s", out.String())
	}
	d.Proof.Lost, d.Proof.LostSpans = 0, nil
	setUpdates(run, d)
	out.Reset()
	if err := report.Text(&out, run, show.Kind(), reporttest.Options()); err != nil || !strings.Contains(out.String(), "UNKNOWN: the batches arrived, but the state of the server could") {
		t.Errorf("%v: %s", err, out.String())
	}
}

// TestReportWithoutResponseOfOneServer: that others answered does not make its batches arrive, nor its rate 0.
func TestReportWithoutResponseOfOneServer(t *testing.T) {
	run := reporttest.Document(t, "updates-read")
	d := run.Updates()
	silent := &d.Servers[1]
	silent.Proof = &rundoc.Proof{Unknown: true, Published: d.Proof.Published, Expected: d.Proof.Expected,
		Problems: []string{"The server could not be queried: it has exited."}}
	silent.Stages, silent.Series, silent.AppliedPerS, silent.Receives, silent.Messages = nil, nil, 0, 0, 0
	d.Proof.Complete, d.Proof.Unknown, d.AppliedPerS = false, true, 0
	d.Proof.Problems = []string{"server 2: " + silent.Proof.Problems[0]}
	setUpdates(run, d)
	var out bytes.Buffer
	if err := report.Text(&out, run, show.Kind(), reporttest.Options()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Applied – (unknown: server 2 did not respond)", "UNKNOWN: server 2 did not report what arrived",
	} {
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "the batches arrived") || strings.Contains(out.String(), " 0 updates/s") {
		t.Errorf("it says more than is known:\n%s", out.String())
	}
	d.Servers[0].Proof = silent.Proof
	for name, want := range map[string]string{"applied": "servers 1, 2 reported nothing", "backlog": "servers 1, 2 reported nothing"} {
		for _, s := range show.Kind().Figures {
			if s.Name == name && s.Number(run, nil).Why != want {
				t.Errorf("%s: %+v", name, s.Number(run, nil))
			}
		}
	}
}

func TestHostileUpdatesDocuments(t *testing.T) {
	bad := "x\x1b[2J\r\n<script>|`&" + strings.Repeat("y", 5_000)
	for name, edit := range map[string]func(d *rundoc.UpdatesDetail){
		"nothing": func(d *rundoc.UpdatesDetail) { *d = rundoc.UpdatesDetail{} },
		"texts": func(d *rundoc.UpdatesDetail) {
			d.Transport, d.Client, d.Server, d.Notes = bad, bad, bad, []string{bad, ""}
			d.Proof.Complete, d.Proof.Problems = false, slices.Repeat([]string{bad}, 50)
			d.Stages[3].Name = bad
			d.Search = slices.Repeat([]rundoc.UpdateTrial{{Why: bad}}, 70)
			d.Samples = &rundoc.SamplesFile{Path: bad, Error: bad}
		},
		"empty stages": func(d *rundoc.UpdatesDetail) {
			for i := range d.Stages {
				d.Stages[i].UpdateStage = rundoc.UpdateStage{}
			}
		},
		"the same stage": func(d *rundoc.UpdatesDetail) { d.Stages = slices.Repeat(d.Stages[:1], 150) },
		"negative": func(d *rundoc.UpdatesDetail) {
			for i := range d.Stages {
				d.Stages[i].UpdateStage = rundoc.UpdateStage{Summary: rundoc.Summary{Count: -5, MeanNS: -1, MaxNS: math.MinInt64}, Negative: -1, NegativeMin: math.MinInt64}
			}
			d.Batch, d.Publishers, d.Listeners, d.NoClock, d.Receives, d.Messages = math.MinInt64, -1, -1, -1, -1, -1
			d.AppliedPerS, d.Clock = -1e308, rundoc.UpdateClock{OffsetNS: math.MinInt64, BoundNS: math.MinInt64, DriftNS: math.MinInt64}
		},
		"huge": func(d *rundoc.UpdatesDetail) {
			for i := range d.Stages {
				p := int64(math.MaxInt64)
				d.Stages[i].UpdateStage = rundoc.UpdateStage{
					Summary:  rundoc.Summary{Count: math.MaxInt64, MeanNS: math.MaxInt64, P50NS: &p, P99NS: &p, P999NS: &p, MaxNS: math.MaxInt64},
					Negative: math.MaxInt64, NegativeMin: math.MinInt64,
				}
			}
			d.Batch, d.NoClock, d.AppliedPerS = math.MaxInt64, math.MaxInt64, 1e308
			d.Clock = rundoc.UpdateClock{OffsetNS: math.MaxInt64, BoundNS: math.MaxInt64, DriftNS: math.MaxInt64}
			d.Search = []rundoc.UpdateTrial{{RatePerS: 1e308, AppliedPerS: -1e308, E2EP99NS: math.MinInt64, BacklogNS: math.MaxInt64}}
		},
		"counts": func(d *rundoc.UpdatesDetail) {
			*d.Proof = rundoc.Proof{
				Published: math.MaxInt64, Received: math.MinInt64, Lost: math.MaxInt64, Foreign: math.MaxInt64, Unsure: math.MaxInt64,
				Duplicates: math.MinInt64, Unreadable: -1, Updates: math.MinInt64, Applied: math.MaxInt64, Stale: math.MaxInt64, StateKnown: true,
			}
			d.Manifest.Batches = math.MinInt64
			d.Manifest.Publishers = []rundoc.Published{{Next: math.MaxUint64, Unsure: []uint64{math.MaxUint64}}}
		},
		"ranges": func(d *rundoc.UpdatesDetail) {
			d.Proof.Complete, d.Proof.Lost = false, 1
			d.Proof.LostSpans = slices.Repeat([]rundoc.LostSpan{{Publisher: math.MaxUint32, First: 0, Last: math.MaxUint64}, {First: 5, Last: 1}}, 5000)
		},
		"seconds": func(d *rundoc.UpdatesDetail) {
			d.Series = []rundoc.UpdateSecond{
				{Second: math.MinInt64, Batches: 1}, {Second: 1<<20 - 1, Batches: math.MaxInt64, Applied: math.MaxInt64, Stale: math.MaxInt64, E2EP50NS: -1, E2EP99NS: math.MaxInt64},
				{Second: math.MaxInt64}, {Second: 3, Applied: -1},
			}
		},
		"one second of ages": func(d *rundoc.UpdatesDetail) { d.Series = []rundoc.UpdateSecond{{Second: math.MaxInt64, Applied: 1}} },
		"no proof":           func(d *rundoc.UpdatesDetail) { d.Proof = nil },
		"empty proof":        func(d *rundoc.UpdatesDetail) { d.Proof = &rundoc.Proof{} },
	} {
		t.Run(name, func(t *testing.T) {
			run := reporttest.Document(t, "updates-clocks")
			d := run.Updates()
			edit(d)
			setUpdates(run, d)
			run.Verdict = rundoc.Verdict{} // it is judged
			showHostileUpdates(t, run, 0)
			run.Verdict.Validity = rundoc.Valid
			showHostileUpdates(t, run, math.MaxInt64)
		})
	}
}

func showHostileUpdates(t *testing.T, run *rundoc.Run, bucket time.Duration) {
	t.Helper()
	var out, text bytes.Buffer
	opt := report.Options{Bucket: bucket}
	if err := report.Text(&text, run, show.Kind(), opt); err != nil {
		t.Fatal(err)
	}
	_ = report.Markdown(&out, run, show.Kind(), opt)
	reporttest.BriefFits(t, "the answer", run, show.Kind(), 40, 56, 80)
	if bucket == 0 {
		_ = report.Chart(&out, run, show.Kind(), chart.SVG) // may have nothing to draw
	}
	_ = report.CSV(io.Discard, run, show.Kind())
	_ = rundoc.Warnings(run)
	all := text.String() + out.String()
	if strings.ContainsAny(all, "\x1b\r") || strings.Contains(all, strings.Repeat("y", 600)) || strings.Contains(all, "NaN") || strings.Contains(out.String(), "<script") {
		t.Error("harmful text, or figures that are none")
	}
	if n := len(text.String()); n > 100_000 {
		t.Errorf("%d bytes of text", n)
	}
	lines := strings.Split(text.String(), "\n")
	if first := strings.Join(lines[:min(40, len(lines))], "\n"); run.Verdict.Validity != "" && !strings.Contains(first, "Verdict ") {
		t.Errorf("no verdict on the first screen:\n%s", first)
	}
}

// gridRuns are two cells of the reference's table, one of which went wrong.
func gridRuns(t *testing.T) []show.GridRun {
	cells := show.GridCells()
	good, lost := reporttest.Document(t, "updates"), reporttest.Document(t, "updates-lost")
	return []show.GridRun{
		{GridCell: cells[7], ID: "20261122T080000Z-85f1", Detail: *good.Updates(), Validity: good.Verdict.Validity},
		{GridCell: cells[1], ID: "20261122T080030Z-77aa", Detail: *lost.Updates(), Validity: lost.Verdict.Validity},
		{GridCell: cells[0], ID: "\x1b[2J"},
	}
}

func TestWriteGridGolden(t *testing.T) {
	for _, tt := range []struct {
		name     string
		markdown bool
	}{{"updates-grid.txt", false}, {"updates-grid.md", true}} {
		var out bytes.Buffer
		if err := show.WriteGrid(&out, gridRuns(t), tt.markdown, report.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(out.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > 80 && !tt.markdown || strings.Contains(line, "\x1b") {
				t.Errorf("%d columns: %q", n, line)
			}
		}
		reporttest.Golden(t, tt.name, out.Bytes(), *update)
	}
	if err := show.WriteGrid(reporttest.FullDisk{}, gridRuns(t), false, report.Options{}); err == nil {
		t.Error("no error from a full disk")
	}
	if err := show.WriteGrid(io.Discard, nil, true, report.Options{}); err != nil {
		t.Error(err)
	}
}

func FuzzReports(f *testing.F) {
	for _, x := range fixtures[1:4] {
		data, err := os.ReadFile(filepath.Join("testdata", x.Name+".json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		run, err := rundoc.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		_ = report.Text(io.Discard, run, show.Kind(), report.Options{Bucket: time.Second})
		_ = report.Markdown(io.Discard, run, show.Kind(), report.Options{})
		_ = report.Chart(io.Discard, run, show.Kind(), chart.SVG)
	})
}
