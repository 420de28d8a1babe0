package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"
)

// Content is the content of a file.
type Content struct {
	Model
	Documents []Document // the source of the values, embedded
	Links     []Link     // to other pages of the same server
}

// Document is a run or set document.
type Document struct {
	Name   string // file name for saving
	Schema string // as stated in the document
	Text   []byte
}

// Link leads to another page.
type Link struct {
	Text, To string
}

// assets are the scripts and styles, which are embedded in each page.
// package state: the compiler fills it, and it cannot be changed.
//
//go:embed assets/*.js assets/*.css
var assets embed.FS

// Write writes a self-contained page.
func Write(w io.Writer, of Content) error {
	return write(w, &of, "")
}

// Live writes a page that shows a model and replaces it with each event that it receives from this path of its server.
// An event is the result of Model.Event.
func Live(w io.Writer, of Content, events string) error {
	return write(w, &of, events)
}

func write(w io.Writer, of *Content, events string) error {
	script, err := script()
	if err != nil {
		return err
	}
	style, err := asset("uplot.min.css", "page.css")
	if err != nil {
		return err
	}
	var m markup
	m.begin(of.Title, policy(script, style, events != ""), style)
	m.raw("<body")
	if events != "" {
		m.attribute("data-events", events)
	}
	m.raw(">")
	if err := m.body(of); err != nil {
		return err
	}
	m.raw("<script>" + script + "</script></body></html>\n")
	_, err = io.WriteString(w, m.String())
	return err
}

// begin writes the page up to its body, with a content security policy.
func (m *markup) begin(title, policy string, style constant) {
	m.raw("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
	m.raw(`<meta name="viewport" content="width=device-width, initial-scale=1">`)
	m.raw(`<meta http-equiv="Content-Security-Policy"`)
	m.attribute("content", policy)
	m.raw(`><meta name="color-scheme" content="light dark"><meta name="generator" content="Plimsoll">` + icon)
	m.element("title", "", title)
	m.raw("<style>" + style + "</style></head>")
}

// icon keeps browsers from requesting one.
const icon = `<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'` +
	`%3E%3Ccircle cx='8' cy='8' r='6' fill='none' stroke='%23246' stroke-width='2'/%3E%3Cpath d='M0 8h16' ` +
	`stroke='%23246' stroke-width='2'/%3E%3C/svg%3E">`

// script returns the script of the page as one function. Its only global is window.plimsoll.
func script() (constant, error) {
	all, err := asset("uplot.min.js", "base.js", "units.js", "scale.js", "shape.js", "data.js", "draw.js", "field.js",
		"axes.js", "read.js", "keys.js", "tip.js", "chart.js", "legend.js", "table.js", "numbers.js", "panel.js", "live.js",
		"page.js")
	return "(() => {\n\"use strict\";\n" + all + "})();\n", err
}

// asset concatenates embedded files.
func asset(names ...string) (constant, error) {
	var all strings.Builder
	for _, name := range names {
		text, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return "", err
		}
		all.Write(text)
		all.WriteString("\n")
	}
	return constant(all.String()), nil
}

// policy allows nothing but the script and the style of the page, by their hashes: nothing in a document can run, and
// the page makes no requests.
func policy(script, style constant, live bool) string {
	p := "default-src 'none'; img-src data:; script-src " + hashOf(script) + "; style-src " + hashOf(style) +
		"; base-uri 'none'; form-action 'none'"
	if live {
		p += "; connect-src 'self'"
	}
	return p
}

// hashOf returns the hash of a script or a style for a policy.
func hashOf(of constant) string {
	sum := sha256.Sum256([]byte(of))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func (m *markup) body(of *Content) error {
	m.raw(`<a class="skip" href="#answer">Skip to the results</a><nav id="nav" aria-label="Sections of this page">`)
	for _, l := range of.Links {
		m.raw("<a")
		m.attribute("href", l.To)
		m.raw(">")
		m.text(l.Text)
		m.raw("</a>")
	}
	m.raw(`<a href="#answer">Results</a><a href="#charts">Charts</a><a href="#details">Details</a>`)
	if len(of.Documents) > 0 {
		m.raw(`<a href="#documents">Document</a>`)
	}
	m.raw(`</nav><header><div id="head">`)
	m.head(&of.Model)
	m.raw(`</div></header><main><section id="answer" aria-label="Results">`)
	m.answer(&of.Model)
	m.raw(`</section><section id="charts" aria-labelledby="charts-title"><h2 id="charts-title">Charts</h2>`)
	m.raw(`<noscript><p class="note">The charts need JavaScript. Their values are also in the document.</p>` +
		`</noscript><div id="panels"></div></section>`)
	m.raw(`<section id="details" aria-labelledby="details-title"><h2 id="details-title">Details</h2>` +
		`<div id="sections">`)
	m.details(of.Sections)
	m.raw("</div></section>")
	if err := m.documents(of.Documents); err != nil {
		return err
	}
	m.raw("</main>")
	panels, err := json.Marshal(of.Panels)
	if err != nil {
		return err
	}
	return m.packed("panels-data", "panels.json", panels)
}

// documents embeds the documents, with buttons that save them.
func (m *markup) documents(all []Document) error {
	if len(all) == 0 {
		return nil
	}
	m.raw(`<section id="documents" aria-labelledby="documents-title"><h2 id="documents-title">Document</h2>` +
		`<p>Every value on this page comes from the document below.</p><ul>`)
	for i := range all {
		m.raw("<li>")
		m.raw("<button type=\"button\" class=\"save\" hidden>Save</button> ")
		m.element("code", "", all[i].Name)
		if all[i].Schema != "" {
			m.raw(" (schema ")
			m.element("code", "", all[i].Schema)
			m.raw(")")
		}
		if err := m.packed("", all[i].Name, all[i].Text); err != nil {
			return err
		}
		m.raw("</li>")
	}
	m.raw("</ul></section>")
	return nil
}

// packed embeds data for the script, compressed with gzip and encoded as base64. Repetitions that are too far apart for
// gzip are left out and restored by the script.
func (m *markup) packed(id constant, name string, data []byte) error {
	var small bytes.Buffer
	packer, err := gzip.NewWriterLevel(&small, gzip.BestCompression)
	if err != nil {
		return err
	}
	data, all := withoutAgain(data)
	if _, err := packer.Write(data); err != nil {
		return err
	}
	if err := packer.Close(); err != nil {
		return err
	}
	m.raw(`<script type="application/gzip"`)
	if id != "" {
		m.attribute("id", string(id))
	}
	m.attribute("data-name", name)
	if len(all) > 0 {
		m.attribute("data-again", stretches(all))
	}
	m.raw(">")
	m.WriteString(base64.StdEncoding.EncodeToString(small.Bytes()))
	m.raw("</script>")
	return nil
}
