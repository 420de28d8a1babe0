package reporttest

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Text is a document's text report.
func Text(t testing.TB, run *rundoc.Run, kind report.Kind, opt report.Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.Text(&out, run, kind, opt); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// RenderAll renders a document in every way and fails on an error that is none of the
// document's own.
func RenderAll(t *testing.T, run *rundoc.Run, kind report.Kind) {
	t.Helper()
	for _, r := range Renderings(kind) {
		_ = r.Render(io.Discard, run)
	}
	if n := len(report.Buckets(run, time.Second)); n > 1<<20 {
		t.Errorf("%d buckets", n)
	}
	_ = report.Chart(io.Discard, run, kind, chart.SVG)
}

// FitsTheScreen checks that no line has more than 80 columns or characters that a terminal obeys, and
// that the first screen begins lines with the words that are wanted.
func FitsTheScreen(t *testing.T, name string, run *rundoc.Run, kind report.Kind, wanted ...string) {
	t.Helper()
	lines := strings.Split(Text(t, run, kind, Options()), "\n")
	for i, line := range lines {
		if n := utf8.RuneCountInString(line); n > 80 {
			t.Errorf("%s: line %d has %d columns: %q", name, i+1, n, line)
		}
		if strings.ContainsAny(line, "\x1b\r\x00") {
			t.Errorf("%s: line %d has control characters: %q", name, i+1, line)
		}
	}
	first := strings.Join(lines[:min(24, len(lines))], "\n")
	for _, want := range wanted {
		if !strings.Contains(first, "\n"+want) {
			t.Errorf("%s: no %q on the first screen:\n%s", name, want, first)
		}
	}
}

// SVG draws a document's chart and checks that it has these words and no figure that is none.
func SVG(t *testing.T, name string, run *rundoc.Run, kind report.Kind, wanted ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.Chart(&out, run, kind, chart.SVG); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, want := range wanted {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s: no %q in the chart", name, want)
		}
	}
	if strings.Contains(out.String(), "NaN") {
		t.Errorf("%s: NaN in the chart", name)
	}
	return out.String()
}

// FullDisk takes nothing.
type FullDisk struct{}

func (FullDisk) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
