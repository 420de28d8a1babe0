package archtest

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// documentedTable returns the import rules in imports.md.
func documentedTable(t *testing.T) []row {
	t.Helper()
	var rows []row
	for _, cells := range tableOf(importRules(t), "package", 3) {
		for _, pkg := range codeOf(cells[0]) {
			rows = append(rows, row{pkg: pkg, ours: codeOf(cells[1]), others: codeOf(cells[2])})
		}
	}
	if len(rows) == 0 {
		t.Fatal("imports.md has no table of packages")
	}
	return rows
}

// documentedClocks returns the files of workloads that may read the clock, from imports.md.
func documentedClocks(t *testing.T) []clock {
	t.Helper()
	var clocks []clock
	for _, cells := range tableOf(importRules(t), "reads the clock", 2) {
		for _, file := range codeOf(cells[0]) {
			clocks = append(clocks, clock{roomsDir + "/" + file, strings.TrimSpace(cells[1])})
		}
	}
	return clocks
}

func importRules(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("imports.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// tableOf are the rows of the Markdown table whose first column has this head.
func tableOf(text, head string, columns int) [][]string {
	var rows [][]string
	inside := false
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		switch {
		case len(cells) != columns:
			inside = false
		case strings.TrimSpace(cells[0]) == head:
			inside = true
		case inside && !strings.HasPrefix(strings.TrimSpace(cells[0]), "---"):
			rows = append(rows, cells)
		}
	}
	return rows
}

// codeOf are the code spans of a cell, which are its values; other words are for people.
func codeOf(cell string) []string {
	var found []string
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
		found = append(found, m[1])
	}
	return found
}
