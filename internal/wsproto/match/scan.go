package match

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// deepest bounds how many objects and arrays stand in each other, as encoding/json does.
const deepest = 10_000

// scanner goes over a body once: it checks that it is one JSON value (RFC 8259), and notes what stands where the
// nodes of a trie lead. Where a name stands twice in an object, the first one counts.
//
// Its methods take where something begins, and give where it ends; less than 0 where it is not what it must be.
type scanner struct {
	nodes []node
	parts []part // by node
	turn  uint64 // number of the body: what other bodies left in parts is not there
	data  []byte
	depth int
	in    []byte // what is to be closed, of the objects and arrays in which no node is
	plain []byte // the name of a member without its escapes
	at    int    // of what is wrong
	why   string

	escaped bool // the last string has an escape
}

// part is what stands at a node.
type part struct {
	turn     uint64 // of the body that has it
	from, to int    // in the body; of a string with its quotes
	kind     Kind
	escaped  bool // of a string
}

// Error is where a body is not JSON, and why.
type Error struct {
	At  int // bytes before it
	Why string
}

func (e *Error) Error() string { return "not JSON: " + e.Why }

// scan takes a body.
func (s *scanner) scan(body []byte) error {
	s.data, s.depth, s.in = body, 0, s.in[:0]
	end := s.node(s.space(0), 0)
	if end < 0 {
		return &Error{At: s.at, Why: s.why}
	}
	if end = s.space(end); end < len(body) {
		return &Error{At: end, Why: "unexpected data after the value"}
	}
	return nil
}

// wrong notes what is wrong.
func (s *scanner) wrong(i int, why string) int {
	s.at, s.why = i, why
	if i >= len(s.data) {
		s.why = "unexpected end"
	}
	return -1
}

// space passes over white space.
func (s *scanner) space(i int) int {
	for i < len(s.data) && s.data[i] <= ' ' {
		if c := s.data[i]; c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			break
		}
		i++
	}
	return i
}

// node passes over the value of a node.
func (s *scanner) node(i, number int) int {
	if i >= len(s.data) {
		return s.wrong(i, "")
	}
	s.escaped = false
	var end int
	kind := Compound
	switch c := s.data[i]; {
	case c == '"':
		end, kind = s.text(i+1), String
	case c == '{' && len(s.nodes[number].children) > 0:
		end = s.object(i+1, &s.nodes[number])
	case c == '[' && len(s.nodes[number].children) > 0:
		end = s.array(i+1, &s.nodes[number])
	default:
		end, kind = s.skip(i), kindOf(c)
	}
	p := &s.parts[number]
	p.turn, p.from, p.to, p.kind, p.escaped = s.turn, i, end, kind, s.escaped
	return end
}

// kindOf is the kind of a value that begins with a character, which is no quote.
func kindOf(c byte) Kind {
	switch c {
	case '{', '[':
		return Compound
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	default:
		return Number
	}
}

// object passes over the members of an object in which nodes are, and over its end.
func (s *scanner) object(i int, n *node) int {
	if s.depth++; s.depth > deepest {
		return s.wrong(i-1, "nested too deeply")
	}
	d := s.data
	if i = s.space(i); i < len(d) && d[i] == '}' {
		s.depth--
		return i + 1
	}
	for {
		s.escaped = false
		from := i
		if i = s.key(i); i < 0 {
			return -1
		}
		child := -1
		if name := d[from+1 : i-1]; n.lengths>>(len(name)%64)&1 != 0 || s.escaped {
			child = s.member(n, name)
		}
		if i = s.colon(i); i < 0 {
			return -1
		}
		switch {
		case child >= 0:
			i = s.node(i, child)
		case i < len(d) && d[i] == '"':
			i = s.text(i + 1)
		default:
			i = s.skip(i)
		}
		if i < 0 {
			return -1
		}
		if i = s.space(i); i >= len(d) || d[i] != ',' {
			break
		}
		i = s.space(i + 1)
	}
	if i >= len(d) || d[i] != '}' {
		return s.wrong(i, "expected , or }")
	}
	s.depth--
	return i + 1
}

// key passes over the name of a member.
func (s *scanner) key(i int) int {
	if i < len(s.data) && s.data[i] == '"' {
		return s.text(i + 1)
	}
	return s.wrong(i, "expected a member name")
}

// colon passes over what stands behind a name.
func (s *scanner) colon(i int) int {
	if i+1 < len(s.data) && s.data[i] == ':' && s.data[i+1] > ' ' { // as most write it
		return i + 1
	}
	if i = s.space(i); i >= len(s.data) || s.data[i] != ':' {
		return s.wrong(i, "expected :")
	}
	return s.space(i + 1)
}

// member is the node of a member that comes for the first time; -1: there is none.
func (s *scanner) member(n *node, name []byte) int {
	if s.escaped {
		s.plain = appendUnescaped(s.plain[:0], name)
		if name = s.plain; cap(name) > mostKept {
			s.plain = nil
		}
	}
	for _, child := range n.children {
		if s.nodes[child].name == string(name) && s.parts[child].turn != s.turn {
			return child
		}
	}
	return -1
}

// array passes over the elements of an array in which nodes are, and over its end.
func (s *scanner) array(i int, n *node) int {
	if s.depth++; s.depth > deepest {
		return s.wrong(i-1, "nested too deeply")
	}
	d := s.data
	if i = s.space(i); i < len(d) && d[i] == ']' {
		s.depth--
		return i + 1
	}
	for index := 0; ; index++ {
		if child := s.element(n, index); child >= 0 {
			i = s.node(i, child)
		} else {
			i = s.skip(i)
		}
		if i < 0 {
			return -1
		}
		if i = s.space(i); i >= len(d) || d[i] != ',' {
			break
		}
		i = s.space(i + 1)
	}
	if i >= len(d) || d[i] != ']' {
		return s.wrong(i, "expected , or ]")
	}
	s.depth--
	return i + 1
}

// element is the node of an element; -1: there is none.
func (s *scanner) element(n *node, index int) int {
	for _, child := range n.children {
		if s.nodes[child].index == index {
			return child
		}
	}
	return -1
}

// skip passes over a value in which no node is.
func (s *scanner) skip(i int) int {
	if i >= len(s.data) {
		return s.wrong(i, "")
	}
	switch s.data[i] {
	case '"':
		return s.text(i + 1)
	case '{', '[':
		return s.nested(i)
	}
	return s.scalar(i)
}

// nested passes over an object or an array in which no node is. It is a loop, as its depth is the sender's choice.
func (s *scanner) nested(i int) int {
	d, bottom := s.data, len(s.in)
	for {
		// Here a value begins.
		if i >= len(d) {
			return s.wrong(i, "")
		}
		switch c := d[i]; c {
		case '"':
			i = s.text(i + 1)
		case '{', '[':
			if s.depth+len(s.in)-bottom >= deepest {
				return s.wrong(i, "nested too deeply")
			}
			s.in = append(s.in, c+2) // '}' is '{' + 2, and ']' is '[' + 2
			if i = s.space(i + 1); i >= len(d) || d[i] != c+2 {
				if c == '{' {
					i = s.name(i)
				}
				if i < 0 {
					return -1
				}
				continue
			}
		default:
			i = s.scalar(i)
		}
		if i < 0 {
			return -1
		}
		// Here a value has ended, or an empty one is to be closed.
		for i = s.space(i); i < len(d) && d[i] == s.in[len(s.in)-1]; i = s.space(i + 1) {
			if s.in = s.in[:len(s.in)-1]; len(s.in) == bottom {
				return i + 1
			}
		}
		if i >= len(d) || d[i] != ',' {
			return s.wrong(i, "expected , or the end of an object or array")
		}
		i = s.space(i + 1)
		if s.in[len(s.in)-1] == '}' {
			if i = s.name(i); i < 0 {
				return -1
			}
		}
	}
}

// name passes over the name of a member and the colon.
func (s *scanner) name(i int) int {
	if i = s.key(i); i < 0 {
		return -1
	}
	return s.colon(i)
}

// scalar passes over a number or a literal.
func (s *scanner) scalar(i int) int {
	switch c := s.data[i]; {
	case c == '-' || c-'0' < 10:
		return s.number(i)
	case c == 't':
		return s.literal(i, "true")
	case c == 'f':
		return s.literal(i, "false")
	case c == 'n':
		return s.literal(i, "null")
	default:
		return s.wrong(i, "expected a value")
	}
}

func (s *scanner) literal(i int, word string) int {
	if len(s.data)-i < len(word) || string(s.data[i:i+len(word)]) != word {
		return s.wrong(i, "expected a value")
	}
	return i + len(word)
}

// number passes over a number: a minus, digits without a 0 before them, and perhaps a fraction and an exponent.
func (s *scanner) number(i int) int {
	from := i
	if s.data[i] == '-' {
		i++
	}
	digits := i
	i = s.digits(i)
	if i == digits || i > digits+1 && s.data[digits] == '0' {
		return s.wrong(from, "invalid number")
	}
	if i < len(s.data) && s.data[i] == '.' {
		digits = i + 1
		if i = s.digits(digits); i == digits {
			return s.wrong(from, "invalid number")
		}
	}
	if i < len(s.data) && s.data[i]|0x20 == 'e' {
		digits = i + 1
		if digits < len(s.data) && (s.data[digits] == '+' || s.data[digits] == '-') {
			digits++
		}
		if i = s.digits(digits); i == digits {
			return s.wrong(from, "invalid number")
		}
	}
	return i
}

func (s *scanner) digits(i int) int {
	for i < len(s.data) && s.data[i]-'0' < 10 {
		i++
	}
	return i
}

// text passes over the contents of a string and the quote behind them.
func (s *scanner) text(i int) int {
	d := s.data
	for {
		for i <= len(d)-8 {
			if special := specials(binary.LittleEndian.Uint64(d[i:])); special != 0 {
				i += bits.TrailingZeros64(special) / 8
				break
			}
			i += 8
		}
		if i < len(d) && d[i] == '"' {
			return i + 1
		}
		if i = s.special(i); i < 0 {
			return -1
		}
	}
}

// special passes over what a string has that is no whole word of plain characters, and no quote.
func (s *scanner) special(i int) int {
	if i >= len(s.data) {
		return s.wrong(i, "")
	}
	switch c := s.data[i]; {
	case c == '\\':
		s.escaped = true
		if n := escapeLen(s.data[i:]); n > 0 {
			return i + n
		}
		return s.wrong(i, "invalid escape")
	case c < ' ':
		return s.wrong(i, "control character in a string")
	case c >= utf8.RuneSelf:
		return s.beyondASCII(i)
	}
	return i + 1 // less than a word is left
}

// beyondASCII passes over what is neither a quote nor an escape nor a control character, and checks it at one go.
func (s *scanner) beyondASCII(from int) int {
	i := from
	for i <= len(s.data)-8 {
		if ends := terminators(binary.LittleEndian.Uint64(s.data[i:])); ends != 0 {
			i += bits.TrailingZeros64(ends) / 8
			break
		}
		i += 8
	}
	for i < len(s.data) && s.data[i] != '"' && s.data[i] != '\\' && s.data[i] >= ' ' {
		i++
	}
	if !utf8.Valid(s.data[from:i]) {
		return s.wrong(from, "invalid UTF-8")
	}
	return i
}

const (
	ones  = 0x0101010101010101 // each byte of a word is 1
	highs = 0x80 * ones
)

// specials has the highest bit of the first byte, among eight, at which a string is more than a character as it is: a
// quote, a backslash, a control character, or a part of one beyond ASCII. The bits of later bytes mean nothing.
func specials(w uint64) uint64 {
	quote, backslash := w^'"'*ones, w^'\\'*ones
	return ((quote - ones) | (backslash - ones) | (w - ' '*ones) | w) & highs
}

// terminators is as specials, but characters beyond ASCII are as others.
func terminators(w uint64) uint64 {
	quote, backslash := w^'"'*ones, w^'\\'*ones
	return ((quote-ones)&^quote | (backslash-ones)&^backslash | (w-' '*ones)&^w) & highs
}
