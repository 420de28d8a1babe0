package template

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// escape makes of what stands in b behind from what may stand at the place.
func escape(b []byte, from int, at Place) []byte {
	switch at {
	case Raw:
		return b
	case Header:
		for i := from; i < len(b); i++ {
			if b[i] < ' ' && b[i] != '\t' || b[i] == 0x7f {
				b[i] = ' '
			}
		}
		return b
	case bare:
		if isLiteral(b[from:]) {
			return b
		}
		b = quote(b, from)
		b = append(b, 0, '"')
		copy(b[from+1:], b[from:len(b)-2])
		b[from] = '"'
		return b
	case inString:
		return quote(b, from)
	case inHeader:
		return headerOfStomp(b, from)
	case inBody:
		return without(b, from, 0)
	}
	return percent(b, from, at)
}

// isLiteral reports whether v can stand in JSON as it is.
func isLiteral(v []byte) bool {
	if len(v) == 0 || v[0] == '"' || v[0] == '{' || v[0] == '[' || v[0] <= ' ' {
		return false
	}
	return json.Valid(v) && v[len(v)-1] > ' '
}

const hexDigits = "0123456789ABCDEF"

// plain are the characters that stand for themselves in an address (RFC 3986, 2.3) and in a form.
func plain(c byte, at Place) bool {
	switch {
	case at == inURLRaw:
		return c > ' ' && c < 0x7f && !strings.ContainsRune("\"<>\\^`{|}", rune(c))
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.', c == '_':
		return true
	case c == '~':
		return at != Form
	case c == '*':
		return at == Form
	}
	return false
}

// percent writes what is not plain as %XX; in a form a space as +.
func percent(b []byte, from int, at Place) []byte {
	space := at == Form
	more := 0
	for _, c := range b[from:] {
		if !plain(c, at) && !(c == ' ' && space) {
			more += 2
		}
	}
	read := len(b)
	b = grow(b, more)
	for to := len(b); read > from && (to > read || space); {
		read--
		switch c := b[read]; {
		case plain(c, at):
			to--
			b[to] = c
		case c == ' ' && space:
			to--
			b[to] = '+'
		default:
			to -= 3
			b[to], b[to+1], b[to+2] = '%', hexDigits[c>>4], hexDigits[c&15]
		}
	}
	return b
}

// quote writes what stands behind from as the contents of a string of JSON (RFC 8259, 7). What is no UTF-8 becomes the
// replacement character.
func quote(b []byte, from int) []byte {
	if !utf8.Valid(b[from:]) {
		b = append(b[:from], string([]rune(string(b[from:])))...)
	}
	more := 0
	for _, c := range b[from:] {
		more += quotedLen(c) - 1
	}
	if more == 0 {
		return b
	}
	read := len(b)
	b = grow(b, more)
	for to := len(b); to > read; {
		read--
		c := b[read]
		switch to -= quotedLen(c); quotedLen(c) {
		case 1:
			b[to] = c
		case 2:
			b[to], b[to+1] = '\\', short(c)
		default:
			copy(b[to:], `\u00`)
			b[to+4], b[to+5] = hexDigits[c>>4], hexDigits[c&15]
		}
	}
	return b
}

// grow makes b longer by n.
func grow(b []byte, n int) []byte { return slices.Grow(b, n)[:len(b)+n] }

// short is the letter that stands for c behind a backslash; 0 when there is none.
func short(c byte) byte {
	switch c {
	case '"', '\\':
		return c
	case '\n':
		return 'n'
	case '\r':
		return 'r'
	case '\t':
		return 't'
	}
	return 0
}

func quotedLen(c byte) int {
	switch {
	case short(c) != 0:
		return 2
	case c < ' ':
		return 6
	}
	return 1
}
