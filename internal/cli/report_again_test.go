package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/rundoc"
)

// The documents of earlier runs are shown as the program of their time showed them, but for who judged
// them, without a row for a throttling that was not known, with other words for a server that was started, for whose
// figure the reading off the queue is and for the quality of rates, and with a warning of a course over time that was
// not counted. Their texts are of today in two respects: a chat's rooms are ranked, and percentiles that too few
// operations support are left out.
func TestReportOfEarlierDocuments(t *testing.T) {
	t.Parallel()
	documents, err := filepath.Glob("../../rundoc/testdata/earlier/*.json")
	if err != nil || len(documents) == 0 {
		t.Fatal(err)
	}
	for _, path := range documents {
		before, err := os.ReadFile(strings.TrimSuffix(path, "json") + "txt")
		if err != nil {
			t.Fatal(err)
		}
		code, now, said := execute(t, "report", path)
		if code != 0 {
			t.Errorf("%s: exit %d: %s", path, code, said)
		}
		if n := strings.Count(now, "- judged by older rules\n"); n != 1 {
			t.Errorf("%s: it says %d times that it was judged by older rules:\n%s", path, n, now)
		}
		if diff := cmp.Diff(withoutNotes(string(before)), withoutNotes(now)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

// withoutNotes are the lines of a report but for those six. The notes are left out as well: where the first
// screen has one line less for them, one of them is further below.
func withoutNotes(report string) []string {
	started := regexp.MustCompile(`^(Plimsoll \w+ · )(?s:.*?)(\(embedded\s+target\)|\(built-in server\)|` +
		`demo \(built-in server\))\n`)
	report = started.ReplaceAllString(report, "$1\n")
	report = regexp.MustCompile(`(?m)^  Reading off the queue is a receive call(?s:.*?)\bgrows\.\n`).
		ReplaceAllString(report, "")
	report = regexp.MustCompile(`(?m)^  This document does not say when the bytes moved(?s:.*?)not seen\.\n`).
		ReplaceAllString(report, "")
	report = strings.ReplaceAll(report, "read  quality of the rates\n", "read  quality\n")
	report = regexp.MustCompile(`(?m)^Demo +.*\n( +.*\n)*`).ReplaceAllString(report, "")
	notes := regexp.MustCompile(`(?m)^(Note|More notes)\b(?s:.*?)\n\n`)
	return slices.DeleteFunc(strings.Split(notes.ReplaceAllString(report+"\n", ""), "\n"), func(line string) bool {
		said := strings.Join(strings.Fields(line), " ")
		return said == "- judged by older rules" || said == "throttled none"
	})
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
	if code != 4 || !strings.Contains(plain, "INVALID") || !strings.Contains(plain, "its figures contradict each other") ||
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
		{"later", 0, "This program cannot read and shows as it stands in the document: p99 of TEXT ~ 50ms.", ""},
		{"improved", 4, "The document's thresholds do not follow from its own figures: p50<1ms. It was changed after it was judged.",
			"the document cannot be trusted: The document's thresholds do not follow"},
	} {
		code, out, said := execute(t, "report", "../report/testdata/"+test.document+".json")
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
