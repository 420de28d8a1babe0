package report_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/report/reporttest"
)

// gitHub has GitHub's own parser read files, and says where a table, a heading or what is folded up is not what it was
// to be.
const gitHub = `
import re, sys, cmarkgfm
for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    html = cmarkgfm.github_flavored_markdown_to_html(text)
    outside = re.sub(r"<pre.*?</pre>", "", html, flags=re.S)
    tables = len(re.findall(r"^\|( *:?-+:? *\|)+$", text, flags=re.M))
    heads = len(re.findall(r"^#+ ", text, flags=re.M))
    if outside.count("<table>") != tables:
        print(path, "has", outside.count("<table>"), "tables, want", tables)
    if len(re.findall(r"<h[1-6]>", outside)) != heads:
        print(path, "has other headings than", heads)
    if outside.count("<details>") != outside.count("</details>") or outside.count("<details>") > 1:
        print(path, "is folded up in another way")
    for row in re.findall(r"<p>[^<]*\|[^<]*\|[^<]*</p>", outside):
        print(path, "has a row outside of a table:", row)
    widths = [len(re.findall(r"<t[hd]", row)) for row in re.findall(r"<tr>.*?</tr>", outside, flags=re.S)]
    if any(w < 2 for w in widths):
        print(path, "has a row of one cell")
`

// Each golden report is what GitHub takes for one, and short.
func TestMarkdownByGitHubsParser(t *testing.T) {
	var paths []string
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2) {
			return fs.SkipDir
		}
		if strings.Contains(filepath.ToSlash(path), "/testdata/") && strings.HasSuffix(path, ".md") &&
			d.Name() != "README.md" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) < 50 {
		t.Fatalf("%d reports: %v", len(paths), err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		reporttest.ShortMarkdown(t, path, string(text))
	}
	found, err := exec.CommandContext(t.Context(), peertest.Python(t), append([]string{"-c", gitHub}, paths...)...).
		CombinedOutput()
	if err != nil || len(found) > 0 {
		t.Errorf("%v\n%s", err, found)
	}
}
