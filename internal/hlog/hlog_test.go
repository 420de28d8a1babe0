package hlog_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/hlog"
	"github.com/plimsoll/plimsoll/rundoc"
)

var update = flag.Bool("update", false, "write the golden files")

// TestDocument: the lines of a log, which are those of HdrHistogram's own writer.
func TestDocument(t *testing.T) {
	h := rundoc.Summary{Count: 3, MaxNS: 2_769_000, HDR: "HISTFAAA"}
	doc := &rundoc.Run{
		ID: "x", Workload: "http", Phases: []rundoc.Phase{
			{Name: rundoc.PhaseWarmup, Started: time.Unix(9, 0)},
			{Name: rundoc.PhaseWindow, Started: time.UnixMilli(1_406_832_510_012), DurationNS: 1_500_000_000},
		},
	}
	var out bytes.Buffer
	if err := hlog.Document(&out, doc); !errors.Is(err, hlog.ErrNothing) {
		t.Errorf("%v", err)
	}
	doc.Operations = []rundoc.Operation{{Name: "a", ResponseTime: h}}
	if err := hlog.Document(&out, doc); err == nil {
		t.Error("a histogram that is none")
	}
	doc = read(t, "../workload/http/testdata/flow.json")
	out.Reset()
	if err := hlog.Document(&out, doc); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		if i := strings.Index(line, "HISTF"); i > 0 {
			line = line[:i] + "…\n"
		}
		if !strings.HasPrefix(line, "Tag=over-time,") || len(got) == 0 || !strings.HasPrefix(got[len(got)-1], "Tag=over-time,") {
			got = append(got, line)
		}
	}
	golden := filepath.Join("testdata", "flow.hlog")
	if *update {
		if err := os.WriteFile(golden, []byte(strings.Join(got, "")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), strings.Join(got, "")); diff != "" {
		t.Error(diff)
	}
}

// Of operations that are no samples of one thing there are no times together, over the window or over time.
func TestUnlikeOperationsHaveNothingTogether(t *testing.T) {
	doc := read(t, "../workload/http/testdata/flow.json")
	doc.Total.ResponseTime = nil
	var out bytes.Buffer
	if err := hlog.Document(&out, doc); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Contains(text, "Tag=over-time,") || strings.Contains(text, "\n0.000,") ||
		!strings.Contains(text, "\nTag=") {
		t.Errorf("%.300s", text)
	}
}

func read(t *testing.T, path string) *rundoc.Run {
	t.Helper()
	doc, err := rundoc.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestTags: each name has a tag of its own, of what the format allows.
func TestTags(t *testing.T) {
	var tags hlog.Tags
	for _, test := range [][2]string{
		{"GET /a b,c", "GET_/a_b_c"}, {"GET /a b c", "GET_/a_b_c_2"}, {"GET /a b,c", "GET_/a_b_c"}, {"a\nb\r\t", "a_b__"},
		{"", "_"}, {"!?~\x7f\u00fe\x20", "!?~_\u00fe_"}, {"GET_/a_b_c_2", "GET_/a_b_c_2_2"},
	} {
		if got := tags.Of(test[0]); got != test[1] {
			t.Errorf("%q: %q, want %q", test[0], got, test[1])
		}
	}
}
