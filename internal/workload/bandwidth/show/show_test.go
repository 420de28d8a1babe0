package show_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

var update = flag.Bool("update", false, "write the golden files")

// fixtures are the run documents under testdata.
var fixtures = []reporttest.Fixed{
	{Name: "bandwidth-s3"}, {Name: "bandwidth-reference"}, {Name: "bandwidth-stall"}, {Name: "bandwidth-close"},
	{Name: "bandwidth-corrupt"}, {Name: "bandwidth-cut"}, {Name: "bandwidth-file"}, {Name: "bandwidth-zero"},
	{Name: "bandwidth-bare"}, {Name: "bandwidth-small"},
}

// renderings are those of every kind, and the single operations.
func renderings() []reporttest.Rendering {
	return append(reporttest.Renderings(show.Kind()),
		reporttest.Rendering{Ext: "blocks.csv", Render: func(w io.Writer, r *rundoc.Run) error {
			if r.Bandwidth() == nil || r.Bandwidth().BlocksOmitted > 0 {
				return nil
			}
			return writeBlocks(w, r, report.RowColumns{Iteration: r.Bandwidth().Iterations > 1})
		}},
		reporttest.Rendering{Ext: "verbose.txt", Render: func(w io.Writer, r *rundoc.Run) error {
			if d := r.Bandwidth(); d == nil || len(d.Blocks) > 60 {
				return nil
			}
			return report.Text(w, r, show.Kind(), report.Options{Verbose: true})
		}})
}

func TestGolden(t *testing.T) {
	reporttest.Goldens(t, fixtures, append(renderings(), reporttest.Briefs(show.Kind())...), *update)
}

func TestReportFitsEachWidth(t *testing.T) {
	for _, f := range fixtures {
		reporttest.FitsEachWidth(t, f.Name, fixture(t, f.Name), show.Kind())
	}
}

func TestDocumentsHaveTheirVerdict(t *testing.T) {
	reporttest.MakeDocuments(t, fixtures, false)
}

func TestTextFitsTheScreen(t *testing.T) {
	for _, f := range fixtures {
		reporttest.FitsTheScreen(t, f.Name, fixture(t, f.Name), show.Kind(), "Checksum ", "Verdict ")
	}
}

func TestChart(t *testing.T) {
	for _, f := range fixtures {
		if f.Name != "bandwidth-bare" {
			reporttest.SVG(t, f.Name, fixture(t, f.Name), show.Kind(), "Bandwidth", "Block duration by start time", "time since window start")
		}
	}
	var out bytes.Buffer // pixels take long: one of them
	if err := report.Chart(&out, fixture(t, "bandwidth-cut"), show.Kind(), chart.PNG); err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(&out); err != nil {
		t.Fatal(err)
	}
}

// edit changes the detail of a document.
func edit(run *rundoc.Run, change func(d *rundoc.BandwidthDetail)) *rundoc.Run {
	change(run.Bandwidth())
	return run
}

func fixture(t testing.TB, name string) *rundoc.Run {
	t.Helper()
	return reporttest.Document(t, name)
}

// textOf is a document's text report.
func textOf(t *testing.T, run *rundoc.Run, opt report.Options) string {
	t.Helper()
	return reporttest.Text(t, run, show.Kind(), opt)
}

func writeBlocks(w io.Writer, run *rundoc.Run, columns report.RowColumns) error {
	write := show.Kind().RowsOf(run)
	if write == nil {
		return errors.New("no rows")
	}
	return write(w, columns)
}

func wantAll(t *testing.T, out string, wanted ...string) {
	t.Helper()
	flat := strings.Join(strings.Fields(out), " ")
	for _, want := range wanted {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestReportHasKeyPhrases(t *testing.T) {
	wantAll(t, textOf(t, fixture(t, "bandwidth-s3"), report.Options{Verbose: true}), "UploadPart 10 198 – slow-down 4, reset 2")
	for name, wanted := range map[string][]string{
		"bandwidth-s3": {
			"2 × 256 MiB, 3 times · blocks of 8 MiB · parts of 8 MiB, 8 in flight",
			"6 of 408 requests failed · 6 retries - retried requests by cause: slow-down 4, reset 2",
			"Limited by - upload: queue (81.0%): the writes waited",
			"UploadPart 12.8 12.0 – ok 192, aborted 6",
			"Ignored settings without effect here: fs.s3a.committer.name, fs.s3a.fast.upload.buffer.",
			"blocks.csv: 418 rows written",
			"fs.s3a.secret.key (secret)",
		},
		"bandwidth-close":   {"A close took 75.0 s", "6.65% of their time"},
		"bandwidth-corrupt": {"MISMATCH", "byte 41,943,047", "SUSPECT"},
		"bandwidth-cut":     {"· interrupted ·", "2 files not completed", "access-denied 1", "Download – (not started)", "2 of 3 uploads were not completed", "could not be deleted"},
		"bandwidth-stall":   {"max 2.03 s", "no byte moved for 2.00 s", "UploadPart (part", "Longest stall: 2.00 s at 0:02.40."},
		"bandwidth-zero":    {"1 empty file in 44.0 ms"},
		"bandwidth-bare":    {"– (no transfer in the document)", "SUSPECT"},
	} {
		wantAll(t, textOf(t, fixture(t, name), report.Options{}), wanted...)
	}
	if out := textOf(t, fixture(t, "bandwidth-file"), report.Options{}); strings.Contains(out, "Request") || strings.Contains(out, "network") {
		t.Errorf("a file store has requests:\n%s", out)
	}
}

// TestReportNamesPartsInFlight: what bounds the parts of all streams together is what is in flight.
func TestReportNamesPartsInFlight(t *testing.T) {
	for _, test := range []struct {
		streams, atOnce int
		want            string
	}{
		{1, 2, "parts of 8 MiB, 2 in flight ·"}, {2, 2, "parts of 8 MiB, 2 in flight in total"},
		{2, 16, "parts of 8 MiB, 8 in flight"}, {1, 8, "parts of 8 MiB, 8 in flight"},
	} {
		run := fixture(t, "bandwidth-s3")
		run.Bandwidth().Streams, run.Bandwidth().Store.AtOnce = test.streams, test.atOnce
		wantAll(t, textOf(t, run, report.Options{Verbose: true}), test.want,
			fmt.Sprintf("at most %d in flight in total", test.atOnce))
	}
}

func TestWriteBlocksReportsOmittedRows(t *testing.T) {
	run := edit(fixture(t, "bandwidth-reference"), func(d *rundoc.BandwidthDetail) { d.BlocksOmitted = 1000 })
	err := writeBlocks(io.Discard, run, report.RowColumns{})
	if fault.CodeOf(err) != fault.RunFailed || !strings.Contains(err.Error(), "37 of 1,037") {
		t.Errorf("%v", err)
	}
	if show.Kind().RowsOf(&rundoc.Run{Workload: rundoc.WorkloadBandwidth}) != nil {
		t.Error("a run without a detail has rows")
	}
	if err := writeBlocks(reporttest.FullDisk{}, fixture(t, "bandwidth-reference"), report.RowColumns{Iteration: true, Stream: true}); err == nil {
		t.Error("no error from a full disk")
	}
}

func TestHostileBandwidthDocuments(t *testing.T) {
	giant := strings.Repeat("y\x1b[2J", 2000)
	for name, change := range map[string]func(*rundoc.BandwidthDetail){
		"nothing": func(d *rundoc.BandwidthDetail) { *d = rundoc.BandwidthDetail{} },
		"negative sizes": func(d *rundoc.BandwidthDetail) {
			d.SizeBytes, d.BlockBytes, d.Streams, d.Iterations, d.Store.PartBytes, d.BlocksOmitted = -1, -1, -1, -1, -1, -1
		},
		"smallest sizes": func(d *rundoc.BandwidthDetail) {
			d.SizeBytes, d.BlockBytes, d.Streams = math.MinInt64, math.MinInt64, math.MinInt64
		},
		"largest sizes": func(d *rundoc.BandwidthDetail) {
			d.SizeBytes, d.BlockBytes, d.Streams, d.BlocksOmitted = math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64
		},
		"negative transfer": func(d *rundoc.BandwidthDetail) {
			*d.Upload = rundoc.Transfer{Files: -1, Failed: -1, Bytes: -1, DurationNS: -1, BytesPerS: -1, CloseShare: -1, BlockWithCloseNS: -1, DataNS: -1, FirstBlockNS: -1}
		},
		"endless transfer": func(d *rundoc.BandwidthDetail) {
			d.Upload.BytesPerS, d.Upload.CloseShare = math.MaxFloat64, math.MaxFloat64
			d.Upload.Bytes, d.Upload.DurationNS, d.Upload.DataNS = math.MaxInt64, math.MaxInt64, math.MaxInt64
		},
		"times of ages": func(d *rundoc.BandwidthDetail) {
			d.Upload.Block = rundoc.Summary{Count: math.MaxInt64, MinNS: math.MinInt64, MaxNS: math.MaxInt64}
		},
		"blocks of ages": func(d *rundoc.BandwidthDetail) {
			for i := range d.Blocks {
				d.Blocks[i].DurationNS = math.MaxInt64 - int64(i)
			}
		},
		"blocks in the far future": func(d *rundoc.BandwidthDetail) {
			for i := range d.Blocks {
				d.Blocks[i].StartNS, d.Blocks[i].DurationNS = math.MaxInt64, math.MaxInt64
			}
		},
		"blocks of ten days": func(d *rundoc.BandwidthDetail) {
			for i := range d.Blocks {
				d.Blocks[i].StartNS, d.Blocks[i].DurationNS = int64(i), 10*86400*int64(1e9)
			}
		},
		"negative blocks": func(d *rundoc.BandwidthDetail) {
			for i := range d.Blocks {
				d.Blocks[i] = rundoc.Block{Operation: d.Blocks[i].Operation, Stream: -1, Iteration: -1, Bytes: -5, Total: -5, StartNS: -5, DurationNS: -5}
			}
		},
		"blocks without time": func(d *rundoc.BandwidthDetail) {
			for i := range d.Blocks {
				d.Blocks[i].DurationNS = 0
			}
		},
		"seconds of ages": func(d *rundoc.BandwidthDetail) {
			d.Upload.Course = []rundoc.CoursePoint{{Second: math.MaxInt64, Client: 1}, {Second: math.MinInt64, Client: 1}, {Second: 1 << 19, Network: 9}}
			d.Blocks = nil
		},
		"bytes of ages": func(d *rundoc.BandwidthDetail) {
			d.Upload.Course = []rundoc.CoursePoint{{Client: math.MaxInt64, Network: math.MaxInt64}, {Second: 1, Client: math.MaxInt64}, {Second: 2, Client: -1}}
		},
		"odd iterations": func(d *rundoc.BandwidthDetail) {
			d.Upload.Iterations = []rundoc.IterationFigure{{Bytes: -1, DurationNS: -1}, {}, {Bytes: math.MaxInt64, DurationNS: 1}, {Bytes: 1, DurationNS: math.MaxInt64}}
		},
		"odd requests": func(d *rundoc.BandwidthDetail) {
			d.Requests = []rundoc.RequestFigures{{Attempts: -1, TotalNS: math.MinInt64}, {Name: giant, Attempts: math.MaxInt64, Failed: math.MinInt64,
				Handoff: &rundoc.BodyRate{Attempts: 1, BytesPerS: math.MaxFloat64}, Delivered: &rundoc.BodyRate{Attempts: 1, BytesPerS: -1},
				Qualities: map[string]int64{giant: math.MinInt64, "": math.MaxInt64},
				Limits:    map[string]int64{giant: math.MinInt64, "": math.MaxInt64}}}
		},
		"giant strings": func(d *rundoc.BandwidthDetail) {
			d.Store = rundoc.StoreUsed{Client: giant, Endpoint: giant, Integrity: giant, Data: giant, Policy: giant, Notes: []string{giant},
				Settings: []rundoc.Setting{{Name: giant, Value: giant, Source: giant}}, Ignored: []string{giant}}
			d.Checksum = rundoc.Checksum{Algorithm: giant, Verdict: giant, Mismatch: giant}
			d.Limits = []rundoc.Limit{{Transfer: giant, What: giant, Share: math.MaxFloat64, Message: giant}}
			d.Left, d.CSV = []string{giant}, &rundoc.SamplesFile{Path: giant, Lost: 1, Error: giant}
			for i := range d.Blocks {
				d.Blocks[i].Operation, d.Blocks[i].Cause = giant, giant
			}
			d.Checksum.Verdict = rundoc.ChecksumMismatch
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := edit(fixture(t, "bandwidth-reference"), change)
			run.Operations = run.Operations[:1] // histograms take long under the race detector
			run.Verdict, run.Warnings = rundoc.Judge(run), rundoc.Warnings(run)
			reporttest.RenderAll(t, run, show.Kind())
			_ = writeBlocks(io.Discard, run, report.RowColumns{Iteration: true})
			out := textOf(t, run, report.Options{Verbose: true})
			if strings.ContainsAny(out, "\x1b\r") || strings.Contains(out, strings.Repeat("y?[2J", 130)) {
				t.Error("harmful text is let through")
			}
			for _, bad := range []string{"NaN", "Inf"} {
				if strings.Contains(out, bad) {
					t.Errorf("%s in\n%s", bad, out)
				}
			}
		})
	}
	for name, detail := range map[string]string{"a list": `[]`, "null": `null`, "a word": `"x"`, "wrong types": `{"upload":7}`, "none": ``} {
		run := fixture(t, "bandwidth-zero")
		run.Detail = rundoc.DecodeDetail(run.Workload, []byte(detail))
		run.Plan = json.RawMessage(`null`)
		run.Verdict = rundoc.Judge(run)
		t.Run(name, func(t *testing.T) { reporttest.RenderAll(t, run, show.Kind()) })
	}
}

func FuzzBandwidthReports(f *testing.F) {
	for _, name := range []string{"bandwidth-zero", "bandwidth-cut", "bandwidth-corrupt"} {
		data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
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
		_, _ = rundoc.Judge(run), rundoc.Warnings(run)
		_ = report.Text(io.Discard, run, show.Kind(), report.Options{Verbose: true})
		_ = report.Markdown(io.Discard, run, show.Kind(), report.Options{})
		_ = writeBlocks(io.Discard, run, report.RowColumns{Iteration: true})
		_ = report.Chart(io.Discard, run, show.Kind(), chart.SVG)
	})
}
