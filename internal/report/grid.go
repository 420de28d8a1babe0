package report

import (
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
)

// leastText is how narrow a last column of text may be.
const leastText = 20

// grid is where the columns of a table stand in a terminal.
type grid struct {
	widths []int
	last   int // where the last column begins
	room   int // of it
}

// table writes the columns as wide as their widest cell, two spaces apart. A last column of text is wrapped, one of
// bars has shorter ones. A table that does not fit is folded or else stacked, so that no figure is cut off.
func (t *printer) table(tab *Table) {
	tab = tab.withoutBlanks()
	if tab.Empty() {
		return
	}
	if g, fits := t.grid(tab); fits || t.open {
		t.rows(tab, g)
		return
	}
	parts := t.fold(tab)
	if parts == nil {
		t.stack(tab)
	}
	for i := range parts {
		g, _ := t.grid(&parts[i])
		t.rows(&parts[i], g)
	}
}

func (t *printer) rows(tab *Table, g grid) {
	heads := make([]string, len(tab.columns))
	for i, c := range tab.columns {
		heads[i] = c.text
	}
	if strings.Join(heads, "") != "" {
		t.row(tab.columns, g, heads)
	}
	for _, row := range tab.rows {
		t.row(tab.columns, g, row)
	}
	if tab.below != "" {
		t.lines(indent, Wrap(tab.below, t.prose()-indent)...)
	}
}

// grid says where the columns stand, and whether they fit.
func (t *printer) grid(tab *Table) (grid, bool) {
	g := grid{widths: make([]int, len(tab.columns)), last: indent}
	end := len(tab.columns) - 1
	text := 0 // the widest of the last column's cells that are no bars
	for i, c := range tab.columns {
		g.widths[i] = units.Width(c.text)
		for _, row := range tab.rows {
			g.widths[i] = max(g.widths[i], units.Width(row[i]))
			if i == end && !isBar(row[i]) {
				text = max(text, units.Width(row[i]))
			}
		}
		if i < end {
			g.last += g.widths[i] + 2
		}
	}
	g.room = t.width - g.last
	if t.open {
		g.room = max(g.room, leastText)
	}
	switch tab.columns[end].align {
	case left: // as wide as a paragraph, unless that is too narrow
		g.room = min(g.room, max(t.prose()-g.last, 2*leastText))
		return g, g.widths[end] <= g.room || g.room >= leastText
	case bars:
		return g, text <= g.room || text == 0 && g.room >= -2
	}
	return g, g.widths[end] <= g.room
}

func (t *printer) row(columns []head, g grid, cells []string) {
	var b strings.Builder
	for i, cell := range cells {
		if i > 0 {
			b.WriteString("  ")
		}
		switch last := i == len(cells)-1; {
		case last && columns[i].align == left:
			t.lastText(b.String(), g, cell)
			return
		case last && columns[i].align == bars:
			b.WriteString(shorter(cell, g.room))
		default:
			b.WriteString(pad(cell, g.widths[i], columns[i].align))
		}
	}
	t.lines(indent, b.String())
}

// lastText ends a row with text, which is wrapped. A word that has no room there, such as a path, is below the row.
func (t *printer) lastText(row string, g grid, text string) {
	lines := Wrap(text, g.room)
	if units.Width(lines[0]) > t.width-g.last && !t.open {
		t.lines(indent, row)
		t.lines(2*indent, Wrap(text, t.prose()-2*indent)...)
		return
	}
	t.lines(indent, row+lines[0])
	t.lines(g.last, lines[1:]...)
}

// fold makes tables of a table that is too wide: each has its first column and as many of the others as fit. There
// are none where not one fits beside the first, or where that does not tell the rows apart.
func (t *printer) fold(tab *Table) []Table {
	names := map[string]bool{}
	for _, row := range tab.rows {
		if names[row[0]] && !tab.grouped {
			return nil
		}
		names[row[0]] = true
	}
	var parts []Table
	from := 1 // the first column of the part
	for to := 2; to <= len(tab.columns); to++ {
		part := tab.columnsOf(from, to)
		if _, fits := t.grid(&part); fits {
			continue
		}
		if to == from+1 {
			return nil
		}
		parts = append(parts, tab.columnsOf(from, to-1))
		from = to - 1
		to-- // again, in a part of its own
	}
	if from >= len(tab.columns) {
		return parts
	}
	return append(parts, tab.columnsOf(from, len(tab.columns)))
}

// stack writes below the name of each row of a table its cells, each beside the head of its column.
func (t *printer) stack(tab *Table) {
	by := indent
	named := tab.columns[0].align == left
	if named && tab.columns[0].text != "" {
		t.lines(by, Wrap(tab.columns[0].text, t.prose()-by)...)
		by += indent
	}
	for _, row := range tab.rows {
		at, cells, columns := by, row, tab.columns
		if named {
			at += len(row[0]) - len(strings.TrimLeft(row[0], " ")) // a member of a group
			if name := strings.TrimSpace(row[0]); name != "" {
				t.lines(at, Wrap(name, t.prose()-at)...)
			}
			at, cells, columns = at+indent, row[1:], columns[1:]
		}
		if text := stacked(columns, cells); text != "" {
			t.lines(at, wrapParts(text, t.prose()-at)...)
		}
	}
}

// stacked are cells in words. In a row that stands for others they have no heads.
func stacked(columns []head, cells []string) string {
	gap := false
	for _, cell := range cells {
		gap = gap || cell == gapCell
	}
	var parts []string
	for i, cell := range cells {
		cell = strings.TrimSpace(cell)
		switch head := columns[i].text; {
		case cell == "", cell == gapCell, isBar(cell):
		case head == "" || gap:
			parts = append(parts, cell)
		default:
			parts = append(parts, head+" "+cell)
		}
	}
	return strings.Join(parts, " · ")
}

func isBar(cell string) bool { return strings.Trim(cell, barMark) == "" }

// shorter is a bar in what room there is for the longest, and any other cell as it is.
func shorter(cell string, room int) string {
	if !isBar(cell) || room >= barWidth {
		return cell
	}
	n := units.Width(cell)
	return strings.Repeat(barMark, max(0, (n*room+barWidth/2)/barWidth))
}
