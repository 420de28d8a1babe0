package page

import (
	"html"
	"strings"
)

// markup builds HTML. Only raw writes unescaped text, and it takes constants: nothing from a document can become
// markup.
// (html/template looks up methods by name, which keeps the linker from removing any: 25 MB of the program.)
type markup struct{ strings.Builder }

// constant is text of this package. A string variable does not convert to it implicitly.
type constant string

func (m *markup) raw(s constant) { m.WriteString(string(s)) }

func (m *markup) text(s string) { m.WriteString(html.EscapeString(s)) }

// element writes an element with text in it, or nothing if the text is empty.
func (m *markup) element(name, class constant, text string) {
	if text == "" {
		return
	}
	m.open(name, class)
	m.text(text)
	m.raw("</" + name + ">")
}

// open writes a start tag with a class; "": none.
func (m *markup) open(name, class constant) {
	m.raw("<" + name)
	if class != "" {
		m.raw(` class="` + class + `"`)
	}
	m.raw(">")
}

// attribute adds an attribute to a start tag that is not closed, such as raw(`<a`).
func (m *markup) attribute(name constant, value string) {
	m.raw(" " + name + `="`)
	m.text(value)
	m.raw(`"`)
}
