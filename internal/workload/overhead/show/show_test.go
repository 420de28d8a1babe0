//runtests:alone

package show_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

var (
	update    = flag.Bool("update", false, "write the golden files")
	documents = flag.Bool("documents", false, "make the run documents under testdata anew")
)

func TestGolden(t *testing.T) {
	all := append(reporttest.Renderings(show.Kind()), reporttest.Briefs(show.Kind())...)
	reporttest.Goldens(t, overheadFixtures, all, *update)
}

func TestEachWidth(t *testing.T) {
	for _, f := range overheadFixtures {
		reporttest.FitsEachWidth(t, f.Name, reporttest.Document(t, f.Name), show.Kind())
	}
}

func TestFixedDocumentsAreJudgedAsTheySay(t *testing.T) {
	reporttest.MakeDocuments(t, overheadFixtures, *documents)
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

// A value that JSON cannot have, in a document that never was JSON.
func TestOverheadFiguresThatAreNone(t *testing.T) {
	now, before := pair()
	now.Detail = rundoc.DecodeDetail(now.Workload, []byte(`{"mode":"sdk","rows":[{"overhead":{"n":1e99}}]}`))
	if out := showOverhead(now, before); !strings.Contains(out, "the document has no operation") {
		t.Error(out)
	}
	if _, err := show.Compare(now, before, math.NaN()); err == nil {
		t.Error("a share of NaN was taken")
	}
}

// The drawings must fit under a help text's indent.
func TestDrawingsFit(t *testing.T) {
	for _, drawing := range []string{show.CallDrawing, show.AttemptDrawing, show.ExecDrawing} {
		for _, line := range strings.Split(drawing, "\n") {
			if n := utf8.RuneCountInString(line); n > 76 || strings.TrimRight(line, " ") != line {
				t.Errorf("%d columns: %q", n, line)
			}
		}
	}
}

func TestOverheadWriteErrorsAreReported(t *testing.T) {
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

// All 18 operations of the table, the null client and the verdict are on the first screen.
func TestEighteenRowsFitTheScreen(t *testing.T) {
	calls := append(slices.Clone(defaultCalls), call{"Pinpoint", "GetEndpoint", 190, 90}, call{"Pinpoint", "PutEvents", 191, 91})
	var out bytes.Buffer
	if err := report.Text(&out, overheadOf(overheadDetail(4, calls, 120)), show.Kind(), reporttest.Options()); err != nil {
		t.Fatal(err)
	}
	first := strings.Join(strings.Split(out.String(), "\n")[:24], "\n")
	for _, want := range []string{"S3 HeadObject", "Pinpoint PutEvents", "\n  null client (net/http alone) ", "\nVerdict "} {
		if !strings.Contains(first, want) {
			t.Errorf("no %q on the first screen:\n%s", want, first)
		}
	}
}

// In a terminal that is too narrow for the table before the answer, that has the columns that fit, and names the others.
func TestBriefInANarrowTerminal(t *testing.T) {
	run := reporttest.Document(t, "overhead")
	for width, wanted := range map[int][]string{
		80: {"call    CPU  allocs\n", "\n  Secrets Manager PutSecretValue "},
		60: {"\n  median, ms; CPU: mean            client  overhead   call\n", "\n  left out here: CPU, allocs\n"},
	} {
		got := reporttest.BriefOf(t, run, show.Kind(), report.Options{Width: width, Rest: reporttest.Rest})
		for _, want := range wanted {
			if !strings.Contains(got, want) {
				t.Errorf("no %q at %d columns:\n%s", want, width, got)
			}
		}
		if n := strings.Count(got, " 0."); n < 16 {
			t.Errorf("%d figures at %d columns:\n%s", n, width, got)
		}
	}
}

// The tables in Markdown are those of the reference, column for column: each with its figure at the head, and then these.
func TestMarkdownHasTheColumnsOfTheReference(t *testing.T) {
	var out bytes.Buffer
	if err := report.Markdown(&out, reporttest.Document(t, "overhead"), show.Kind(), reporttest.Options()); err != nil {
		t.Fatal(err)
	}
	spaces := regexp.MustCompile(" +")
	tables := spaces.ReplaceAllString(out.String(), " ")
	for _, head := range []string{"Overhead (ms)", "E2E Duration (ms)", "Client time (ms)"} {
		want := "| | " + head + " | n | min | avg | med | p90 | p99 | max |\n" +
			"| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n" +
			"| **S3** | | | | | | | | |\n| —HeadObject | | "
		if !strings.Contains(tables, want) {
			t.Errorf("no table with\n%s", want)
		}
	}
}
