package page

import (
	"io"
	"strconv"
)

// List is a page that leads to others: the saved runs, or those of a set. It needs no script.
type List struct {
	Title   string
	Intro   string // how many there are, and where
	Links   []Link
	Filter  *Filter // nil: there is none
	Choose  string  // where the rows that are marked go to, as parameters with; "": none can be
	Heads   []ListHead
	Rows    []ListRow
	Empty   string // shown where there is no row
	Earlier Link   // to other rows; none without a text
	Later   Link
}

// Filter is a form of one field.
type Filter struct {
	To    string // where it goes, with the parameter q
	Value string
	Help  string
}

// ListHead is the name of a column.
type ListHead struct {
	Text  string
	Right bool // figures, which are aligned by their ends
	Whole bool // its cells stay on one line
}

// ListRow is one that leads somewhere. Its first cell is the link.
type ListRow struct {
	Mark  string // what is chosen by its box; "": it has none
	To    string // "": nowhere
	Cells []string
	Tone  Tone // of its last cell
	Save  Link // its document; none without a text
}

// Tone is whether something is good, as reports have it.
type Tone string

// The tones.
const (
	TonePlain    Tone = "plain"
	ToneGood     Tone = "good"
	ToneDoubtful Tone = "doubtful"
	ToneBad      Tone = "bad"
)

// class is the class of a tone.
func (t Tone) class() constant {
	switch t {
	case ToneGood:
		return "good"
	case ToneDoubtful:
		return "doubtful"
	case ToneBad:
		return "bad"
	}
	return "plain"
}

// WriteList writes a list.
func WriteList(w io.Writer, of *List) error {
	style, err := asset("page.css", "list.css")
	if err != nil {
		return err
	}
	var m markup
	m.begin(of.Title, "default-src 'none'; img-src data:; style-src "+hashOf(style)+
		"; base-uri 'none'; form-action 'self'", style)
	m.raw(`<body class="list"><a class="skip" href="#rows">To the list</a>`)
	m.raw(`<header><div id="head">`)
	m.element("h1", "", of.Title)
	m.element("p", "subtitle", of.Intro)
	m.raw("</div>")
	m.links(of.Links)
	m.raw("</header><main>")
	m.filter(of.Filter)
	m.listed(of)
	m.raw("</main></body></html>\n")
	_, err = io.WriteString(w, m.String())
	return err
}

// links are ways to other pages.
func (m *markup) links(all []Link) {
	if len(all) == 0 {
		return
	}
	m.raw(`<nav id="nav" aria-label="Other pages">`)
	for _, l := range all {
		m.link(l)
	}
	m.raw("</nav>")
}

func (m *markup) link(l Link) {
	m.raw("<a")
	m.attribute("href", l.To)
	m.raw(">")
	m.text(l.Text)
	m.raw("</a>")
}

func (m *markup) filter(f *Filter) {
	if f == nil {
		return
	}
	m.raw(`<form class="filter" role="search" method="get"`)
	m.attribute("action", f.To)
	m.raw(`><label for="q">Filter</label><input type="search" id="q" name="q" aria-describedby="filter-help"`)
	m.attribute("value", f.Value)
	m.raw(`><button type="submit">Show</button>`)
	m.raw(`<span id="filter-help" class="note">`)
	m.text(f.Help)
	m.raw("</span></form>")
}

// listed are the rows, in a form where some can be chosen.
func (m *markup) listed(of *List) {
	if len(of.Rows) == 0 {
		m.raw(`<div id="rows">`)
		m.element("p", "note", of.Empty)
		m.raw("</div>")
		m.turns(of)
		return
	}
	if of.Choose != "" {
		m.raw(`<form method="get"`)
		m.attribute("action", of.Choose)
		m.raw(`><p class="choose"><button type="submit">Overlay the chosen ones</button></p>`)
	}
	m.raw(`<div id="rows" class="scroll" tabindex="0" role="region"`)
	m.attribute("aria-label", of.Title)
	m.raw(`><table class="data"><thead><tr>`)
	if of.Choose != "" {
		m.raw(`<th scope="col">overlay</th>`)
	}
	for _, h := range of.Heads {
		m.raw(`<th scope="col"`)
		if h.Right {
			m.raw(` class="number"`)
		}
		m.raw(">")
		m.text(h.Text)
		m.raw("</th>")
	}
	m.raw(`<th scope="col">document</th></tr></thead><tbody>`)
	for i := range of.Rows {
		m.listRow(of, i)
	}
	m.raw("</tbody></table></div>")
	if of.Choose != "" {
		m.raw("</form>")
	}
	m.turns(of)
}

func (m *markup) listRow(of *List, at int) {
	r := &of.Rows[at]
	m.raw("<tr>")
	if of.Choose != "" {
		m.raw("<td>")
		if r.Mark != "" {
			m.raw(`<input type="checkbox" name="with"`)
			m.attribute("value", r.Mark)
			m.attribute("aria-label", "overlay "+r.Cells[0])
			m.raw(">")
		}
		m.raw("</td>")
	}
	for i, cell := range r.Cells {
		switch {
		case i == 0:
			m.raw(`<th scope="row">`)
			if r.To != "" {
				m.link(Link{cell, r.To})
			} else {
				m.text(cell)
			}
			m.raw("</th>")
			continue
		case i == len(r.Cells)-1:
			m.raw(`<td class="` + r.Tone.class() + `">`)
		case i < len(of.Heads) && of.Heads[i].Right:
			m.raw(`<td class="number` + whole(cell) + `"`)
			m.attribute("data-head", of.Heads[i].Text) // said before it where the heads have no room
			m.raw(">")
		case i < len(of.Heads) && of.Heads[i].Whole:
			m.raw(`<td class="whole">`)
		default:
			m.raw("<td>")
		}
		m.text(cell)
		m.raw("</td>")
	}
	if extra := len(of.Heads) - len(r.Cells); extra > 0 { // of one that cannot be read
		m.raw("<td")
		m.attribute("colspan", strconv.Itoa(extra))
		m.raw("></td>")
	}
	m.raw("<td>")
	if r.Save.Text != "" {
		m.raw(`<a download`)
		m.attribute("href", r.Save.To)
		m.attribute("aria-label", r.Save.Text+" of "+r.Cells[0])
		m.raw(">")
		m.text(r.Save.Text)
		m.raw("</a>")
	}
	m.raw("</td></tr>")
}

// whole is the class of a figure that a line has room for: it is not broken before its unit.
func whole(figure string) constant {
	const short = 12
	if len(figure) <= short {
		return " whole"
	}
	return ""
}

// turns lead to the rows before and after these.
func (m *markup) turns(of *List) {
	if of.Earlier.Text == "" && of.Later.Text == "" {
		return
	}
	m.raw(`<nav class="turns" aria-label="More of the list">`)
	for _, l := range []Link{of.Later, of.Earlier} {
		if l.Text != "" {
			m.link(l)
		}
	}
	m.raw("</nav>")
}
