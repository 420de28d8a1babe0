package cli

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/rundoc"
)

// fixedDocuments reads all golden documents.
var fixedDocuments = sync.OnceValues(func() (all []*rundoc.Run, err error) {
	for _, pattern := range []string{"../workload/*/show/testdata/*.json", "../workload/http/testdata/*.json", "../report/testdata/*.json",
		"../../rundoc/testdata/earlier/*.json"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			return nil, fmt.Errorf("%s: %d files, %w", pattern, len(names), err)
		}
		for _, name := range names {
			if doc, err := rundoc.ReadFile(name); err == nil {
				doc.Aborted, doc.Interrupted, doc.Verdict = "", false, rundoc.Verdict{Validity: rundoc.Valid}
				all = append(all, doc)
			}
		}
	}
	return all, nil
})

// fixedRuns returns the golden documents of a kind, and two that have every metric.
func fixedRuns(t *testing.T, kind string) (all []*rundoc.Run) {
	t.Helper()
	docs, err := fixedDocuments()
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range docs {
		if doc.Workload == kind {
			all = append(all, doc)
		}
	}
	if len(all) == 0 {
		t.Fatalf("there is no golden document of %s", kind)
	}
	return append(all, plenty(t, all[0]), plenty(t, all[len(all)-1]))
}

// plenty returns a copy of a run with times of every sort, and enough of them for each percentile.
func plenty(t *testing.T, of *rundoc.Run) *rundoc.Run {
	t.Helper()
	h := hdrhistogram.New(1, 1e12, 3)
	for i := range int64(20_000) {
		if err := h.RecordValue(1e6 + 1e6*(i%20)); err != nil {
			t.Fatal(err)
		}
	}
	times := rundoc.Summarize(h, rundoc.Exact{Min: 1e6, Max: 20e6, Sum: 20_000 * 10.5e6})
	doc := *of
	doc.Operations = slices.Clone(of.Operations)
	for i := range doc.Operations {
		o := &doc.Operations[i]
		o.ResponseTime, o.ServiceTime, o.SendDelay, o.FirstAttempt = times, times, times, times
		if o.Stages != nil {
			o.Stages = &rundoc.Stages{Send: times, Wait: times, Body: times}
		}
	}
	doc.Flows = slices.Clone(of.Flows)
	for i := range doc.Flows {
		doc.Flows[i].ResponseTime = times
	}
	doc.Connections.ConnectTime = times
	switch d := doc.Detail.(type) {
	case *rundoc.ChatDetail:
		own := *d
		own.ByRoom = []rundoc.RoomFigures{{Room: "1", OK: 1990, Failed: 10, RatePerS: 99.5, MeanNS: 2e6, P50NS: 1e6, P99NS: 9e6}}
		own.Fanout = &rundoc.Fanout{First: times, Median: times, Last: times, Lost: 3, Duplicated: 4, Misordered: 5}
		doc.Detail = &own
	case *rundoc.WSDetail:
		own := *d
		own.ByRoom = []rundoc.RoomFigures{{Room: "1", OK: 1990, Failed: 10, RatePerS: 99.5, MeanNS: 2e6, P50NS: 1e6, P99NS: 9e6}}
		own.Fanout = &rundoc.Fanout{First: times, Median: times, Last: times, Lost: 3, Duplicated: 4, Misordered: 5}
		doc.Detail = &own
	case *rundoc.OverheadDetail:
		own := *d
		own.Rows = slices.Clone(d.Rows)
		for i := range own.Rows {
			r := &own.Rows[i]
			r.Overhead.N, r.SDKTime.N = 2000, 2000
			r.ClientTime, r.Call = r.Overhead, r.Overhead
		}
		doc.Detail = &own
	case *rundoc.UpdatesDetail:
		own := *d
		own.Stages = slices.Clone(d.Stages)
		for i := range own.Stages {
			own.Stages[i].Summary, own.Stages[i].Negative = times, 0
		}
		for _, name := range []string{rundoc.StageE2EBroker, rundoc.StageAcknowledge, rundoc.StageFirst, rundoc.StageSpread} {
			if d.Stage(name) == nil {
				stage := rundoc.NamedStage{Name: name}
				stage.Summary = times
				own.Stages = append(own.Stages, stage)
			}
		}
		own.Reads = plentyOfReads(d, times)
		doc.Detail = &own
	}
	return &doc
}

// plentyOfReads returns reads that found each batch that was due.
func plentyOfReads(d *rundoc.UpdatesDetail, times rundoc.Summary) *rundoc.UpdateReads {
	found := &rundoc.ReadBatches{Batches: times.Count}
	if d.Due != nil {
		found.Batches = d.Due.Batches
	}
	found.Seen, found.Times.Summary, found.Resolution.Summary = found.Batches, times, times
	return &rundoc.UpdateReads{Keys: rundoc.ReadRecent, RatePerS: 100, Readers: 1, Asked: times.Count, Found: times.Count,
		Operation: rundoc.Operation{Name: "read", Scheduled: times.Count, OK: times.Count, ServiceTime: times,
			ResponseTime: times, SendDelay: times}, Batches: found}
}

// everyFigure returns all metrics of a kind: each name, each statistic of its times, and a count also as a share. A
// metric that needs an operation is asked of the first one.
func everyFigure(t *testing.T, known figure.Known, runs []*rundoc.Run) (all []figure.Spec) {
	t.Helper()
	for _, name := range figure.Names(known) {
		names := []string{name}
		if family, timed := strings.CutSuffix(name, ".p50"); timed {
			for _, st := range []string{"p90", "p95", "p99.9", "min"} {
				names = append(names, family+"."+st)
			}
		}
		for _, name := range names {
			spec, err := figure.Parse(name, known)
			if err != nil && known.Mixed {
				spec, err = figure.Parse(name+"{operation="+runs[0].Operations[0].Name+"}", known)
			}
			if err != nil {
				if !strings.Contains(err.Error(), "is not a figure") { // "overhead.p95" is none
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			all = append(all, spec)
			for _, unit := range []figure.Unit{figure.Count, figure.Share} {
				if other, can := spec.In(unit); can && unit != spec.Unit() {
					all = append(all, other)
				}
			}
		}
	}
	return all
}

// limit returns a value as a user writes it, so that it is parsed as exactly that value.
func limit(unit figure.Unit, v float64) string {
	switch text := strconv.FormatFloat(v, 'f', -1, 64); unit {
	case figure.Time:
		return strconv.FormatFloat(math.Round(v), 'f', -1, 64) + "ns"
	case figure.PerSecond:
		return text + "/s"
	case figure.BytesPerSec:
		return text + "B/s"
	case figure.Share:
		return strconv.FormatFloat(v*100, 'f', 9, 64) + "%"
	}
	return strconv.FormatFloat(math.Round(v), 'f', -1, 64)
}

// TestEveryMetricCanBeAThreshold holds each metric of each kind against a limit a little above and a little below its
// value.
func TestEveryMetricCanBeAThreshold(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		runs, known := fixedRuns(t, k.Name), k.Report.Known(k.Name)
		for _, spec := range everyFigure(t, known, runs) {
			i := slices.IndexFunc(runs, func(doc *rundoc.Run) bool { return spec.Of(doc).Why == "" })
			if i < 0 {
				t.Errorf("%s: %s: no fixed document has it: %s", k.Name, spec, spec.Of(runs[len(runs)-1]).Why)
				continue
			}
			v := spec.Of(runs[i]).Raw
			step := max(v/1000, 1)
			if u := spec.Unit(); u == figure.Share || u == figure.PerSecond || u == figure.BytesPerSec {
				step = max(v/1000, 1e-4)
			}
			for _, at := range []float64{v + step, v - step} {
				if at <= 0 || spec.Unit() == figure.Share && at >= 1 {
					continue // nothing is less than 0, or more than all
				}
				goal, err := threshold.Parse(spec.String()+"<"+limit(spec.Unit(), at), known)
				if err != nil {
					t.Errorf("%s: %v", k.Name, err)
					continue
				}
				if j := goal.Judge(runs[i]); j.Value == nil || *j.Value != v || j.Met != (v < at) {
					t.Errorf("%s: %s with %v: %+v", k.Name, goal.Expr(), v, j)
				}
			}
		}
	}
}
