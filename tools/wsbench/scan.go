package main

import "unicode/utf8"

// scanObject is a hand-written candidate: one pass over an RFC 8259 object, UTF-8 included,
// that calls field with every top-level key and value as they stand in data.
func scanObject(data []byte, field func(key, value []byte)) bool {
	i := space(data, 0)
	if i >= len(data) || data[i] != '{' {
		return false
	}
	end := object(data, i, 0, field)
	return end >= 0 && space(data, end) == len(data)
}

// maxDepth bounds the recursion.
const maxDepth = 1000

func space(d []byte, i int) int {
	for i < len(d) && (d[i] == ' ' || d[i] == '\n' || d[i] == '\r' || d[i] == '\t') {
		i++
	}
	return i
}

func object(d []byte, i, depth int, field func(key, value []byte)) int {
	if i = space(d, i+1); i < len(d) && d[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(d) || d[i] != '"' {
			return -1
		}
		keyEnd := str(d, i)
		if keyEnd < 0 {
			return -1
		}
		at := space(d, keyEnd)
		if at >= len(d) || d[at] != ':' {
			return -1
		}
		at = space(d, at+1)
		end := value(d, at, depth+1)
		if end < 0 {
			return -1
		}
		if field != nil {
			field(d[i:keyEnd], d[at:end])
		}
		if i = space(d, end); i >= len(d) {
			return -1
		}
		switch d[i] {
		case ',':
			i = space(d, i+1)
		case '}':
			return i + 1
		default:
			return -1
		}
	}
}

func array(d []byte, i, depth int) int {
	if i = space(d, i+1); i < len(d) && d[i] == ']' {
		return i + 1
	}
	for {
		end := value(d, i, depth+1)
		if end < 0 {
			return -1
		}
		if i = space(d, end); i >= len(d) {
			return -1
		}
		switch d[i] {
		case ',':
			i = space(d, i+1)
		case ']':
			return i + 1
		default:
			return -1
		}
	}
}

func value(d []byte, i, depth int) int {
	if i >= len(d) || depth > maxDepth {
		return -1
	}
	switch d[i] {
	case '"':
		return str(d, i)
	case '{':
		return object(d, i, depth, nil)
	case '[':
		return array(d, i, depth)
	case 't':
		return literal(d, i, "true")
	case 'f':
		return literal(d, i, "false")
	case 'n':
		return literal(d, i, "null")
	}
	return number(d, i)
}

func literal(d []byte, i int, word string) int {
	if len(d)-i < len(word) || string(d[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

func number(d []byte, i int) int {
	if d[i] == '-' {
		i++
	}
	switch {
	case i < len(d) && d[i] == '0':
		i++
	case i < len(d) && d[i] >= '1' && d[i] <= '9':
		i = digits(d, i)
	default:
		return -1
	}
	if i < len(d) && d[i] == '.' {
		next := digits(d, i+1)
		if next == i+1 {
			return -1
		}
		i = next
	}
	if i < len(d) && (d[i] == 'e' || d[i] == 'E') {
		i++
		if i < len(d) && (d[i] == '+' || d[i] == '-') {
			i++
		}
		next := digits(d, i)
		if next == i {
			return -1
		}
		i = next
	}
	return i
}

func digits(d []byte, i int) int {
	for i < len(d) && d[i] >= '0' && d[i] <= '9' {
		i++
	}
	return i
}

func str(d []byte, i int) int {
	for i++; i < len(d); {
		switch c := d[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			if i = escape(d, i); i < 0 {
				return -1
			}
		case c < ' ':
			return -1
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := utf8.DecodeRune(d[i:])
			if r == utf8.RuneError && n == 1 {
				return -1
			}
			i += n
		}
	}
	return -1
}

func escape(d []byte, i int) int {
	if i+1 >= len(d) {
		return -1
	}
	switch d[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		if i+6 > len(d) {
			return -1
		}
		for _, c := range d[i+2 : i+6] {
			if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
				return -1
			}
		}
		return i + 6
	}
	return -1
}
