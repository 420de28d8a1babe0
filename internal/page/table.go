package page

import (
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
)

// table writes a table that scrolls if it is wider than the page. of names it for screen readers.
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
		m.row(heads, cells, t.IsGrouped(), pairs)
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

// row writes a row, whose first cell is its name. Values of pairs show URLs in full.
func (m *markup) row(heads []report.Head, cells []string, grouped, pair bool) {
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
			m.words(strings.TrimPrefix(cell, " "))
			m.raw("</th>")
		case h.Right:
			m.raw(`<td class="number">`)
			m.text(cell)
			m.raw("</td>")
		default:
			m.raw("<td" + outcomeClass(cell) + ">")
			if pair {
				m.text(cell)
			} else {
				m.words(cell)
			}
			m.raw("</td>")
		}
	}
	m.raw("</tr>")
}

// outcomeClass returns the class attribute of a cell that is a bad outcome.
func outcomeClass(cell string) constant {
	switch strings.ToLower(cell) {
	case "worse", "missed", "not met", "invalid", "failed":
		return ` class="outcome bad"`
	case "suspect", "unknown", "cannot be evaluated":
		return ` class="outcome doubtful"`
	case "better":
		return ` class="outcome good"`
	}
	return ""
}

// bar writes a bar whose length is the number of marks. The numbers beside it have the same information.
func (m *markup) bar(marks string) {
	m.raw(`<td class="bar" aria-hidden="true"><svg viewBox="0 0 20 1" preserveAspectRatio="none"><rect height="1"`)
	m.attribute("width", strconv.Itoa(len([]rune(marks))))
	m.raw("/></svg></td>")
}
