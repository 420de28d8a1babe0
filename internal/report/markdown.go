package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/plimsoll/plimsoll/rundoc"
)

// Markdown writes the report as a section of a Markdown document (level 2, with parts of
// level 3), in the tables of GitHub's dialect.
func Markdown(w io.Writer, run *rundoc.Run, opt Options) error {
	b := bufio.NewWriter(w)
	v := newView(run, opt)
	title, subtitle := v.heading()
	fmt.Fprintf(b, "## %s\n\n%s\n\n", escape(title), escape(subtitle))
	for _, f := range v.answer() {
		markdownFact(b, f)
	}
	for _, s := range v.sections() {
		markdownSection(b, s)
	}
	return b.Flush() // the first error of all the writes
}

func markdownFact(b *bufio.Writer, f fact) {
	if f.value == "" && len(f.points) == 0 {
		return
	}
	value := escape(f.value)
	if f.strong {
		value = "**" + value + "**"
	}
	if f.value == "" {
		value = ""
	}
	fmt.Fprintf(b, "- %s\n", strings.TrimSpace(escape(f.key)+": "+value))
	for _, p := range f.points {
		fmt.Fprintf(b, "  - %s\n", escape(p))
	}
}

func markdownSection(b *bufio.Writer, s section) {
	fmt.Fprintf(b, "\n### %s\n", escape(s.title))
	for _, p := range s.intro {
		fmt.Fprintf(b, "\n%s\n", escape(p))
	}
	if s.drawing != "" {
		fmt.Fprintf(b, "\n```text\n%s\n```\n", s.drawing)
	}
	for _, t := range s.tables {
		if len(t.rows) == 0 {
			continue
		}
		b.WriteString("\n")
		if t.grouped {
			groupedTable(b, &t)
		} else {
			markdownTable(b, &t)
		}
	}
	for _, p := range s.notes {
		fmt.Fprintf(b, "\n%s\n", escape(p))
	}
}

func markdownTable(b *bufio.Writer, t *table) {
	heads := make([]string, len(t.columns))
	rules := make([]string, len(t.columns))
	for i, c := range t.columns {
		heads[i] = c.head
		rules[i] = "---"
		if c.align == right {
			rules[i] = "---:"
		}
	}
	for _, row := range append([][]string{heads, rules}, t.rows...) {
		b.WriteString("|")
		for i, cell := range row {
			if t.columns[i].align == bars {
				continue
			}
			fmt.Fprintf(b, " %s |", escape(cell))
		}
		b.WriteString("\n")
	}
}

// groupedTable is a table in the layout of the SDK's own benchmarks: columns padded, groups bold.
func groupedTable(b *bufio.Writer, t *table) {
	rows := [][]string{make([]string, len(t.columns)), make([]string, len(t.columns))}
	for i, c := range t.columns {
		rows[0][i], rows[1][i] = escape(c.head), "---:"
		if c.align == left {
			rows[1][i] = ":---"
		}
	}
	if len(t.columns) > 1 && t.columns[1].align == blank {
		rows[0][0] = "" // the second head says what the table is of
	}
	for _, row := range t.rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = escape(strings.TrimPrefix(cell, " "))
		}
		switch {
		case strings.HasPrefix(row[0], " "):
			cells[0] = "  —" + cells[0]
		case row[0] != "":
			cells[0] = "**" + cells[0] + "**"
		}
		rows = append(rows, cells)
	}
	widths := make([]int, len(t.columns))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], width(cell))
		}
	}
	for _, row := range rows {
		b.WriteString("|")
		for i, cell := range row {
			a := right
			if t.columns[i].align == left {
				a = left
			}
			fmt.Fprintf(b, " %s |", pad(cell, widths[i], a))
		}
		b.WriteString("\n")
	}
}

// escape keeps text from being read as markup.
func escape(s string) string {
	return escaper.Replace(s)
}

var escaper = strings.NewReplacer("\\", "\\\\", "|", "\\|", "<", "&lt;", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[")
