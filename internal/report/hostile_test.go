package report_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/rundoc"
)

func TestHostileDocuments(t *testing.T) {
	for name, edit := range map[string]func(*rundoc.Run){
		"window of ages":         func(r *rundoc.Run) { r.Ledger.WindowNS = math.MaxInt64 },
		"window of nothing":      func(r *rundoc.Run) { r.Ledger.WindowNS = 1 },
		"negative window":        func(r *rundoc.Run) { r.Ledger.WindowNS = -5; r.Phases[1].DurationNS = -5 },
		"seconds out of range":   func(r *rundoc.Run) { r.Series[0].Second, r.Series[1].Second = math.MaxInt64, math.MinInt64 },
		"seconds and no window":  func(r *rundoc.Run) { r.Series[0].Second = math.MaxInt64; r.Ledger.WindowNS, r.Phases = 0, nil },
		"points that are longer": func(r *rundoc.Run) { r.Series[0].Seconds, r.Series[1].Seconds = math.MaxInt64, -1 },
		"points of no window": func(r *rundoc.Run) {
			r.Series[0].Second, r.Series[0].Seconds, r.Ledger.WindowNS, r.Phases = 1<<62, math.MaxInt64, 0, nil
		},
		"points in a window of ages": func(r *rundoc.Run) {
			r.Series[0].Seconds, r.Ledger.WindowNS, r.Series[1].Second = math.MaxInt64, math.MaxInt64, math.MinInt64
		},
		"negative counts":     func(r *rundoc.Run) { r.Series[0].OK, r.Operations[0].OK = -7, -7 },
		"huge counts":         func(r *rundoc.Run) { r.Series[0].OK = math.MaxInt64 },
		"tiny and huge times": func(r *rundoc.Run) { r.Series[0].P50NS, r.Series[0].P99NS = 1, math.MaxInt64 },
		"broken histogram":    func(r *rundoc.Run) { r.Operations[0].ResponseTime.HDR = "AAAA" },
		"huge rate":           func(r *rundoc.Run) { r.Operations[0].RatePerS = math.MaxFloat64 },
		"unknown verdict":     func(r *rundoc.Run) { r.Verdict.Validity = "so so" },
		"detail of a list":    func(r *rundoc.Run) { r.Detail = rundoc.RawDetail(`[]`) },
		"plan of depths": func(r *rundoc.Run) {
			r.Plan = json.RawMessage(strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000))
		},
		"own times out of range": func(r *rundoc.Run) {
			lowest, highest := int64(math.MinInt64), int64(math.MaxInt64)
			free := rundoc.Summary{Count: highest, MeanNS: lowest, P99NS: &lowest, MaxNS: lowest}
			for i := range r.Operations {
				r.Operations[i].ResponseTime.Free, r.Operations[i].ServiceTime.Free = &free, &free
			}
			r.Plan = json.RawMessage(`{"load":{"rate_per_s":1}}`)
			g := &r.Generator
			g.OwnDelay, g.OwnTimeNS, g.ResponseTimeNS = &free, highest, 1
			g.RunDelayNS, g.Processors, g.GCShare = &lowest, []float64{-1, math.MaxFloat64}, math.MaxFloat64
			g.Stamps = &rundoc.Stamps{Used: lowest, Missing: highest}
			g.Hiccups = &rundoc.Hiccups{Lateness: free, Gaps: lowest, GapsNS: highest, LongNS: highest, Longest: []rundoc.Gap{
				{AtNS: lowest, NS: highest}, {AtNS: highest, NS: highest}, {AtNS: -1, NS: highest}, {NS: lowest},
			}}
			r.Little.Slots, r.Little.Variance, r.Little.Dropped = lowest, math.MaxFloat64, lowest
		},
		"negative clients": func(r *rundoc.Run) { r.Ledger.Clients = -1 },
		"no phases":        func(r *rundoc.Run) { r.Phases = nil },
	} {
		t.Run(name, func(t *testing.T) {
			run := fixture(t, "tiny")
			run.Series = append(run.Series, rundoc.Point{Second: 1, OK: 2, P50NS: 4e6, P99NS: 5e6})
			edit(run)
			reporttest.RenderAll(t, run, kindOf(run))
		})
	}
}

func TestControlCharactersAreEscaped(t *testing.T) {
	run := fixture(t, "failing")
	bad := "x\x1b[2J\r\n<script>|`&" + strings.Repeat("y", 1000)
	run.Target.URL, run.ID, run.Workload = bad, bad, bad
	run.Operations[0].Causes = []rundoc.Cause{{Cause: bad, Count: 1}}
	run.Verdict.Reasons = []string{bad}
	run.Generator.Unseen = []string{bad}
	run.Ledger.States[bad] = 1e9
	for _, format := range reporttest.Renderings(kindOf(run))[:2] {
		var out bytes.Buffer
		if err := format.Render(&out, run); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(out.String(), "\x1b\r") || strings.Contains(out.String(), strings.Repeat("y", 600)) {
			t.Errorf("%s lets harmful text through", format.Ext)
		}
		if format.Ext == "md" && strings.Contains(out.String(), "<script") {
			t.Error("markup in the Markdown report")
		}
	}
	var out bytes.Buffer
	if err := showChart(&out, run, chart.SVG); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "<script") {
		t.Error("markup in the chart")
	}
}

func TestWriteErrorsAreReported(t *testing.T) {
	run := fixture(t, "good")
	for _, format := range append(reporttest.Renderings(kindOf(run)), reporttest.Buckets()) {
		if err := format.Render(reporttest.FullDisk{}, run); err == nil {
			t.Errorf("%s: no error from a full disk", format.Ext)
		}
	}
	for _, format := range []chart.Format{chart.PNG, chart.SVG} {
		if err := showChart(reporttest.FullDisk{}, run, format); err == nil {
			t.Errorf("chart %s: no error from a full disk", format)
		}
	}
}

func FuzzReports(f *testing.F) {
	for _, x := range fixtures[2:] {
		data, err := os.ReadFile(filepath.Join("testdata", x.Name+".json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		run, err := rundoc.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		_ = showText(io.Discard, run, report.Options{Bucket: time.Second})
		_ = showMarkdown(io.Discard, run, report.Options{})
		_ = report.Text(io.Discard, run, kindOf(run), report.Options{Width: 40})
		_ = report.Brief(io.Discard, run, kindOf(run), report.Options{Width: 40})
		_ = showChart(io.Discard, run, chart.SVG)
	})
}
