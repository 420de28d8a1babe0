package report

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
)

// markdownTable is a table in GitHub's dialect.
func markdownTable(b *bufio.Writer, t *Table) {
	heads := make([]string, len(t.columns))
	rules := make([]string, len(t.columns))
	for i, c := range t.columns {
		heads[i] = c.text
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
func groupedTable(b *bufio.Writer, t *Table) {
	rows := [][]string{make([]string, len(t.columns)), make([]string, len(t.columns))}
	for i, c := range t.columns {
		rows[0][i], rows[1][i] = escape(c.text), "---:"
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
			widths[i] = max(widths[i], units.Width(cell))
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
