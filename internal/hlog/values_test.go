package hlog_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/hlog"
	"github.com/plimsoll/plimsoll/rundoc"
)

// timesOf are times, as a document has them: three digits.
func timesOf(t *testing.T, ns ...int64) rundoc.Summary {
	t.Helper()
	return rundoc.Summary{Count: int64(len(ns)), MaxNS: ns[len(ns)-1], HDR: encoded(t, hdrhistogram.New(1, 3*3600e9, 3), ns)}
}

func encoded(t *testing.T, h *hdrhistogram.Histogram, ns []int64) string {
	t.Helper()
	for _, v := range ns {
		if err := h.RecordValue(v); err != nil {
			t.Fatal(err)
		}
	}
	text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// aDocument is a run of three operations, one of which has no time, with two seconds over time.
func aDocument(t *testing.T) *rundoc.Run {
	slice := func(from, length, ns int64) rundoc.Slice {
		h := encoded(t, hdrhistogram.New(128, 3*3600e9, 2), []int64{ns})
		return rundoc.Slice{FromS: from, Seconds: length, ResponseTime: rundoc.SliceTimes{Count: 1, HDR: h}}
	}
	return &rundoc.Run{
		ID: "r1", Workload: "delta\nread", Started: time.UnixMilli(5_250), Ended: time.UnixMilli(9_000),
		Total: &rundoc.Totals{ResponseTime: &rundoc.Summary{Count: 3}},
		Operations: []rundoc.Operation{
			{Name: "read", Labels: map[string]string{"service": "S3", "at": "eu, west"}, ResponseTime: timesOf(t, 1e6)},
			{Name: "none"}, {Name: "write", ResponseTime: timesOf(t, 2e6, 4e6)},
		},
		Slices: []rundoc.Slice{slice(0, 1, 1e6), {FromS: 1, Seconds: 1}, slice(2, 5, 4e6)},
	}
}

// at is what a histogram of a line has: how many times there are of each value in ms.
func at(t *testing.T, text string) string {
	t.Helper()
	h, err := hdrhistogram.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, bar := range h.Distribution() {
		if bar.Count > 0 {
			all += fmt.Sprintf(" %d×%.1f", bar.Count, float64(bar.To)/1e6)
		}
	}
	return all
}

// logOf are the lines of a document's log behind its first two, each histogram as what it has.
func logOf(t *testing.T, doc *rundoc.Run) (all []string) {
	t.Helper()
	var out bytes.Buffer
	if err := hlog.Document(&out, doc); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")[2:] {
		if i := strings.Index(line, "HIST"); i >= 0 {
			line = line[:i] + at(t, line[i:])
		}
		all = append(all, line)
	}
	return all
}

// TestEachNumber: all that a log has of a document, each number as it is there. A run without a window is the whole of it.
func TestEachNumber(t *testing.T) {
	doc := aDocument(t)
	want := []string{
		"#[StartTime: 5.250 (seconds since epoch), Thu Jan 1 00:00:05 UTC 1970]", "#[BaseTime: 5.250 (seconds since epoch)]",
		"#[Run: r1, delta read]", "#[Values: response times in ns, of the measurement window]",
		`"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"`,
		"0.000,3.750,4.000, 1×1.0 1×2.0 1×4.0", "Tag=read{at=eu__west;service=S3},0.000,3.750,1.000, 1×1.0",
		"Tag=write,0.000,3.750,4.000, 1×2.0 1×4.0", "Tag=over-time,0.000,1.000,1.004, 1×1.0",
		"Tag=over-time,2.000,5.000,4.014, 1×4.0",
	}
	if diff := cmp.Diff(want, logOf(t, doc)); diff != "" {
		t.Error(diff)
	}
	doc.Ended = doc.Started.Add(-time.Second) // of a clock that was set
	if got := logOf(t, doc)[5]; got != "0.000,0.000,4.000, 1×1.0 1×2.0 1×4.0" {
		t.Error(got)
	}
	doc.Operations = doc.Operations[:1]
	if got := logOf(t, doc); len(got) != 9 || got[5] != "0.000,0.000,1.000, 1×1.0" {
		t.Errorf("of one time: %q", got)
	}
}

// TestBrokenSlice: which of the seconds cannot be read is told.
func TestBrokenSlice(t *testing.T) {
	doc := aDocument(t)
	doc.Slices[1].ResponseTime.Count = 1
	if err := hlog.Document(&bytes.Buffer{}, doc); err == nil || !strings.HasPrefix(err.Error(), "slice 2: ") {
		t.Errorf("%v", err)
	}
}

// full takes so many writes, and none behind them.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if f.room--; f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

var errFull = errors.New("no room")

// TestFull: wherever the room ends, that is told, and nothing is written behind it.
func TestFull(t *testing.T) {
	doc := aDocument(t)
	lines := len(logOf(t, doc)) + 2
	for room := range lines + 1 {
		f := &full{room}
		if err := hlog.Document(f, doc); errors.Is(err, errFull) != (room < lines) || f.room < -1 {
			t.Errorf("%d of %d lines: %v, and %d writes behind the first that failed", room, lines, err, -f.room)
		}
	}
}

// TestHistogram: an interval of a histogram has its highest value.
func TestHistogram(t *testing.T) {
	h := hdrhistogram.New(1, 1e9, 3)
	text := encoded(t, h, []int64{1000, 1500, 2000})
	var out bytes.Buffer
	w := hlog.NewWriter(&out, time.Unix(0, 0))
	out.Reset()
	w.Histogram("a", time.Second, 2*time.Second, h)
	if want := "Tag=a,1.000,2.000,0.002," + text + "\n"; w.Err() != nil || out.String() != want {
		t.Errorf("%q, %v", out.String(), w.Err())
	}
}
