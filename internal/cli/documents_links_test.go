//go:build unix

package cli_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestReadmeIsShort(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.TrimSuffix(readDocument(t, "README.md"), "\n"), "\n")
	if len(lines) > 110 {
		t.Errorf("README.md has %d lines, more than 110: move something to docs", len(lines))
	}
	for i, line := range lines {
		row := strings.HasPrefix(line, "|") // of a table: it cannot be wrapped
		if n := utf8.RuneCountInString(line); n > 120 && !row {
			t.Errorf("README.md: line %d has %d columns, more than 120", i+1, n)
		}
	}
}

func TestIndexHasEveryPage(t *testing.T) {
	t.Parallel()
	const index = "docs/README.md"
	var named []string
	for _, l := range links(readDocument(t, index)) {
		file, _, _ := strings.Cut(l, "#")
		named = append(named, path.Join("docs", file))
	}
	for _, name := range documents(t) {
		if strings.HasPrefix(name, "docs/") && name != index && !slices.Contains(named, name) {
			t.Errorf("%s has no link to %s", index, name)
		}
	}
	if !slices.Contains(links(readDocument(t, "README.md")), index) {
		t.Errorf("README.md has no link to %s", index)
	}
}

func TestLinksHaveTargets(t *testing.T) {
	t.Parallel()
	anchors := map[string][]string{}
	checked := 0
	for _, name := range markdown(t) {
		for _, l := range links(readDocument(t, name)) {
			if strings.Contains(l, "://") || strings.HasPrefix(l, "mailto:") {
				continue
			}
			checked++
			file, anchor, _ := strings.Cut(l, "#")
			target := path.Join(path.Dir(name), file)
			if file == "" {
				target = name
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s: %s: there is no %s", name, l, target)
				continue
			}
			if anchor == "" {
				continue
			}
			if anchors[target] == nil {
				anchors[target] = anchorsOf(readDocument(t, target))
			}
			if !slices.Contains(anchors[target], anchor) {
				t.Errorf("%s: %s: %s has no such heading", name, l, target)
			}
		}
	}
	if checked < 100 {
		t.Errorf("%d links, fewer than 100: are they still found?", checked)
	}
}

// markdown returns every Markdown file of the project, as a path from its root.
func markdown(t *testing.T) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && path != root && (strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" || e.Name() == "bin") {
			return filepath.SkipDir // what others wrote
		}
		if strings.HasSuffix(path, ".md") && !strings.Contains(path, "testdata") {
			path, err = filepath.Rel(root, path)
			names = append(names, filepath.ToSlash(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

var (
	linkTarget = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	linkText   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	inlineCode = regexp.MustCompile("`[^`]*`")
)

// links returns the targets of a text's links and pictures.
func links(text string) []string {
	var list []string
	for _, line := range prose(text) {
		for _, found := range linkTarget.FindAllStringSubmatch(inlineCode.ReplaceAllString(line, "`"), -1) {
			list = append(list, found[1])
		}
	}
	return list
}

// prose returns the lines of a text outside of fenced blocks.
func prose(text string) []string {
	var list []string
	fenced := false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case !fenced:
			list = append(list, strings.TrimRight(line, "\n"))
		}
	}
	return list
}

// anchorsOf returns the anchors of a text's headings, as GitHub and GitLab generate them.
func anchorsOf(text string) []string {
	var list []string
	times := map[string]int{}
	for _, line := range prose(text) {
		heading := strings.TrimLeft(line, "#")
		if heading == line || !strings.HasPrefix(heading, " ") {
			continue
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(linkText.ReplaceAllString(heading, "$1")))
		if n := times[name]; n > 0 {
			list = append(list, name+"-"+strconv.Itoa(n))
		} else {
			list = append(list, name)
		}
		times[name]++
	}
	return list
}
