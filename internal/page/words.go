package page

import (
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
)

// verdict is the key of the fact that stands before all others.
const verdict = "Verdict"

// head is the title, and how the run was made.
func (m *markup) head(of *Model) {
	m.element("h1", "", of.Title)
	m.element("p", "subtitle", of.Subtitle)
	if of.Now != "" {
		m.element("p", "now", of.Now)
	}
}

// answer writes what a reader sees first: what went wrong, such as a threshold that was missed, then whether the values
// can be trusted, then the values.
func (m *markup) answer(of *Model) {
	rest := slices.Clone(of.Facts)
	rest = slices.DeleteFunc(rest, func(f report.Fact) bool {
		wrong := f.Tone == report.Bad && f.Key != verdict
		if wrong {
			m.banner(&f)
		}
		return wrong
	})
	if i := slices.IndexFunc(rest, func(f report.Fact) bool { return f.Key == verdict }); i >= 0 {
		m.banner(&rest[i])
		rest = slices.Delete(rest, i, i+1)
	}
	if of.Before.Value != "" {
		m.banner(&of.Before)
	}
	if !of.Lead.Empty() {
		m.table(&of.Lead, "lead")
	}
	m.raw(`<dl class="facts">`)
	for i := range rest {
		m.fact(&rest[i])
	}
	m.raw("</dl>")
	if of.Next != "" {
		m.raw(`<p class="next">Next: <code>`)
		m.text(of.Next)
		m.raw("</code></p>")
	}
}

// banner is a fact over the whole width, with a mark that tells its tone without a colour. What is behind it stands
// below, and on a phone below the figures: these are what was asked for.
func (m *markup) banner(f *report.Fact) {
	tone, mark := toneOf(f.Tone)
	m.raw(`<div class="banner ` + tone + `">`)
	if mark != "" {
		m.raw(`<span class="mark" aria-hidden="true">` + mark + `</span>`)
	}
	m.raw("<div><p>")
	m.element("span", "key", f.Key)
	m.raw(" ")
	word, why, cut := strings.Cut(f.Value, ": ")
	m.element("strong", "", word)
	if cut {
		m.text(": " + why)
	}
	m.raw("</p></div></div>")
	if len(f.Points) > 0 {
		m.raw(`<div class="why ` + tone + `">`)
		m.points(f.Points)
		m.raw("</div>")
	}
}

// fact is one of the list.
func (m *markup) fact(f *report.Fact) {
	if f.Value == "" && len(f.Points) == 0 {
		return
	}
	tone, mark := toneOf(f.Tone)
	m.raw(`<div class="fact ` + tone)
	if f.Strong {
		m.raw(" strong")
	}
	m.raw(`">`)
	m.element("dt", "", f.Key)
	m.raw("<dd>")
	if f.Value != "" {
		m.raw(`<p class="value">`)
		if mark != "" {
			m.raw(`<span class="mark" aria-hidden="true">` + mark + `</span> `)
		}
		m.parts(f.Value)
		m.raw("</p>")
	}
	m.points(f.Points)
	m.raw("</dd></div>")
}

// parts are those of a value; each stays together where there is room for it.
func (m *markup) parts(value string) {
	const between = " · "
	all := strings.Split(value, between)
	for i, part := range all {
		if i+1 < len(all) {
			part += " ·"
		}
		m.element("span", "part", part)
		m.raw(" ")
	}
}

func (m *markup) points(points []string) {
	if len(points) == 0 {
		return
	}
	m.raw("<ul>")
	for _, p := range points {
		m.element("li", "", p)
	}
	m.raw("</ul>")
}

// toneOf is the class of a tone, and its mark.
func toneOf(t report.Tone) (class, mark constant) {
	switch t {
	case report.Good:
		return "good", "✓"
	case report.Doubtful:
		return "doubtful", "!"
	case report.Bad:
		return "bad", "✗"
	}
	return "plain", ""
}

// details are the sections of the report.
func (m *markup) details(sections []report.Section) {
	for i := range sections {
		m.section(&sections[i])
	}
}

// long is how many rows of tables a section has that is folded up at first.
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
