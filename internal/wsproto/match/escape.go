package match

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// escapeLen is how long the escape is with which the text begins, both of a pair of surrogates; 0: it is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
	default:
		return 0
	}
	r, ok := unit(b)
	if !ok {
		return 0
	}
	if !utf16.IsSurrogate(r) {
		return 6
	}
	if low, ok := unit(b[6:]); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
		return 12
	}
	return 0
}

// unit is the number of the escape \u with which the text begins.
func unit(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case c-'0' < 10:
			c -= '0'
		case c|0x20-'a' < 6:
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// appendUnescaped appends the contents of a string, which are valid, without escapes.
func appendUnescaped(b, written []byte) []byte {
	for {
		i := bytes.IndexByte(written, '\\')
		if i < 0 {
			return append(b, written...)
		}
		b = append(b, written[:i]...)
		written = written[i:]
		n := escapeLen(written)
		if n == 2 {
			b = append(b, short(written[1]))
		} else {
			r, _ := unit(written)
			if n == 12 {
				low, _ := unit(written[6:])
				r = utf16.DecodeRune(r, low)
			}
			b = utf8.AppendRune(b, r)
		}
		written = written[n:]
	}
}

// short is what an escape of one letter stands for.
func short(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	default:
		return c
	}
}
