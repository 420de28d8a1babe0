package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// documentedTable is the table of ARCHITECTURE.md: what it prints is what is checked.
func documentedTable(t *testing.T) []row {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	table := parseTable(string(text))
	if len(table) == 0 {
		t.Fatal("ARCHITECTURE.md has no table of packages")
	}
	return table
}

// parseTable reads the rows of the Markdown table whose first column is headed "package".
// Code spans are its values; other words are for people.
func parseTable(text string) []row {
	code := regexp.MustCompile("`([^`]+)`")
	values := func(cell string) []string {
		var found []string
		for _, m := range code.FindAllStringSubmatch(cell, -1) {
			found = append(found, m[1])
		}
		return found
	}
	var rows []row
	inside := false
	for _, line := range strings.Split(text, "\n") {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		switch {
		case len(cells) != 3:
			inside = false
		case strings.TrimSpace(cells[0]) == "package":
			inside = true
		case inside && !strings.HasPrefix(strings.TrimSpace(cells[0]), "---"):
			for _, pkg := range values(cells[0]) {
				rows = append(rows, row{pkg: pkg, ours: values(cells[1]), others: values(cells[2])})
			}
		}
	}
	return rows
}
