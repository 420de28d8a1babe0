package reporttest

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/units"
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
// document's own, and on an answer that does not fit.
func RenderAll(t *testing.T, run *rundoc.Run, kind report.Kind) {
	t.Helper()
	for _, r := range Renderings(kind) {
		_ = r.Render(io.Discard, run)
	}
	if n := len(report.Buckets(run, time.Second)); n > 1<<20 {
		t.Errorf("%d buckets", n)
	}
	_ = report.Chart(io.Discard, run, kind, chart.SVG)
	if _, err := json.Marshal(report.PageOf(run, kind, report.Options{}).Graphs()); err != nil {
		t.Errorf("panels: %v", err)
	}
	BriefFits(t, "the answer", run, kind, 40, 55, 56, 80, 200)
}

// FitsTheScreen checks that no line has more than 80 columns or characters that a terminal obeys, and
// that the first screen begins lines with the words that are wanted.
func FitsTheScreen(t *testing.T, name string, run *rundoc.Run, kind report.Kind, wanted ...string) {
	t.Helper()
	lines := strings.Split(Text(t, run, kind, Options()), "\n")
	for i, line := range lines {
		if n := units.Width(line); n > 80 {
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

// FitsEachWidth checks that neither the text report nor the answer alone has a line that is wider than a terminal of
// 40 to 200 columns, but for a word that is, and that the answer has 24 lines at most, the verdict, the failures if
// there are any, and says where the rest is and what is next.
func FitsEachWidth(t *testing.T, name string, run *rundoc.Run, kind report.Kind) {
	t.Helper()
	widths := []int{40, 55, 56, 80, 200}
	page := report.PageOf(run, kind, Options()) // which knows no width
	for _, width := range widths {
		opt := Options()
		opt.Width = width
		var text bytes.Buffer
		if err := page.Text(&text, opt); err != nil {
			t.Fatal(err)
		}
		if line, found := tooWide(text.String(), width); found {
			t.Errorf("%s at %d columns: %q", name, width, line)
		}
	}
	BriefFits(t, name, run, kind, widths...)
}

// BriefFits checks that the answer alone is as FitsEachWidth says in terminals of these widths.
func BriefFits(t *testing.T, name string, run *rundoc.Run, kind report.Kind, widths ...int) {
	t.Helper()
	opt := Options()
	opt.Rest = Rest
	page := report.PageOf(run, kind, opt)
	var text bytes.Buffer
	if err := page.Text(&text, Options()); err != nil {
		t.Fatal(err)
	}
	failures := strings.Contains(text.String(), "\nErrors ")
	for _, width := range widths {
		opt.Width = width
		var out bytes.Buffer
		if err := page.Brief(&out, opt); err != nil {
			t.Fatal(err)
		}
		brief := out.String()
		if line, found := tooWide(brief, width); found {
			t.Errorf("%s: the answer at %d columns: %q", name, width, line)
		}
		lines := strings.Split(strings.TrimSuffix(brief, "\n"), "\n")
		if n := len(lines); n > 24 {
			t.Errorf("%s at %d columns: %d lines\n%s", name, width, n, brief)
		}
		_, last, told := strings.Cut(brief, "\nFull report")
		if !strings.Contains(brief, "\nVerdict") || failures && !strings.Contains(brief, "\nErrors") ||
			!told || !strings.Contains(last, Rest) || strings.Contains(last, "\n\n") {
			t.Errorf("%s at %d columns lacks what must stay:\n%s", name, width, brief)
		}
		if cut := cutFigure(brief); cut != "" {
			t.Errorf("%s at %d columns: a figure ends in %q\n%s", name, width, cut, brief)
		}
	}
}

// BriefOf is the answer alone.
func BriefOf(t testing.TB, run *rundoc.Run, kind report.Kind, opt report.Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.Brief(&out, run, kind, opt); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// tooWide is the first line that is wider than it may be. A word that is too wide itself stands alone, but for the mark
// before or after it.
func tooWide(text string, width int) (string, bool) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if units.Width(line) <= width {
			continue
		}
		words := slices.DeleteFunc(strings.Fields(line), func(w string) bool { return w == "-" || w == `\` })
		if len(words) != 1 || units.Width(words[0])+2 <= width {
			return line, true
		}
	}
	return "", false
}

// cutFigure is where an ellipsis stands between a figure, or its name, and its unit; "": nowhere.
func cutFigure(brief string) string {
	words := strings.Fields(brief)
	for i, word := range words {
		if word != "…" || i == 0 {
			continue
		}
		last := words[i-1]
		if strings.ContainsAny(last[len(last)-1:], "0123456789") || slices.Contains([]string{"min", "mean", "max"}, last) {
			return last + " " + word
		}
	}
	return ""
}
