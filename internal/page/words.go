package page

import (
	"strconv"

	"github.com/plimsoll/plimsoll/internal/report"
)

// head writes the title and how the run was made.
func (m *markup) head(of *Model) {
	m.phrase("h1", "", of.Title)
	m.phrase("p", "subtitle", of.Subtitle)
	if of.Now != "" {
		m.element("p", "now", of.Now)
	}
}

// details writes the sections of the report.
func (m *markup) details(sections []report.Section) {
	for i := range sections {
		m.section(&sections[i])
	}
}

// long is the number of table rows above which a section is collapsed at first.
const long = 30

func (m *markup) section(s *report.Section) {
	rows := 0
	for i := range s.Tables {
		rows += s.Tables[i].Rows()
	}
	name := report.SectionName(s.Title)
	m.raw("<details")
	m.attribute("id", "section-"+name)
	if rows <= long {
		m.raw(" open")
	}
	m.raw("><summary><h3>")
	m.text(s.Title)
	m.raw("</h3></summary>")
	for _, p := range s.Intro {
		m.element("p", "", p)
	}
	if s.Drawing != "" {
		m.raw(`<pre tabindex="0">`)
		m.text(s.Drawing)
		m.raw("</pre>")
	}
	for i := range s.Tables {
		name := s.Title
		if i > 0 {
			name += ", " + strconv.Itoa(i+1)
		}
		m.table(&s.Tables[i], name)
	}
	for _, p := range s.Notes {
		m.element("p", "note", p)
	}
	m.raw("</details>")
}
