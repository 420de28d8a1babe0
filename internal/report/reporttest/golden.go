package reporttest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Fixed is a document under testdata, and what makes it.
type Fixed struct {
	Name string
	Make func() *rundoc.Run
}

// Document reads a fixed document.
func Document(t testing.TB, name string) *rundoc.Run {
	t.Helper()
	run, err := rundoc.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// MakeDocuments writes the fixed documents anew, if that is asked for, and checks that each is judged
// as it says.
func MakeDocuments(t *testing.T, list []Fixed, anew bool) {
	for _, f := range list {
		if anew {
			run := f.Make()
			run.Conclude()
			if err := rundoc.WriteFile(filepath.Join("testdata", f.Name+".json"), run); err != nil {
				t.Fatal(err)
			}
		}
		run := Document(t, f.Name)
		if diff := cmp.Diff(run.Verdict, rundoc.Judge(run)); diff != "" {
			t.Errorf("%s: %s", f.Name, diff)
		}
	}
}

// Options are those that the golden reports are shown with.
func Options() report.Options {
	return report.Options{Files: []report.File{
		{What: "run document", Path: "~/.local/state/plimsoll/runs/20260504T093000Z-7f3a/run.json"},
		{What: "chart", Path: "chart.png"},
	}}
}

// Rendering is a way to show a run; Ext ends the name of its golden file.
type Rendering struct {
	Ext    string
	Render func(io.Writer, *rundoc.Run) error
}

// Renderings are those that every kind has.
func Renderings(kind report.Kind) []Rendering {
	return []Rendering{
		{"txt", func(w io.Writer, r *rundoc.Run) error { return report.Text(w, r, kind, Options()) }},
		{"md", func(w io.Writer, r *rundoc.Run) error { return report.Markdown(w, r, kind, Options()) }},
		{"csv", func(w io.Writer, r *rundoc.Run) error { return report.CSV(w, r, kind) }},
		Brief("brief.txt", kind, 80),
	}
}

// Rest is where the golden answers say that the rest of a report is.
const Rest = "plimsoll report last --full"

// Brief is the answer alone in a terminal of this width.
func Brief(ext string, kind report.Kind, width int) Rendering {
	return Rendering{ext, func(w io.Writer, r *rundoc.Run) error {
		return report.Brief(w, r, kind, report.Options{Width: width, Rest: Rest})
	}}
}

// Briefs are the answer alone in the terminals that Renderings have not: a narrow one and two wide ones.
func Briefs(kind report.Kind) []Rendering {
	var all []Rendering
	for _, width := range []int{40, 120, 200} {
		all = append(all, Brief(fmt.Sprintf("brief.%d.txt", width), kind, width))
	}
	return all
}

// InWidth is the text report in a terminal of this width.
func InWidth(ext string, kind report.Kind, width int) Rendering {
	return Rendering{ext, func(w io.Writer, r *rundoc.Run) error {
		opt := Options()
		opt.Width = width
		return report.Text(w, r, kind, opt)
	}}
}

// Buckets is the throughput in buckets, for the kinds that have one.
func Buckets() Rendering {
	return Rendering{"buckets.csv", func(w io.Writer, r *rundoc.Run) error {
		return report.WriteBuckets(w, r, 10*time.Second)
	}}
}

// Goldens compares what is rendered of fixed documents with files under testdata, or writes those.
func Goldens(t *testing.T, list []Fixed, renderings []Rendering, update bool) {
	t.Helper()
	for _, f := range list {
		run := Document(t, f.Name)
		for _, r := range renderings {
			t.Run(f.Name+"."+r.Ext, func(t *testing.T) {
				var got bytes.Buffer
				if err := r.Render(&got, run); err != nil {
					t.Fatal(err)
				}
				Golden(t, f.Name+"."+r.Ext, got.Bytes(), update)
			})
		}
	}
}

// Golden compares with a file under testdata, or writes it.
func Golden(t *testing.T, name string, got []byte, update bool) {
	t.Helper()
	if filepath.Ext(name) == ".md" {
		ShortMarkdown(t, name, string(got))
	}
	path := filepath.Join("testdata", name)
	if update {
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
