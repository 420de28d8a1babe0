package page

import (
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
)

// table is one of a section or of the answer, which scrolls by itself where it is wider than the page. of says what
// of, for who cannot see where it stands.
func (m *markup) table(t *report.Table, of string) {
	if t.Empty() {
		return
	}
	heads := t.Heads()
	m.raw(`<div class="scroll" tabindex="0" role="region"`)
	m.attribute("aria-label", "Table: "+of)
	m.raw("><table")
	pairs := len(heads) == 2 && heads[0].Text == "" && heads[1].Text == ""
	switch {
	case pairs:
		m.raw(` class="pairs"`)
	case t.IsGrouped():
		m.raw(` class="data grouped"`)
	default:
		m.raw(` class="data"`)
	}
	m.raw(">")
	if !pairs {
		m.tableHead(heads)
	}
	m.raw("<tbody>")
	for _, cells := range t.Cells() {
		m.row(heads, cells, t.IsGrouped())
	}
	m.raw("</tbody></table></div>")
	m.element("p", "note", t.Line())
}

func (m *markup) tableHead(heads []report.Head) {
	m.raw("<thead><tr>")
	for _, h := range heads {
		switch {
		case h.Blank:
		case h.Text == "":
			m.raw("<td></td>")
		case h.Right:
			m.raw(`<th scope="col" class="number">`)
			m.text(h.Text)
			m.raw("</th>")
		default:
			m.raw(`<th scope="col">`)
			m.text(h.Text)
			m.raw("</th>")
		}
	}
	m.raw("</tr></thead>")
}

// row is one of the table; its first cell is its name.
func (m *markup) row(heads []report.Head, cells []string, grouped bool) {
	member := strings.HasPrefix(cells[0], " ")
	switch {
	case member:
		m.raw(`<tr class="member">`)
	case grouped:
		m.raw(`<tr class="group">`)
	default:
		m.raw("<tr>")
	}
	for i, h := range heads {
		switch cell := cells[i]; {
		case h.Blank:
		case h.Bars:
			m.bar(cell)
		case i == 0 && strings.TrimSpace(cell) == "":
			m.raw("<td></td>")
		case i == 0:
			m.raw(`<th scope="row">`)
			m.text(strings.TrimPrefix(cell, " "))
			m.raw("</th>")
		case h.Right:
			m.raw(`<td class="number">`)
			m.text(cell)
			m.raw("</td>")
		default:
			m.raw("<td>")
			m.text(cell)
			m.raw("</td>")
		}
	}
	m.raw("</tr>")
}

// bar is a bar of a table, whose length stands in it as marks. The figures beside it say the same.
func (m *markup) bar(marks string) {
	m.raw(`<td class="bar" aria-hidden="true"><svg viewBox="0 0 20 1" preserveAspectRatio="none"><rect height="1"`)
	m.attribute("width", strconv.Itoa(len([]rune(marks))))
	m.raw("/></svg></td>")
}
