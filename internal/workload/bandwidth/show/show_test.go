//runtests:alone

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
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

var (
	update    = flag.Bool("update", false, "write the golden files")
	documents = flag.Bool("documents", false, "make the run documents under testdata anew")
)

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

func TestEachWidth(t *testing.T) {
	for _, f := range fixtures {
		reporttest.FitsEachWidth(t, f.Name, fixture(t, f.Name), show.Kind())
	}
}

func TestFixedDocumentsAreJudgedAsTheySay(t *testing.T) {
	reporttest.MakeDocuments(t, fixtures, *documents)
}

func TestTextFitsTheScreen(t *testing.T) {
	for _, f := range fixtures {
		reporttest.FitsTheScreen(t, f.Name, fixture(t, f.Name), show.Kind(), "Checksum ", "Failures ", "Verdict ")
	}
}

func TestChart(t *testing.T) {
	runs := map[string]*rundoc.Run{"one": onePointRun(), "many": manyPointsRun()}
	for _, f := range fixtures {
		if f.Name != "bandwidth-bare" {
			runs[f.Name] = fixture(t, f.Name)
		}
	}
	for name, run := range runs {
		reporttest.SVG(t, name, run, show.Kind(), "Bandwidth", "Duration of each block", "time since the start")
	}
	var out bytes.Buffer // pixels take long: one of them
	if err := report.Chart(&out, fixture(t, "bandwidth-cut"), show.Kind(), chart.PNG); err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(&out); err != nil {
		t.Fatal(err)
	}
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

// The figures of the reference's example, from its block times, in units of 10^6: 128 MiB in
// 397 + 19,470 + 11,706 ms up, and 47 + 69,450 + 3 ms down.
func TestFiguresOfTheReference(t *testing.T) {
	wantAll(t, textOf(t, fixture(t, "bandwidth-reference"), report.Options{Verbose: true}),
		"Upload 4.25 MB/s (34.0 Mbit/s): 128 MiB in 31.6 s",
		"data size 134,217,728 bytes in 1 file",
		"duration 31.573 s",
		"bandwidth 34.008 Mbit/s 4.251 MB/s (4.054 MiB/s)",
		"blocks 16: min 2.00 ms, mean 1.217 s, max 11.093 s",
		"close included 1.948 s", // (19.470 s + 11.706 s) ÷ 16; the reference adds the create and all blocks once more
		"close 11.706 s, 37.1 % of the streams' time",
		"duration 69.500 s",
		"bandwidth 15.450 Mbit/s 1.931 MB/s (1.842 MiB/s)",
		"blocks 16: min 1.773 s, mean 4.341 s, max 5.594 s",
		"write block 3 403 ms 99.0 ms 8,388,608 84.733",
		"read block 15 ",
	)
}

func TestIsNotOperationsPerSecond(t *testing.T) {
	for _, f := range fixtures {
		out := textOf(t, fixture(t, f.Name), report.Options{Verbose: true})
		for _, bad := range []string{"Throughput", "op/s", "client time", "Response time"} {
			if strings.Contains(out, bad) {
				t.Errorf("%s: %q in\n%s", f.Name, bad, out)
			}
		}
	}
}

func TestBandwidthAnswers(t *testing.T) {
	wantAll(t, textOf(t, fixture(t, "bandwidth-s3"), report.Options{Verbose: true}), "UploadPart 10 198 – slow-down 4, reset 2")
	for name, wanted := range map[string][]string{
		"bandwidth-s3": {
			"2 × 256 MiB, 3 times · blocks of 8 MiB · parts of 8 MiB, 8 in flight",
			"6 of 408 requests failed · 6 retries - requests tried again by cause: slow-down 4, reset 2",
			"Limited by - upload: queue (81.0 %): the writes waited",
			"UploadPart 12.8 12.0 – ok 192, aborted 6",
			"Ignored, because they mean nothing here: fs.s3a.committer.name, fs.s3a.fast.upload.buffer.",
			"blocks.csv: 418 rows written",
			"fs.s3a.secret.key (secret)",
		},
		"bandwidth-close":   {"A close took 75.0 s", "waited for the instrument in 6.65 %"},
		"bandwidth-corrupt": {"MISMATCH", "byte 41,943,047", "SUSPECT"},
		"bandwidth-cut":     {"· interrupted ·", "2 files not completed", "access-denied 1", "Download – (not begun)", "2 of 3 uploads were not completed", "could not delete: 1,"},
		"bandwidth-stall":   {"max 2.03 s", "not one byte moved for 2.00 s", "UploadPart (part", "The longest time without a byte: 2.00 s, from 0:02.40 on."},
		"bandwidth-zero":    {"1 empty file in 44.0 ms"},
		"bandwidth-bare":    {"– (the document has no transfer)", "SUSPECT", "does not say what was transferred"},
	} {
		wantAll(t, textOf(t, fixture(t, name), report.Options{}), wanted...)
	}
	if out := textOf(t, fixture(t, "bandwidth-file"), report.Options{}); strings.Contains(out, "Request") || strings.Contains(out, "network") {
		t.Errorf("a file store has requests:\n%s", out)
	}
}

// TestPartsOfAllStreams: what bounds the parts of all streams together is what is in flight.
func TestPartsOfAllStreams(t *testing.T) {
	for _, test := range []struct {
		streams, atOnce int
		want            string
	}{
		{1, 2, "parts of 8 MiB, 2 in flight ·"}, {2, 2, "parts of 8 MiB, 2 in flight of all streams"},
		{2, 16, "parts of 8 MiB, 8 in flight"}, {1, 8, "parts of 8 MiB, 8 in flight"},
	} {
		run := fixture(t, "bandwidth-s3")
		run.Bandwidth().Streams, run.Bandwidth().Store.AtOnce = test.streams, test.atOnce
		wantAll(t, textOf(t, run, report.Options{Verbose: true}), test.want,
			fmt.Sprintf("and of all streams at most %d in flight", test.atOnce))
	}
}

// The generator's own part stands beside the times of the blocks.
func TestBandwidthOwnPart(t *testing.T) {
	run := fixture(t, "bandwidth-s3")
	block := &run.Bandwidth().Upload.Block
	free := *block
	free.MaxNS = block.MaxNS / 2
	block.Free = &free
	wantAll(t, textOf(t, run, report.Options{}), "without the generator's own delay)", "block ", " free ", report.FreeLegend)
}

// 134,217,728 bytes × 1 ÷ 20 s are 6.71 MB/s: all writes had returned by then. The network
// carried the same bytes evenly over 31.573 s.
func TestBandwidthOverTimeInStretchesAsAsked(t *testing.T) {
	out := textOf(t, fixture(t, "bandwidth-reference"), report.Options{Bucket: 20 * time.Second})
	wantAll(t, out, "Upload bandwidth per 20s", "0:00 0:20 6.71 4.25", "0:20 0:31.57 0 4.25")
}

func TestBlockRows(t *testing.T) {
	block := rundoc.Block{Operation: `x"y`, Bytes: 8, Total: 16, DurationNS: 1_234_567, Iteration: 3, Stream: 7}
	const head, row = `"operation","bytes","total","duration"`, `"x""y",8,16,1.235`
	for columns, want := range map[report.RowColumns]string{
		{}:                              head + "\n" + row + "\n", // as Hadoop's tool of this name has it
		{Iteration: true}:               head + `,"iteration"` + "\n" + row + ",3\n",
		{Stream: true}:                  head + `,"stream"` + "\n" + row + ",7\n",
		{Iteration: true, Stream: true}: head + `,"iteration","stream"` + "\n" + row + ",3,7\n",
	} {
		var out bytes.Buffer
		if err := show.BlockHeader(&out, columns); err != nil {
			t.Fatal(err)
		}
		if err := show.BlockRow(&out, block, columns); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Error(diff)
		}
	}
}

// Two streams' files are told apart; one that failed has no total, and neither has one that
// was not closed.
func TestFileTotals(t *testing.T) {
	var totals show.FileTotals
	var got []rundoc.Block
	for _, b := range []rundoc.Block{
		{Operation: rundoc.OperationCloseUpload, Stream: 9, Iteration: 1, DurationNS: 5}, // never begun
		{Operation: rundoc.OperationCreate, Stream: 1, Iteration: 1, StartNS: 100, DurationNS: 10},
		{Operation: rundoc.OperationCreate, Stream: 2, Iteration: 1, StartNS: 105, DurationNS: 10},
		{Operation: rundoc.OperationUploadBlock, Stream: 1, Iteration: 1, Bytes: 7, Total: 7, StartNS: 110, DurationNS: 20},
		{Operation: rundoc.OperationUploadBlock, Stream: 2, Iteration: 1, Bytes: 7, StartNS: 115, DurationNS: 20, Cause: "reset"},
		{Operation: rundoc.OperationFlush, Stream: 1, Iteration: 1, StartNS: 130, DurationNS: 2},
		{Operation: rundoc.OperationUploadBlock, Stream: 1, Iteration: 1, Bytes: 3, Total: 10, StartNS: 132, DurationNS: 20},
		{Operation: rundoc.OperationCloseUpload, Stream: 2, Iteration: 1, StartNS: 140, DurationNS: 9},
		{Operation: rundoc.OperationCloseUpload, Stream: 1, Iteration: 1, Total: 10, StartNS: 152, DurationNS: 48},
		{Operation: rundoc.OperationRename, Stream: 1, Iteration: 1, StartNS: 200, DurationNS: 9},
		{Operation: rundoc.OperationOpen, Stream: 1, Iteration: 1, StartNS: 300, DurationNS: 10},
		{Operation: rundoc.OperationDownloadBlock, Stream: 1, Iteration: 1, Bytes: 10, Total: 10, StartNS: 310, DurationNS: 30},
		{Operation: rundoc.OperationCloseDownload, Stream: 1, Iteration: 1, StartNS: 340, DurationNS: 1},
		{Operation: rundoc.OperationDelete, Stream: 1, Iteration: 1, StartNS: 400, DurationNS: 9},
	} {
		if total, ok := totals.Add(b); ok {
			got = append(got, total)
		}
	}
	want := []rundoc.Block{
		{Operation: "upload", Stream: 1, Iteration: 1, Bytes: 10, Total: 10, StartNS: 100, DurationNS: 100},
		{Operation: "download", Stream: 1, Iteration: 1, Bytes: 10, Total: 10, StartNS: 300, DurationNS: 41},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWriteBlocksSaysWhatIsMissing(t *testing.T) {
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

func TestBandwidthProgress(t *testing.T) {
	live := report.Live{Phase: "upload", Elapsed: 8 * time.Second, Done: 0.25, Left: 24 * time.Second, About: true,
		Measured: true, Apart: true, Rate: 50, Bytes: 412_300_000, InFlight: 4}
	line := func() string { return report.Progress(show.Kind(), live, report.Screen{}) }
	if diff := cmp.Diff("upload · 0:08 · 412 MB/s (3,298 Mbit/s) · 0 errors · about 0:24 left", line()); diff != "" {
		t.Error(diff)
	}
	live.Bytes = 0 // in a close that takes long, the network may be busy
	if diff := cmp.Diff("upload · 0:08 · no block ended · 0 errors · about 0:24 left", line()); diff != "" {
		t.Error(diff)
	}
	live.InFlight = 0
	if line := line(); !strings.Contains(line, "0 MB/s") {
		t.Error(line)
	}
}

// What matters most has room longest: the time left, then phase, bytes and rate.
func TestBandwidthBar(t *testing.T) {
	live := report.Live{Phase: "download 2/3", Count: "12.0 GiB of 40.0 GiB", Elapsed: 8 * time.Second, Done: 0.3,
		Left: 150 * time.Second, About: true, Measured: true, Apart: true, Rate: 50, Bytes: 412_300_000, InFlight: 4}
	for width, want := range map[int]string{
		40:  "[█░░░░░]  30 %  ~2:30 left",
		60:  "[██░░░░░░]  30 %  download 2/3 · ~2:30 left",
		80:  "[███░░░░░░░]  30 %  download 2/3 · 12.0 GiB of 40.0 GiB · ~2:30 left",
		120: "[██████░░░░░░░░░░░░░░]  30 %  download 2/3 · 12.0 GiB of 40.0 GiB · ~2:30 left · 412 MB/s (3,298 Mbit/s) · 0 errors",
		200: "[██████░░░░░░░░░░░░░░]  30 %  download 2/3 · 12.0 GiB of 40.0 GiB · ~2:30 left · 412 MB/s (3,298 Mbit/s) · 0 errors",
	} {
		if got := report.Bar(show.Kind(), live, report.Screen{Width: width}); got != want {
			t.Errorf("%d columns:\n%s\nwant\n%s", width, got, want)
		}
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
				d.Blocks[i].StartNS, d.Blocks[i].DurationNS = int64(i), 10*86400*sec
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

// TestATransferThatWasCutOff has neither a bandwidth nor a duration.
func TestATransferThatWasCutOff(t *testing.T) {
	run := edit(cutRun(), func(d *rundoc.BandwidthDetail) {
		d.Upload.Files, d.Upload.Failed, d.Upload.Bytes, d.Upload.BytesPerS, d.Upload.DurationNS = 0, 3, 0, 0, 0
	})
	text := textOf(t, run, report.Options{})
	for _, want := range []string{"(no file was completed)", "not completed  "} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	for _, wrong := range []string{"empty file", "first create to last close", "0 MB/s ("} {
		if strings.Contains(text, wrong) {
			t.Errorf("the report has %q", wrong)
		}
	}
}

// Flushing and renaming have rows in the upload's times where they happened, and nowhere else.
func TestFlushAndRenameInTheSummary(t *testing.T) {
	row := func(name string) *regexp.Regexp { return regexp.MustCompile(`(?m)^  ` + name + ` +\d+ +[\d.]+ +–`) }
	run := *fixture(t, "bandwidth-reference")
	for _, name := range []string{"flush", "rename"} {
		if found := row(name).FindString(textOf(t, &run, report.Options{})); found != "" {
			t.Errorf("%q, and there was no %s", found, name)
		}
	}
	took := rundoc.Summary{Count: 3, MinNS: 2e6, MeanNS: 3e6, MaxNS: 4e6}
	run.Operations = append(slices.Clone(run.Operations), rundoc.Operation{Name: rundoc.OperationFlush, Scheduled: 3, OK: 3, ServiceTime: took},
		rundoc.Operation{Name: rundoc.OperationRename, Scheduled: 3, OK: 3, ServiceTime: took})
	text := textOf(t, &run, report.Options{})
	for _, name := range []string{"flush", "rename"} {
		if found := row(name).FindAllString(text, -1); len(found) != 1 { // none among the times of the download
			t.Errorf("%s: %q in\n%s", name, found, text)
		}
	}
	if !strings.Contains(text, "rename                          mean 3.00 ms, max 4.00 ms, not in the duration") {
		t.Error(text)
	}
}
