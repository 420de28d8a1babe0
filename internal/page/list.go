package page

import (
	"io"
	"strconv"
)

// List is a page that links to others: the saved runs, or the runs of a set. It needs no script.
type List struct {
	Title   string
	Intro   string // how many rows there are, and their order
	Links   []Link
	Filter  *Filter // nil: no filter
	Choose  string  // path that receives the selected rows as parameters "with"; "": rows cannot be selected
	Heads   []ListHead
	Rows    []ListRow
	Empty   string // shown if there are no rows
	Earlier Link   // to other rows; ignored if its text is empty
	Later   Link
}

// Filter is a form with one field.
type Filter struct {
	To    string // path that receives the parameter q
	Value string
	Help  string
}

// ListHead is the name of a column.
type ListHead struct {
	Text  string
	Right bool // a column of numbers
	Whole bool // its cells do not wrap
}

// ListRow is a row whose first cell is a link.
type ListRow struct {
	Mark  string // value of its check box; "": no check box
	To    string // "": no link
	Cells []string
	Tone  Tone // of its last cell
	Save  Link // its document; ignored if its text is empty
}

// Tone is the tone of a cell, as in reports.
type Tone string

// The tones.
const (
	TonePlain    Tone = "plain"
	ToneGood     Tone = "good"
	ToneDoubtful Tone = "doubtful"
	ToneBad      Tone = "bad"
)

// class returns the CSS class of a tone.
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
	m.raw(`<body class="list"><a class="skip" href="#rows">Skip to the list</a>`)
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

// links writes links to other pages.
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
	m.raw(`><button type="submit">Apply</button>`)
	m.raw(`<span id="filter-help" class="note">`)
	m.text(f.Help)
	m.raw("</span></form>")
}

// listed writes the rows, in a form if they can be selected.
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
		m.raw(`><p class="choose"><button type="submit">Overlay the selected runs</button></p>`)
	}
	m.raw(`<div id="rows" class="scroll" tabindex="0" role="region"`)
	m.attribute("aria-label", of.Title)
	m.raw(`><table class="data"><thead><tr>`)
	if of.Choose != "" {
		m.raw(`<th scope="col">select</th>`)
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
			m.attribute("aria-label", "select "+r.Cells[0])
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
			m.attribute("data-head", of.Heads[i].Text) // shown before the value on narrow screens
			m.raw(">")
		case i < len(of.Heads) && of.Heads[i].Whole:
			m.raw(`<td class="whole">`)
		default:
			m.raw("<td>")
		}
		m.words(cell)
		m.raw("</td>")
	}
	if extra := len(of.Heads) - len(r.Cells); extra > 0 { // of an unreadable document
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

// whole returns the class of a short value, which does not wrap before its unit.
func whole(value string) constant {
	const short = 12
	if len(value) <= short {
		return " whole"
	}
	return ""
}

// turns writes links to the pages before and after this one.
func (m *markup) turns(of *List) {
	if of.Earlier.Text == "" && of.Later.Text == "" {
		return
	}
	m.raw(`<nav class="turns" aria-label="Pages of the list">`)
	for _, l := range []Link{of.Later, of.Earlier} {
		if l.Text != "" {
			m.link(l)
		}
	}
	m.raw("</nav>")
}
