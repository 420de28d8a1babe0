package report

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// section is a part of a report, before it is rendered.
type section struct {
	title   string
	intro   []string // paragraphs before the table
	drawing string   // lines that stay as they are, after the paragraphs
	tables  []table
	notes   []string // below the tables
}

// table has text in its cells; nothing is computed from them any more.
type table struct {
	columns []column
	rows    [][]string
	// grouped is a table with a row for each group and, indented by a space, one for each of
	// its members. Markdown shows groups bold and members after a dash, in aligned columns.
	grouped bool
}

// column is a column of a table.
type column struct {
	head  string
	align align
}

type align int

const (
	left align = iota
	right
	// bars is a column of bars, which only the text report shows.
	bars
	// blank is a column of nothing but its head, which only Markdown shows.
	blank
)

// columnsOf makes columns from heads: "<" before a head aligns it left, "|" makes it a column
// of bars, and nothing aligns it right, as figures are.
func columnsOf(heads ...string) []column {
	var list []column
	for _, h := range heads {
		switch {
		case strings.HasPrefix(h, "<"):
			list = append(list, column{h[1:], left})
		case strings.HasPrefix(h, "|"):
			list = append(list, column{h[1:], bars})
		default:
			list = append(list, column{h, right})
		}
	}
	return list
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// withoutBlanks is the table without the columns of nothing but a head.
func (t *table) withoutBlanks() *table {
	if !slices.ContainsFunc(t.columns, func(c column) bool { return c.align == blank }) {
		return t
	}
	keep := func(cells []string) []string {
		var list []string
		for i, cell := range cells {
			if t.columns[i].align != blank {
				list = append(list, cell)
			}
		}
		return list
	}
	c := table{grouped: t.grouped}
	for _, col := range t.columns {
		if col.align != blank {
			c.columns = append(c.columns, col)
		}
	}
	for _, row := range t.rows {
		c.rows = append(c.rows, keep(row))
	}
	return &c
}

// barWidth is the length of the longest bar.
const barWidth = 20

// bar is a bar for a share of 1.
func bar(share float64) string {
	n := int(share*barWidth + 0.5)
	return strings.Repeat("█", max(0, min(n, barWidth)))
}

func width(s string) int { return utf8.RuneCountInString(s) }

// wrap breaks text into lines of at most most characters, at spaces, but not between a
// figure and its unit.
func wrap(text string, most int) []string {
	var lines []string
	line := ""
	for _, word := range glue(strings.Fields(text)) {
		switch {
		case line == "":
			line = word
		case width(line)+1+width(word) <= most:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// glue joins units to the figures before them.
func glue(words []string) []string {
	var list []string
	for _, word := range words {
		n := len(list)
		switch strings.TrimRight(word, ".,;:)") {
		case "%", "ns", "µs", "ms", "s":
			if n > 0 && strings.ContainsAny(list[n-1][len(list[n-1])-1:], "0123456789") {
				list[n-1] += " " + word
				continue
			}
		}
		list = append(list, word)
	}
	return list
}
