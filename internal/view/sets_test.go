package view

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/page"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/setdoc"
)

// pageOfSet returns the page of a set among the fixtures of internal/report/sets.
func pageOfSet(t *testing.T, name string) string {
	t.Helper()
	set, err := setdoc.ReadFile(filepath.Join("..", "report", "sets", "testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	of, err := run.PageOfSet(sets.Source{Set: set, Name: "last"}, "")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := page.Write(&text, of); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// The page of a set shows its headline values, and a bad result is never green.
func TestPagesOfSets(t *testing.T) {
	for name, c := range map[string]struct{ has, lacks []string }{
		"compare-worse": {[]string{`class="banner bad"`, "B is worse", `class="tile bad"`, "−2.9%", "+7.2%"},
			[]string{`class="banner good"`, `class="tile good"`}},
		"failing":    {[]string{`class="banner bad"`, "<dt>Best throughput</dt>", "14,728", "<dt>p99</dt>"}, []string{`class="banner good"`}},
		"line":       {[]string{`class="banner good"`, "<dt>Load line</dt>", "3,412", "98% CI 3,267–3,549"}, nil},
		"line-below": {[]string{`class="tile bad"`, "&lt; "}, []string{`class="banner good"`}},
	} {
		text := pageOfSet(t, name)
		for _, part := range c.has {
			if !strings.Contains(text, part) {
				t.Errorf("%s: there is no %s", name, part)
			}
		}
		for _, part := range c.lacks {
			if strings.Contains(text, part) {
				t.Errorf("%s: there is %s", name, part)
			}
		}
	}
}
