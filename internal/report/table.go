package report

import (
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
)

// Section is a part of a report, before it is rendered.
type Section struct {
	Title   string
	Intro   []string // paragraphs before the tables
	Drawing string   // lines that stay as they are, after the paragraphs
	Tables  []Table
	Notes   []string // below the tables
}

// empty reports whether there is nothing below the title.
func (s *Section) empty() bool {
	for i := range s.Tables {
		if !s.Tables[i].Empty() {
			return false
		}
	}
	return len(s.Intro) == 0 && len(s.Notes) == 0 && s.Drawing == ""
}

// Table has text in its cells; nothing is computed from them any more. TableOf and its like make
// one, and Pairs.
type Table struct {
	columns []head
	rows    [][]string
	// grouped is a table with a row for each group and, indented by a space, one for each of
	// its members. Markdown shows groups bold and members after a dash, in aligned columns.
	grouped bool
	below   string // a line below it
}

// Empty reports whether the table has no rows.
func (t *Table) Empty() bool { return len(t.rows) == 0 }

// Rows is how many rows the table has.
func (t *Table) Rows() int { return len(t.rows) }

// Head is what stands above a column of a table, for a renderer.
type Head struct {
	Text  string
	Right bool // figures, which stand at the right
	Bars  bool // a column of bars
	Blank bool // a column of nothing but its head, which only Markdown shows
}

// Heads are the heads of the columns that have cells of their own.
func (t *Table) Heads() []Head {
	heads := make([]Head, len(t.columns))
	for i, c := range t.columns {
		heads[i] = Head{Text: c.text, Right: c.align == right, Bars: c.align == bars, Blank: c.align == blank}
	}
	return heads
}

// Cells are the rows, with a cell for each head. In a grouped table the members of a group begin with a space.
func (t *Table) Cells() [][]string { return t.rows }

// IsGrouped reports whether the table has a row for each group, above those of its members.
func (t *Table) IsGrouped() bool { return t.grouped }

// Line is what stands below the table, or "".
func (t *Table) Line() string { return t.below }

// head is what stands above a column, and how its cells stand below.
type head struct {
	text  string
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

// Column is a column of a table whose rows are made of an R each: its head, and what stands in
// its cells. It is made by Left, Right, Bars or Blank, so that there is no head without a cell.
type Column[R any] struct {
	head
	cell func(R) string
	gap  string // in the row that stands for rows that are left out; "%": how many
}

// Left is a column of words.
func Left[R any](head string, cell func(R) string) Column[R] { return newColumn(head, left, cell) }

// Right is a column of figures.
func Right[R any](head string, cell func(R) string) Column[R] { return newColumn(head, right, cell) }

// Only is the column with empty cells in the rows that it is not of.
func (c Column[R]) Only(of func(R) bool) Column[R] {
	cell := c.cell
	c.cell = func(r R) string {
		if !of(r) {
			return ""
		}
		return cell(r)
	}
	return c
}

// Bars is a column of bars, 0 to 1, which only the text report shows.
func Bars[R any](share func(R) float64) Column[R] {
	c := newColumn("", bars, func(r R) string { return bar(share(r)) })
	c.gap = ""
	return c
}

// Blank is a column of nothing but its head, which only Markdown shows.
func Blank[R any](head string) Column[R] {
	return newColumn(head, blank, func(R) string { return "" })
}

// gapCell stands for the cells of a column in rows that are left out.
const gapCell = "…"

func newColumn[R any](text string, a align, cell func(R) string) Column[R] {
	return Column[R]{head: head{text, a}, cell: cell, gap: gapCell}
}

// More is the column with the number of rows that are left out, in the row that stands for them.
func (c Column[R]) More() Column[R] { return c.Gap("(% more)") }

// Gap is the column with this text in the row that stands for rows that are left out.
func (c Column[R]) Gap(text string) Column[R] {
	c.gap = text
	return c
}

// TableOf is a table with a row for each of a list.
func TableOf[R any](list []R, columns ...Column[R]) Table {
	t := tableOf(columns)
	for _, r := range list {
		t.rows = append(t.rows, cellsOf(r, columns))
	}
	return t
}

// Ends is a table of the first and last half of so many rows, with one between them that stands for
// those that are left out.
func Ends[R any](list []R, most int, columns ...Column[R]) Table {
	if len(list) <= most {
		return TableOf(list, columns...)
	}
	t := TableOf(list[:most/2], columns...)
	t.rows = append(t.rows, gapOf(len(list)-most, columns))
	t.rows = append(t.rows, TableOf(list[len(list)-most/2:], columns...).rows...)
	return t
}

// First is a table of the first so many rows, and one that stands for those that are left out.
func First[R any](list []R, most int, columns ...Column[R]) Table {
	t := TableOf(list[:min(most, len(list))], columns...)
	if len(list) > most {
		t.rows = append(t.rows, gapOf(len(list)-most, columns))
	}
	return t
}

// Below is the table with the rows of another of the same columns below its own.
func (t Table) Below(other Table) Table {
	t.rows = append(t.rows, other.rows...)
	return t
}

// Grouped is a table with a row for each group, and one for each of its members; the members of a
// group follow each other.
func Grouped[R any](list []R, group func(R) string, columns ...Column[R]) Table {
	t := tableOf(columns)
	t.grouped = true
	last := ""
	for i, r := range list {
		if g := group(r); g != last || i == 0 {
			last = g
			row := make([]string, len(columns))
			row[0] = g
			t.rows = append(t.rows, row)
		}
		cells := cellsOf(r, columns)
		cells[0] = " " + cells[0]
		t.rows = append(t.rows, cells)
	}
	return t
}

func tableOf[R any](columns []Column[R]) Table {
	t := Table{columns: make([]head, len(columns))}
	for i, c := range columns {
		t.columns[i] = c.head
	}
	return t
}

func cellsOf[R any](r R, columns []Column[R]) []string {
	cells := make([]string, len(columns))
	for i, c := range columns {
		cells[i] = c.cell(r)
	}
	return cells
}

func gapOf[R any](more int, columns []Column[R]) []string {
	cells := make([]string, len(columns))
	for i, c := range columns {
		cells[i] = strings.Replace(c.gap, "%", units.Number(int64(more)), 1)
	}
	return cells
}

// Pairs is a table of names and what they are.
type Pairs struct {
	rows [][]string
}

// Add adds a row.
func (p *Pairs) Add(name, text string) { p.rows = append(p.rows, []string{name, text}) }

// Table is the table of the rows.
func (p *Pairs) Table() Table { return Table{columns: []head{{"", left}, {"", left}}, rows: p.rows} }

// withoutBlanks is the table without the columns of nothing but a head.
func (t *Table) withoutBlanks() *Table {
	c := Table{grouped: t.grouped, below: t.below, rows: make([][]string, len(t.rows))}
	for i, col := range t.columns {
		if col.align == blank {
			continue
		}
		c.columns = append(c.columns, col)
		for j, row := range t.rows {
			c.rows[j] = append(c.rows[j], row[i])
		}
	}
	return &c
}

// columnsOf is the table of the first column and those from one up to, and without, another.
func (t *Table) columnsOf(from, to int) Table {
	part := Table{grouped: t.grouped, columns: append([]head{t.columns[0]}, t.columns[from:to]...)}
	for _, row := range t.rows {
		part.rows = append(part.rows, append([]string{row[0]}, row[from:to]...))
	}
	return part
}

// barWidth is the length of the longest bar, which is made of marks.
const (
	barWidth = 20
	barMark  = "█"
)

// bar is a bar for a share of 1.
func bar(share float64) string {
	n := int(share*barWidth + 0.5)
	return strings.Repeat(barMark, max(0, min(n, barWidth)))
}
