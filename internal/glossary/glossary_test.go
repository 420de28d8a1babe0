package glossary_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/glossary"
)

// The glossary explains each section title and each summary key of all golden reports.
func TestGlossaryExplainsTitlesAndKeysOfReports(t *testing.T) {
	var reports []string
	for _, pattern := range []string{"../report/testdata/*.txt", "../report/sets/testdata/*.txt", "../workload/*/show/testdata/*.txt",
		"../workload/http/testdata/*.txt"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			if strings.Count(filepath.Base(name), ".") == 1 { // the whole report, in 80 columns
				reports = append(reports, name)
			}
		}
	}
	if len(reports) < 20 {
		t.Fatalf("%d reports: are they still found?", len(reports))
	}
	checked := map[string]bool{}
	words := 0
	for _, name := range reports {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range wordsOf(string(text)) {
			words++
			if checked[word] {
				continue
			}
			checked[word] = true
			if _, ok := glossary.Find(word); !ok {
				t.Errorf("%s: no explanation of %q", filepath.Base(name), word)
			}
		}
	}
	if words < 500 {
		t.Errorf("%d words: are they still found?", words)
	}
}

var (
	fact     = regexp.MustCompile(`^([A-Z][A-Za-z' ]*?) {2,}\S`)
	labelOf  = regexp.MustCompile(`^([AB]) .*$`)                 // the label of one of two columns
	figureOf = regexp.MustCompile(` (at each setting|over .*)$`) // the metric in the title of a sweep's levels
	perOf    = regexp.MustCompile(` per \S+$`)                   // CPU per message
)

// wordsOf returns the keys of the summary and the titles of the sections: the words that begin in the first column.
func wordsOf(text string) []string {
	var words []string
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		switch m := fact.FindStringSubmatch(line); {
		case m != nil:
			words = append(words, labelOf.ReplaceAllString(m[1], "$1"))
		case i > 0 && lines[i-1] == "" && line != "" && !strings.HasPrefix(line, " ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], " "):
			words = append(words, figureOf.ReplaceAllString(line, ""))
		}
	}
	return words
}

// The glossary explains each row of the tables that all kinds share.
func TestGlossaryExplainsRowsOfReports(t *testing.T) {
	shared := map[string]bool{"Times": true, "Time breakdown": true, "Load generator": true}
	row := regexp.MustCompile(`^  (\S.*?)  +\S`)
	checked := map[string]bool{}
	found, err := filepath.Glob("../report/testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	words := 0
	for _, name := range found {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		title := ""
		for _, line := range strings.Split(string(text), "\n") {
			if line != "" && line[0] != ' ' {
				title, _, _ = strings.Cut(line, " in ")
				continue
			}
			m := row.FindStringSubmatch(line)
			if m == nil || !shared[title] || m[1] == "state" || m[1] == "dreaming" || // of a document that is not ours
				strings.Count(filepath.Base(name), ".") != 1 {
				continue
			}
			words++
			word := perOf.ReplaceAllString(m[1], "")
			if checked[word] {
				continue
			}
			checked[word] = true
			if _, ok := glossary.Find(word); !ok {
				t.Errorf("%s: no explanation of %q", filepath.Base(name), word)
			}
		}
	}
	if words < 50 {
		t.Errorf("%d rows: are they still found?", words)
	}
}

// Each word is explained once, in two lines at most.
func TestExplanationsAreUniqueAndShort(t *testing.T) {
	seen := map[string]string{}
	for _, g := range glossary.Groups() {
		for _, w := range g.Words {
			for _, name := range append([]string{w.Name}, w.Also...) {
				if other := seen[strings.ToLower(name)]; other != "" {
					t.Errorf("%q is explained by %q and by %q", name, other, w.Name)
				}
				seen[strings.ToLower(name)] = w.Name
			}
			if n := len([]rune(w.Means)); n == 0 || n > 140 {
				t.Errorf("%q is explained in %d letters", w.Name, n)
			}
		}
	}
}

func TestFind(t *testing.T) {
	for word, want := range map[string]string{
		"p99": "p99", "P99.9": "p99.9", "median": "p50", "Own Delay": "generator delay", "Times in ms": "response time", "Throughput per 10s": "throughput",
		"cannot tell": "inconclusive", "instrument": "load generator", "active blocks": "active blocks", "failures": "failed", "Upload bandwidth per 1s, in MB/s": "upload",
	} {
		if got, ok := glossary.Find(word); !ok || got.Name != want {
			t.Errorf("%q: %q, want %q", word, got.Name, want)
		}
	}
	if got, ok := glossary.Find("nonsense"); ok {
		t.Errorf("nonsense: %+v", got)
	}
	if got := glossary.Near("generator dealy"); got != "generator delay" {
		t.Errorf("generator dealy: %q", got)
	}
}
