package template

import "bytes"

// stompPart follows a frame of STOMP 1.2 as far as it matters for what may stand in it.
type stompPart struct {
	part    int
	line    []byte // so far, of the command and the headers
	begun   bool   // the body has begun
	json    bool   // it is JSON
	literal bool   // its headers are written as they are: those of CONNECT, for servers of before 1.2
}

// The parts of a frame.
const (
	command = iota
	headers
	body
)

// next takes a character of the frame, and reports whether the body begins with it.
func (s *stompPart) next(c byte) bool {
	if s.part == body {
		if s.begun || c == ' ' || c == '\n' || c == '\r' || c == '\t' {
			return false
		}
		s.begun, s.json = true, c == '{' || c == '['
		return false
	}
	if c != '\n' {
		s.line = append(s.line, c)
		return false
	}
	line := bytes.TrimSuffix(s.line, []byte{'\r'})
	s.line = s.line[:0]
	switch {
	case s.part == command && len(line) > 0: // empty lines before a frame are heartbeats
		s.part, s.literal = headers, bytes.Equal(line, []byte("CONNECT"))
	case s.part == headers && len(line) == 0:
		s.part = body
		return true
	}
	return false
}

// value says that a value stands here: a line with it is not empty, and a body that begins with it no JSON.
func (s *stompPart) value() {
	if s.part == body {
		s.begun = true
		return
	}
	s.line = append(s.line, '$')
}

// where is how a value is escaped that stands here.
func (s *stompPart) where(j *jsonPart) Place {
	switch {
	case s.part != body && s.literal:
		return Header
	case s.part != body:
		return inHeader
	case s.json && j.inString:
		return inString
	case s.json:
		return bare
	}
	return inBody
}

// headerOfStomp escapes what stands behind from (STOMP 1.2, "Value Encoding"). A zero byte has no escape: it ends
// a frame, and becomes a space.
func headerOfStomp(b []byte, from int) []byte {
	b = without(b, from, 0)
	more := 0
	for _, c := range b[from:] {
		if stompLetter(c) != 0 {
			more++
		}
	}
	read := len(b)
	b = grow(b, more)
	for to := len(b); to > read; {
		read--
		to--
		if letter := stompLetter(b[read]); letter != 0 {
			b[to] = letter
			to--
			b[to] = '\\'
			continue
		}
		b[to] = b[read]
	}
	return b
}

// stompLetter is what stands for c behind a backslash; 0 when it stands for itself.
func stompLetter(c byte) byte {
	switch c {
	case '\n':
		return 'n'
	case '\r':
		return 'r'
	case ':':
		return 'c'
	case '\\':
		return '\\'
	}
	return 0
}

// without has a space for each c behind from.
func without(b []byte, from int, c byte) []byte {
	for i := from; i < len(b); i++ {
		if b[i] == c {
			b[i] = ' '
		}
	}
	return b
}
