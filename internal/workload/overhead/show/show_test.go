package show_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

var update = flag.Bool("update", false, "write the golden files")

func TestGolden(t *testing.T) {
	all := append(reporttest.Renderings(show.Kind()), reporttest.Briefs(show.Kind())...)
	reporttest.Goldens(t, overheadFixtures, all, *update)
}

func TestReportFitsEachWidth(t *testing.T) {
	for _, f := range overheadFixtures {
		reporttest.FitsEachWidth(t, f.Name, reporttest.Document(t, f.Name), show.Kind())
	}
}

func TestDocumentsHaveTheirVerdict(t *testing.T) {
	reporttest.MakeDocuments(t, overheadFixtures, false)
}

func TestTextFitsTheScreen(t *testing.T) {
	for _, f := range overheadFixtures {
		reporttest.FitsTheScreen(t, f.Name, reporttest.Document(t, f.Name), show.Kind(), "Verdict ")
	}
}

// showOverhead renders a document in every way, compared with another in both directions.
func showOverhead(run, other *rundoc.Run) string {
	var out bytes.Buffer
	for _, pair := range [][2]*rundoc.Run{{run, other}, {other, run}} {
		c, err := show.Compare(pair[0], pair[1], show.DefaultMinEffect)
		if err != nil {
			continue
		}
		_ = c.Worse()
		out.WriteString(c.Summary())
		_ = show.ComparisonText(&out, c)
		_ = show.ComparisonMarkdown(&out, c)
		d := *pair[0].Overhead()
		d.Baseline = c.Document(pair[1])
		setDetail(pair[0], d)
	}
	_ = report.Text(&out, run, show.Kind(), reporttest.Options())
	_ = report.Markdown(&out, run, show.Kind(), reporttest.Options())
	_ = report.CSV(io.Discard, run, show.Kind())
	return out.String()
}

func TestHostileOverheadDocuments(t *testing.T) {
	bad := "x\x1b[2J\r\n<script>|`&" + strings.Repeat("y", 100_000)
	for name, edit := range map[string]func(d *rundoc.OverheadDetail){
		"no rows":      func(d *rundoc.OverheadDetail) { d.Rows = nil },
		"empty rows":   func(d *rundoc.OverheadDetail) { d.Rows = make([]rundoc.OverheadRow, 3) },
		"the same row": func(d *rundoc.OverheadDetail) { d.Rows[1] = d.Rows[0] },
		"long names": func(d *rundoc.OverheadDetail) {
			d.Rows[0].Service, d.Rows[0].Operation, d.Null.Service, d.Mode, d.Command = bad, bad, bad, bad, bad
			d.Environment.SDK, d.Environment.Modules, d.Environment.Endpoint, d.Environment.Protocol = bad, []string{bad, bad}, bad, bad
			d.Notes = []string{bad, ""}
		},
		"negative": func(d *rundoc.OverheadDetail) {
			for i := range d.Rows {
				d.Rows[i].Overhead = rundoc.Sample{N: -5, MinNS: -1, AvgNS: -2, MedNS: -3, P90NS: -4, P99NS: -5, MaxNS: -6, Values: slices.Repeat([]int64{-7}, 30)}
				d.Rows[i].Failed, d.Rows[i].ErrorNS, d.Rows[i].AllocationsPerCall, d.Rows[i].BytesPerCall = -1, math.MinInt64, -1, -1
			}
			d.Environment.LatencyNS, d.Environment.Concurrency, d.Environment.Calls = math.MinInt64, math.MinInt64, -1
		},
		"huge": func(d *rundoc.OverheadDetail) {
			for i := range d.Rows {
				d.Rows[i].Overhead = rundoc.Sample{N: math.MaxInt64, MinNS: -1e308, AvgNS: 1e308, MedNS: 1e308, P90NS: 1e308, P99NS: 1e308, MaxNS: 1e308,
					Values: slices.Repeat([]int64{math.MaxInt64, math.MinInt64}, 30)}
				d.Rows[i].Stages = map[string]float64{rundoc.StageHTTP: 1e308, rundoc.StageSign: 1e308, bad: -1e308}
				d.Rows[i].Failed, d.Rows[i].ErrorNS, d.Rows[i].AllocationsPerCall, d.Rows[i].BytesPerCall = math.MaxInt64, math.MaxInt64, 1e308, 1e17
			}
		},
		"median 0": func(d *rundoc.OverheadDetail) {
			d.Rows[0].Overhead.Values, d.Rows[0].Overhead.MedNS = make([]int64, 40), 0
		},
		"tiny median":  func(d *rundoc.OverheadDetail) { d.Rows[0].Overhead.Values, d.Rows[0].Overhead.MedNS = nil, 1e-300 },
		"null of none": func(d *rundoc.OverheadDetail) { d.Null = &rundoc.OverheadRow{} },
		"thousand rows": func(d *rundoc.OverheadDetail) {
			for i := range 1000 {
				d.Rows = append(d.Rows, rundoc.OverheadRow{Service: fmt.Sprint(i % 7), Operation: fmt.Sprint(i), Overhead: rundoc.Sample{N: 1}})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			now, before := pair()
			edited(now, edit)
			now.Verdict = rundoc.Verdict{Validity: rundoc.Valid}
			out := showOverhead(now, before)
			_ = report.Chart(io.Discard, now, show.Kind(), chart.SVG) // an error: it has no series
			reporttest.BriefFits(t, name, now, show.Kind(), 40, 55, 56, 80, 200)
			if strings.ContainsAny(out, "\x1b\r") || strings.Contains(out, strings.Repeat("y", 600)) || strings.Contains(out, "NaN") || strings.Contains(out, "Inf") {
				t.Error("harmful text, or figures that are none")
			}
			var csv bytes.Buffer
			if err := report.CSV(&csv, now, show.Kind()); err != nil || bytes.ContainsAny(csv.Bytes(), "\x1b\r") {
				t.Errorf("harmful CSV: %v", err)
			}
			var text bytes.Buffer
			if err := report.Text(&text, now, show.Kind(), reporttest.Options()); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(text.String(), "\n")
			if first := strings.Join(lines[:min(24, len(lines))], "\n"); !strings.Contains(first, "Verdict ") {
				t.Errorf("no verdict on the first screen:\n%s", first)
			}
		})
	}
}

func TestWriteErrorsAreReported(t *testing.T) {
	now, before := pair()
	c := compared(t, now, before)
	for name, err := range map[string]error{
		"text": show.ComparisonText(reporttest.FullDisk{}, c), "Markdown": show.ComparisonMarkdown(reporttest.FullDisk{}, c), "CSV": report.CSV(reporttest.FullDisk{}, now, show.Kind()),
	} {
		if err == nil {
			t.Errorf("%s: no error from a full disk", name)
		}
	}
}

func FuzzOverhead(f *testing.F) {
	// Small seeds: the fuzzer changes single bytes, and most of a large one are values.
	small := overheadDetail(1, twoCalls, 25)
	raw, err := json.Marshal(small)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"rows":[{"service":"a","overhead":{"n":2,"values_ns":[1,-1]}}],"null":{}}`))
	before := overheadOf(small)
	f.Fuzz(func(t *testing.T, detail []byte) {
		if !json.Valid(detail) {
			return
		}
		run := *before
		run.Detail, run.Verdict = rundoc.DecodeDetail(run.Workload, detail), rundoc.Verdict{}
		if out := showOverhead(&run, before); strings.ContainsAny(out, "\x1b\r") {
			t.Error("harmful text")
		}
		_ = rundoc.Warnings(&run)
	})
}
