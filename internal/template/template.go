package template

import (
	"slices"
	"time"
)

// Place is where a text stands, which decides how its values are escaped.
type Place uint8

// The places.
const (
	Raw    Place = iota // as it is
	URL                 // an address: of its path, its query and its fragment, each as it must be; its host never changes
	Header              // the value of a header: what would end it becomes a space (RFC 9110, 5.5)
	JSON                // in quotes the contents of a string; outside, a number or a literal as it is, else a string
	Form                // application/x-www-form-urlencoded (URL Standard of the WHATWG, 5.2)
	STOMP               // a frame of STOMP 1.2: its headers, and a body that is JSON if it begins with { or [

	inURL    // where a value stands in an address, once that is compiled
	inURLRaw // a part of an address that is written already
	inString // likewise in JSON
	bare
	inHeader // likewise in STOMP
	inBody
)

// Values are what a template is rendered with, by one goroutine at a time.
type Values struct {
	Seed   uint64
	Index  uint64 // number of the operation
	Client uint64
	Now    time.Time // the operation's intended start
	Row    []string  // of the table, in the order of Known.Columns; a column that it has not is empty
	Kept   [][]byte  // in the order of Known.Kept; what is not there is empty
	Room   uint64    // of what goes over WebSocket
	ID     uint64    // of the attempt at a message of WebSocket
	Mark   []byte    // likewise
	Stamps *Stamps   // if not nil, makes times cheaper; of one goroutine
	// Parts are room for those who make one text of several templates.
	Parts [][]byte
	// What all draws of the operation begin with, which is the same for each.
	seed, index, begin uint64
	begun              bool
	// Patches, if not nil, collects where the time stands, so that it can be written anew.
	Patches *[]Patch
}

// Template is a text with places.
type Template struct {
	text     string // as it was given
	segments []segment
	kept     []int
	idBits   uint
	secret   bool
}

// segment is text as it is, and the value behind it.
type segment struct {
	text string
	kind kind // nothing at the end
	at   Place
	draw uint64 // tells apart the places that draw

	low, span uint64    // of int: the lowest number, and how many there are less one
	length    int       // of text
	picks     []string  // of pick
	which     int       // column, or kept value
	raw       bool      // it is written already as it must be
	of        *Template // of drawn
	name      string    // of the Draw that stands here
}

// Append renders the template behind b.
func (t *Template) Append(b []byte, v *Values) []byte {
	for i := range t.segments {
		s := &t.segments[i]
		b = append(b, s.text...)
		if s.kind == nothing {
			continue
		}
		from := len(b)
		b = s.append(b, v)
		if s.at != Raw {
			b = escape(b, from, s.at)
		}
		if s.kind >= firstTime && v.Patches != nil {
			*v.Patches = append(*v.Patches, Patch{from: from, to: len(b), segment: s})
		}
	}
	return b
}

// Constant reports whether the template renders the same text for all values.
func (t *Template) Constant() bool {
	return len(t.segments) == 0 || len(t.segments) == 1 && t.segments[0].kind == nothing
}

// Secret reports whether a value of the environment is in it: what it renders must not be shown.
func (t *Template) Secret() bool { return t.secret }

// Kept are the kept values that it uses, by their place in Known.Kept.
func (t *Template) Kept() []int { return t.kept }

// Columns reports whether it uses a column of the table.
func (t *Template) Columns() bool {
	return t.uses(column)
}

// String is the text that was compiled.
func (t *Template) String() string { return t.text }

// Leading is the text before its first value.
func (t *Template) Leading() string {
	if len(t.segments) == 0 {
		return ""
	}
	return t.segments[0].text
}

// After is the template without the first n bytes of its leading text.
func (t *Template) After(n int) *Template {
	rest := *t
	rest.segments = slices.Clone(t.segments)
	if n > 0 {
		rest.segments[0].text = rest.segments[0].text[n:]
	}
	return &rest
}

// Before is the template with a text before it.
func (t *Template) Before(text string) *Template {
	more := *t
	more.segments = slices.Clone(t.segments)
	if len(more.segments) == 0 {
		more.segments = []segment{{}}
	}
	more.segments[0].text = text + more.segments[0].text
	return &more
}

// Patch is where a time stands in what was rendered.
type Patch struct {
	from, to int
	segment  *segment
}

// Shift says that n bytes have come to stand before what was rendered.
func (p *Patch) Shift(n int) { p.from, p.to = p.from+n, p.to+n }

// Write writes another time over the one that stands there: each form of a time has one length, from 2001 to 2286. What
// would not fit is left as it was.
func (p Patch) Write(rendered []byte, now time.Time) {
	var room [128]byte
	b := escape(p.segment.append(room[:0], &Values{Now: now}), 0, p.segment.at)
	if len(b) == p.to-p.from {
		copy(rendered[p.from:p.to], b)
	}
}
