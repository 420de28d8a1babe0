package hlog_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

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

// TestBrokenSlice: which of the seconds cannot be read is told.
func TestBrokenSlice(t *testing.T) {
	doc := aDocument(t)
	doc.Slices[1].ResponseTime.Count = 1
	if err := hlog.Document(&bytes.Buffer{}, doc); err == nil || !strings.HasPrefix(err.Error(), "slice 2: ") {
		t.Errorf("%v", err)
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
