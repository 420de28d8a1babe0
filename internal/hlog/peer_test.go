package hlog_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/hlog"
	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/rundoc"
)

// found are the figures of a tag that a tool finds in a log, in ns: "count", and percentiles by their names.
type found map[string]int64

// Python's hdrhistogram finds the counts and percentiles of the documents in their logs.
func TestPythonReadsLogs(t *testing.T) {
	python := peertest.Python(t)
	logs := logsOf(t, "../../rundoc/testdata/earlier/*.json", "../workload/http/testdata/*.json", "../../docs/pictures/run.json")
	args := []string{"testdata/python/percentiles.py"}
	for log := range logs {
		args = append(args, log)
	}
	if len(args) < 8 {
		t.Errorf("%d logs", len(args))
	}
	said, err := exec.CommandContext(t.Context(), python, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]map[string]found
	if err := json.Unmarshal(said, &all); err != nil {
		t.Fatal(err)
	}
	for log, doc := range logs {
		agrees(t, doc, func(want *rundoc.Summary, permille int64) int64 {
			return *map[int64]*int64{500: want.P50NS, 900: want.P90NS, 950: want.P95NS, 990: want.P99NS, 999: want.P999NS}[permille]
		}, func(tag string) found { return all[log][tag] })
	}
}

// TestJava: so does HdrHistogram's own HistogramLogProcessor, which takes seconds for a few logs.
func TestJava(t *testing.T) {
	jars := os.Getenv("PLIMSOLL_HDRHISTOGRAM")
	if jars == "" {
		t.Skip("PLIMSOLL_HDRHISTOGRAM is not set; run 'make test-sdks'")
	}
	logs := logsOf(t, "../../rundoc/testdata/earlier/c*.json", "../workload/http/testdata/*.json", "../../docs/pictures/run.json",
		"../workload/ws/show/testdata/*.json")
	if len(logs) < 5 {
		t.Errorf("%d logs", len(logs))
	}
	for log, doc := range logs {
		agrees(t, doc, atCeiling, func(tag string) found { return processed(t, jars, log, tag) })
	}
}

// atCeiling is a percentile as Java's HdrHistogram has it: at the rank ⌈p·n⌉, where ours, and those of Go and Python,
// round p·n.
func atCeiling(want *rundoc.Summary, permille int64) int64 {
	h, err := want.Histogram()
	if err != nil {
		return -1
	}
	rank := (permille*want.Count + 999) / 1000
	for _, bar := range h.Distribution() {
		if rank -= bar.Count; rank <= 0 {
			return max(want.MinNS, min(bar.To, want.MaxNS))
		}
	}
	return -1
}

// processed has HistogramLogProcessor read a tag of a log. The last line of its interval log is of all intervals:
// "1.000: I:3 ( … ) T:3 ( p50 p90 p99 p99.9 p99.99 max )".
func processed(t *testing.T, jars, log, tag string) found {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"-cp", filepath.Join(jars, "lib", "*"), "org.HdrHistogram.HistogramLogProcessor", "-i", log, "-o", out,
		"-outputValueUnitRatio", "1.0"}
	if tag != "" {
		args = append(args, "-tag", tag)
	}
	if said, err := exec.CommandContext(t.Context(), "java", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`T:(\d+) \(([ \d.]+)\)`).FindAllStringSubmatch(string(text), -1)
	if lines == nil {
		return nil
	}
	last := lines[len(lines)-1]
	f := found{"count": number(t, last[1])}
	for i, p := range strings.Fields(last[2])[:4] {
		f[[]string{"50", "90", "99", "99.9"}[i]] = number(t, p)
	}
	return f
}

func number(t *testing.T, text string) int64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return int64(v)
}

// document is a run document, and where it is.
type document struct {
	*rundoc.Run
	path string
}

// logsOf writes the logs of the documents at these places.
func logsOf(t *testing.T, patterns ...string) map[string]document {
	t.Helper()
	logs := map[string]document{}
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, path := range paths {
			doc, err := rundoc.ReadFile(path)
			if err != nil {
				continue // another file
			}
			log := filepath.Join(t.TempDir(), "x.hlog")
			f, err := os.Create(log)
			if err != nil {
				t.Fatal(err)
			}
			err = errors.Join(hlog.Document(f, doc), f.Close())
			switch {
			case err == nil:
				logs[log] = document{doc, path}
			case !errors.Is(err, hlog.ErrNothing):
				t.Logf("%s: %v", path, err) // made by hand, without histograms
			}
		}
	}
	return logs
}

// agrees holds the figures that a tool finds by tag against those of a document, whose percentiles at tells.
func agrees(t *testing.T, doc document, at func(*rundoc.Summary, int64) int64, find func(tag string) found) {
	t.Helper()
	var tags hlog.Tags
	tags.Of(hlog.OverTime)
	for i := range doc.Operations {
		if o := &doc.Operations[i]; o.ResponseTime.Count > 0 && len(o.Labels) == 0 {
			tag := tags.Of(o.Name)
			alike(t, doc.path, tag, &o.ResponseTime, at, find(tag))
		}
	}
	if doc.Total != nil && doc.Total.ResponseTime != nil {
		total, err := doc.Totals() // with the histogram
		if err != nil {
			t.Fatal(err)
		}
		alike(t, doc.path, "", &total.ResponseTime, at, find(""))
	}
	times := int64(0)
	for i := range doc.Slices {
		times += doc.Slices[i].ResponseTime.Count
	}
	if times > 0 {
		if got := find(hlog.OverTime)["count"]; got != times {
			t.Errorf("%s: %d times over time, want %d", doc.path, got, times)
		}
	}
}

// alike: percentiles of a document are brought within the exact least and most.
func alike(t *testing.T, path, tag string, want *rundoc.Summary, at func(*rundoc.Summary, int64) int64, got found) {
	t.Helper()
	if got["count"] != want.Count {
		t.Errorf("%s, %q: %d times, want %d", path, tag, got["count"], want.Count)
		return
	}
	for name, permille := range map[string]int64{"50": 500, "90": 900, "95": 950, "99": 990, "99.9": 999} {
		v, has := got[name]
		if !has || !rundoc.Supports(want.Count, permille) {
			continue
		}
		if v, p := max(want.MinNS, min(v, want.MaxNS)), at(want, permille); v != p {
			t.Errorf("%s, %q: p%s is %d ns, want %d", path, tag, name, v, p)
		}
	}
}
