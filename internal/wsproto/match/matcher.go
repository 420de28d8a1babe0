package match

import (
	"github.com/plimsoll/plimsoll/internal/wsproto/codec"
)

// Kind is what a part of a message is.
type Kind uint8

// The kinds.
const (
	Missing  Kind = iota // it is not there
	Field                // a field of the codec
	String               // a string of JSON, without quotes and escapes
	Number               // as written
	Bool                 // true or false
	Null                 // null
	Compound             // an object or an array, as written
)

// Matcher finds which rule of a set takes a message. One goroutine uses it, and it keeps its memory from one message
// to the next.
type Matcher struct {
	set     *Set
	scanner scanner
	fields  [][]byte
	body    []byte
	scanned bool
	took    *rule  // the message; nil: none
	strings []byte // without their escapes
}

// NewMatcher makes what finds rules of the set.
func (s *Set) NewMatcher() *Matcher {
	return &Matcher{set: s, scanner: scanner{nodes: s.nodes, parts: make([]part, len(s.nodes))}}
}

// Match is the number of the first rule that takes the message; -1: none does. The error is of a body that had to be
// looked into, by a rule whose fields fit, and is no JSON. The message must stay as it is until the last question
// about it.
func (m *Matcher) Match(msg *codec.Message) (int, error) {
	m.fields, m.body, m.scanned, m.took = msg.Fields, msg.Body, false, nil
	for i := range m.set.rules {
		r := &m.set.rules[i]
		if !m.all(r.when[:r.fields]) {
			continue
		}
		if r.body {
			if err := m.look(); err != nil {
				return -1, err
			}
		}
		if m.all(r.when[r.fields:]) {
			m.took = r
			return i, nil
		}
	}
	return -1, nil
}

// Refused reports whether the rule that took the message has conditions for a refusal, and all hold.
func (m *Matcher) Refused() bool {
	return m.took != nil && len(m.took.refused) > 0 && m.all(m.took.refused)
}

// Value is a part of the message, by its place in Rule.Of of the rule that took it. It holds until the next Match.
func (m *Matcher) Value(i int) ([]byte, Kind) {
	if m.took == nil || i >= len(m.took.of) {
		return nil, Missing
	}
	return m.part(m.took.of[i])
}

// mostKept bounds what is held of what a long string once needed, in bytes.
const mostKept = 64 << 10

// look scans the body, once: where that is no JSON no other rule is tried.
func (m *Matcher) look() error {
	if m.scanned {
		return nil
	}
	m.scanned = true
	if m.strings = m.strings[:0]; cap(m.strings) > mostKept {
		m.strings = nil
	}
	m.scanner.turn++
	if m.body == nil {
		return nil
	}
	return m.scanner.scan(m.body)
}

func (m *Matcher) all(list []condition) bool {
	for i := range list {
		if !m.holds(&list[i]) {
			return false
		}
	}
	return true
}

func (m *Matcher) holds(c *condition) bool {
	value, kind := m.part(c.of)
	switch c.relation {
	case Present:
		return kind != Missing
	case Absent:
		return kind == Missing || kind == Null
	default:
		return kind != Missing && kind != Compound && string(value) == c.value
	}
}

// part is what stands at a place, of a body that was scanned.
func (m *Matcher) part(of place) ([]byte, Kind) {
	if of.field >= 0 {
		if of.field >= len(m.fields) || m.fields[of.field] == nil {
			return nil, Missing
		}
		return m.fields[of.field], Field
	}
	p := &m.scanner.parts[of.node]
	if p.turn != m.scanner.turn {
		return nil, Missing
	}
	if p.kind != String {
		return m.body[p.from:p.to], p.kind
	}
	written := m.body[p.from+1 : p.to-1]
	if !p.escaped {
		return written, String
	}
	from := len(m.strings)
	m.strings = appendUnescaped(m.strings, written)
	return m.strings[from:len(m.strings):len(m.strings)], String
}
