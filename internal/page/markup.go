package page

import (
	"html"
	"strings"
)

// markup is HTML that is being written. Nothing but raw writes what is not escaped, and raw takes constants: what
// comes from a document is text, whatever it looks like. Templates would do as well and look methods up by name, with
// which the linker keeps all of them: 25 MB of the program.
type markup struct{ strings.Builder }

// constant is text of this package. A variable string does not become one by itself.
type constant string

func (m *markup) raw(s constant) { m.WriteString(string(s)) }

func (m *markup) text(s string) { m.WriteString(html.EscapeString(s)) }

// element is an element with text in it, or nothing where there is no text.
func (m *markup) element(name, class constant, text string) {
	if text == "" {
		return
	}
	m.open(name, class)
	m.text(text)
	m.raw("</" + name + ">")
}

// open begins an element of a class; "": of none.
func (m *markup) open(name, class constant) {
	m.raw("<" + name)
	if class != "" {
		m.raw(` class="` + class + `"`)
	}
	m.raw(">")
}

// attribute adds one to an element that is open, as with raw(`<a`).
func (m *markup) attribute(name constant, value string) {
	m.raw(" " + name + `="`)
	m.text(value)
	m.raw(`"`)
}
