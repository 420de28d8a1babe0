package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// Documents of earlier versions are shown in full, with a note that their verdict is by older rules.
func TestReportOfEarlierDocuments(t *testing.T) {
	t.Parallel()
	documents, err := filepath.Glob("../../rundoc/testdata/earlier/*.json")
	if err != nil || len(documents) == 0 {
		t.Fatal(err)
	}
	for _, path := range documents {
		code, shown, said := execute(t, "report", "--full", path)
		if code != 0 {
			t.Errorf("%s: exit %d: %s", path, code, said)
		}
		if n := strings.Count(shown, "- The verdict is by older rules.\n"); n != 1 || !strings.Contains(shown, "\nPlan\n") {
			t.Errorf("%s: %d notes on the rules:\n%s", path, n, shown)
		}
	}
}

// A document that somebody has improved says so when it is shown.
func TestReportOfAnEditedDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../rundoc/testdata/earlier/chat.json")
	if err != nil {
		t.Fatal(err)
	}
	rate := regexp.MustCompile(`("attempts"(?s:.*?)"rate_per_s": \d+)`)
	edited := rate.ReplaceAll(text, []byte("${1}000"))
	if bytes.Equal(text, edited) {
		t.Fatal("nothing was edited")
	}
	path := filepath.Join(t.TempDir(), "edited.json")
	if err := os.WriteFile(path, edited, 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, said := execute(t, "report", path)
	plain := strings.Join(strings.Fields(out), " ")
	if code != 4 || !strings.Contains(plain, "INVALID") || !strings.Contains(plain, "its values contradict each other") ||
		!strings.Contains(said, "the document cannot be trusted: invariant violated: series: ") {
		t.Errorf("exit %d: %s\n%s", code, said, out)
	}
}

// Thresholds are judged again when a document is shown.
func TestReportOfEditedThresholds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		document   string
		code       int
		shows, say string
	}{
		{"goals", 0, "3 of 6 met", ""},
		{"later", 0, "Unknown to this version of Plimsoll, shown as stored: p99 of TEXT ~ 50ms.", ""},
		{"improved", 4, "Thresholds contradict the values in the document: p50<1ms. It was modified after the run.",
			"the document cannot be trusted: Thresholds contradict the values"},
	} {
		code, out, said := execute(t, "report", "--full", "../report/testdata/"+test.document+".json")
		if plain := strings.Join(strings.Fields(out), " "); code != test.code || !strings.Contains(plain, test.shows) || !strings.Contains(said, test.say) {
			t.Errorf("%s: exit %d: %s\n%s", test.document, code, said, out)
		}
	}
}

// TestReportOfAPipedDocument checks that the short report of a document from stdin, on a terminal, says how to get the
// rest: by the ID of the run if it was saved, else from a file.
func TestReportOfAPipedDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(earlierRun("chat"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := rundoc.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	report := func() string {
		var out bytes.Buffer
		code := Main(t.Context(), Env{
			Args: []string{"report", "-"}, Stdin: bytes.NewReader(text), Stdout: &out, Stderr: &out,
			LookupEnv:  func(name string) (string, bool) { return state, name == "XDG_STATE_HOME" },
			IsTerminal: func(io.Writer) bool { return true },
		})
		if code != 0 {
			t.Errorf("exit status %d", code)
		}
		return strings.Join(strings.Fields(out.String()), " ")
	}
	if got := report(); !strings.Contains(got, "'plimsoll report FILE --full'") {
		t.Errorf("run that was not saved: %s", got)
	}
	dir := filepath.Join(state, "plimsoll", "runs", doc.ID)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "run.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := report(), "plimsoll report "+doc.ID+" --full"; !strings.Contains(got, want) {
		t.Errorf("run that was saved: no %q in %s", want, got)
	}
}
