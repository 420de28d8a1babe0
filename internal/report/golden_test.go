package report_test

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

var update = flag.Bool("update", false, "write the golden files")

var options = report.Options{Files: []report.File{
	{What: "run document", Path: "~/.local/state/plimsoll/runs/20260504T093000Z-7f3a/run.json"},
	{What: "chart", Path: "chart.png"},
}}

type rendering struct {
	ext    string
	render func(io.Writer, *rundoc.Run) error
}

// bandwidthFormats are those that only a bandwidth run has.
var bandwidthFormats = []rendering{
	{"blocks.csv", func(w io.Writer, r *rundoc.Run) error {
		if r.Bandwidth() == nil {
			return nil
		}
		return writeBlocks(w, r, r.Bandwidth().Iterations > 1)
	}},
	{"verbose.txt", func(w io.Writer, r *rundoc.Run) error {
		if d := r.Bandwidth(); d == nil || len(d.Blocks) > 60 {
			return nil
		}
		return showText(w, r, report.Options{Verbose: true})
	}},
}

var formats = []rendering{
	{"txt", func(w io.Writer, r *rundoc.Run) error { return showText(w, r, options) }},
	{"md", func(w io.Writer, r *rundoc.Run) error { return showMarkdown(w, r, options) }},
	{"csv", showCSV},
	{"buckets.csv", func(w io.Writer, r *rundoc.Run) error { return report.WriteBuckets(w, r, 10*time.Second) }},
}

func TestGolden(t *testing.T) {
	for _, f := range slices.Concat(fixtures, bandwidthFixtures, overheadFixtures, updatesFixtures) {
		run := fixture(t, f.name)
		of := formats
		if run.Workload == rundoc.WorkloadBandwidth {
			of = append(slices.Clone(formats[:3]), bandwidthFormats...)
		}
		if run.Workload == rundoc.WorkloadOverhead {
			of = formats[:3]
		}
		for _, format := range of {
			t.Run(f.name+"."+format.ext, func(t *testing.T) {
				var got bytes.Buffer
				if err := format.render(&got, run); err != nil {
					t.Fatal(err)
				}
				golden(t, f.name+"."+format.ext, got.Bytes())
			})
		}
	}
}

// golden compares with a file under testdata, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the report changed (-update writes it):\n%s", diff)
	}
}

// The first screen must hold the answer to all four questions, in 80 columns.
func TestTextFitsTheScreen(t *testing.T) {
	for _, f := range slices.Concat(fixtures, bandwidthFixtures, overheadFixtures, updatesFixtures) {
		var out bytes.Buffer
		if err := showText(&out, fixture(t, f.name), options); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(out.String(), "\n")
		for i, line := range lines {
			if n := utf8.RuneCountInString(line); n > 80 {
				t.Errorf("%s: line %d has %d columns: %q", f.name, i+1, n, line)
			}
			if strings.ContainsAny(line, "\x1b\r\x00") {
				t.Errorf("%s: line %d has control characters: %q", f.name, i+1, line)
			}
		}
		first := strings.Join(lines[:min(24, len(lines))], "\n")
		wanted := []string{"Throughput ", "Response time ", "Failures ", "Verdict "}
		if strings.HasPrefix(f.name, "bandwidth") {
			wanted = []string{"Checksum ", "Failures ", "Verdict "}
		}
		if strings.HasPrefix(f.name, "overhead") {
			wanted = []string{"Verdict "}
		}
		if strings.HasPrefix(f.name, "updates") {
			wanted = []string{"Proof ", "Batches ", "Failures ", "Verdict "}
		}
		for _, want := range wanted {
			if !strings.Contains(first, "\n"+want) {
				t.Errorf("%s: no %q on the first screen:\n%s", f.name, want, first)
			}
		}
	}
}

func TestFixedDocumentsAreJudgedAsTheySay(t *testing.T) {
	for _, f := range slices.Concat(fixtures, bandwidthFixtures, overheadFixtures, updatesFixtures) {
		run := fixture(t, f.name)
		if diff := cmp.Diff(run.Verdict, rundoc.Judge(run)); diff != "" {
			t.Errorf("%s: %s", f.name, diff)
		}
	}
}
