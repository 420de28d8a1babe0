package cli

import (
	"bytes"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// fixedRuns are the documents of a kind that tests keep.
func fixedRuns(t *testing.T, kind string) (all []*rundoc.Run) {
	t.Helper()
	for _, pattern := range []string{"../workload/*/show/testdata/*.json", "../workload/http/testdata/*.json", "../report/testdata/*.json",
		"../../rundoc/testdata/earlier/*.json"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(names), err)
		}
		for _, name := range names {
			if doc, err := rundoc.ReadFile(name); err == nil && doc.Workload == kind {
				doc.Aborted, doc.Interrupted, doc.Verdict = "", false, rundoc.Verdict{Validity: rundoc.Valid}
				all = append(all, doc)
			}
		}
	}
	if len(all) == 0 {
		t.Fatal("there is no fixed document")
	}
	return append(all, plenty(t, all[0]), plenty(t, all[len(all)-1]))
}

// plenty is a run that has times of every sort, and enough of them for each percentile.
func plenty(t *testing.T, of *rundoc.Run) *rundoc.Run {
	t.Helper()
	h := hdrhistogram.New(1, 1e12, 3)
	for i := range int64(20_000) {
		if err := h.RecordValue(1e6 + 1000*i); err != nil {
			t.Fatal(err)
		}
	}
	times := rundoc.Summarize(h, rundoc.Exact{Min: 1e6, Max: 21e6 - 1000, Sum: 20_000 * 11e6})
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

// plentyOfReads are reads beside the updates that found each batch that was due.
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

// everyFigure is all that can be asked of a kind: each name, each statistic of its times, and what is a count and a
// share as both. What means nothing over all operations is asked of the first one.
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

// limit is a value of a figure as a person writes it, so that it is read as that very value.
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

// Each figure of each kind, held against limits a little below and a little above it: it is met or missed, the exit
// status says so, and the report shows it. A run that does not have it cannot tell, and no more can one whose generator
// is the reason.
func TestEachFigureOfEachKindAsAThreshold(t *testing.T) {
	peertest.NothingRaces(t, "it judges kept runs thousands of times")
	t.Parallel()
	for _, k := range kinds() {
		t.Run(k.Name, func(t *testing.T) {
			runs, known := fixedRuns(t, k.Name), k.Report.Known(k.Name)
			goals := map[int][]rundoc.Threshold{}
			for _, spec := range everyFigure(t, known, runs) {
				i := slices.IndexFunc(runs, func(doc *rundoc.Run) bool { return spec.Of(doc).Why == "" })
				if i < 0 {
					t.Errorf("%s: no fixed document has it: %s", spec, spec.Of(runs[len(runs)-1]).Why)
					continue
				}
				goals[i] = append(goals[i], eachWay(t, k, spec, runs[i])...)
			}
			for i, with := range goals {
				doc := *runs[i]
				doc.Thresholds = with
				shown(t, k, &doc)
			}
		})
	}
}

// eachWay holds a figure against limits on both sides of its value.
func eachWay(t *testing.T, k run.Kind, spec figure.Spec, doc *rundoc.Run) (all []rundoc.Threshold) {
	t.Helper()
	v := spec.Of(doc)
	step := max(v.Raw/1000, 1)
	if u := spec.Unit(); u == figure.Share || u == figure.PerSecond || u == figure.BytesPerSec {
		step = max(v.Raw/1000, 1e-4)
	}
	above, below := limit(spec.Unit(), v.Raw+step), limit(spec.Unit(), v.Raw-step)
	for _, test := range []struct {
		op, limit string
		met       bool
	}{
		{"<", above, true}, {"<=", above, true}, {">", above, false}, {">=", above, false},
		{"<", below, false}, {"<=", below, false}, {">", below, true}, {">=", below, true},
	} {
		if test.limit == below && v.Raw-step <= 0 || test.limit == above && spec.Unit() == figure.Share && v.Raw+step >= 1 {
			continue // nothing is less than 0, or more than all
		}
		goal, err := threshold.Parse(spec.String()+test.op+test.limit, k.Report.Known(k.Name))
		if err != nil {
			t.Errorf("%s%s%s: %v", spec, test.op, test.limit, err)
			continue
		}
		j := goal.Judge(doc)
		if j.Value == nil || *j.Value != v.Raw || j.Met != test.met || goal.Figure().Unit() != spec.Unit() {
			t.Errorf("%s of %v: %+v", goal.Expr(), v.Raw, j)
			continue
		}
		want := fault.OK
		if !test.met {
			want = fault.Missed
			if j.Free != nil && goal.Holds(*j.Free) {
				want = fault.Untrusted
			}
		}
		concluded(t, doc, goal, want)
		all = append(all, j)
	}
	// A run in which nothing happened.
	goal, err := threshold.Parse(spec.String()+">"+above, k.Report.Known(k.Name))
	if err == nil && spec.Of(&rundoc.Run{Workload: k.Name}).Why != "" {
		concluded(t, &rundoc.Run{Workload: k.Name}, goal, fault.Untrusted)
	}
	return all
}

// concluded checks what a run with a goal ends with.
func concluded(t *testing.T, doc *rundoc.Run, goal threshold.Threshold, want fault.Code) {
	t.Helper()
	with := *doc
	with.Thresholds = []rundoc.Threshold{goal.Judge(doc)}
	with.Operations = []rundoc.Operation{{Name: "else", Scheduled: 1, OK: 1}} // the run itself is to be no failure
	err := run.Outcome(&with, "operations", run.Conclusion{})
	if fault.CodeOf(err) != want {
		t.Errorf("%s ends with %v, %v; want %v", goal.Expr(), fault.CodeOf(err), err, want)
	}
}

// shown checks the rows of a report.
func shown(t *testing.T, k run.Kind, doc *rundoc.Run) {
	t.Helper()
	var text bytes.Buffer
	opt := report.Options{Width: 400}
	if err := report.Text(&text, doc, k.Report, opt); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text.String(), "\n")
	words := map[threshold.Result]string{threshold.Met: "met", threshold.Missed: "MISSED", threshold.Untold: "cannot be told"}
	for i := range doc.Thresholds {
		goal := &doc.Thresholds[i]
		value, _, _ := threshold.Values(goal)
		if !slices.ContainsFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, "  "+units.Shorten(goal.Expr, 60)+" ") && strings.Contains(line, "  "+value+"  ") &&
				strings.HasSuffix(line, "  "+words[threshold.Of(goal)])
		}) {
			t.Errorf("the report does not show %s, %s, %s", goal.Expr, value, words[threshold.Of(goal)])
		}
	}
}
